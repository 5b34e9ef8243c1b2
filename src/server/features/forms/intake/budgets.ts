import { LRUCache } from 'lru-cache'
import { sourceOf } from '#server/access/attempts.ts'
import type { Config } from '#server/config.ts'
import { openFolder } from '#server/features/assets/submitted-files.service.ts'
import { AppError } from '#shared/errors.ts'
import { formLimits } from '#shared/forms/fields.ts'

const hourMs = 3_600_000

/** Bytes of text that an address may still send, in each process. */
const texts = new LRUCache<string, { left: number; at: number }>({ max: 10_000 })

/** Takes the text of a submission from the budget of its address. Throws 429 if the budget is used up. */
export function takeText(ip: string, bytes: number, now: number = performance.now()): void {
  const { textBytesPerHour: whole } = formLimits
  const key = sourceOf(ip)
  const before = texts.get(key) ?? { left: whole, at: now }
  const left = Math.min(whole, before.left + ((now - before.at) / hourMs) * whole)
  if (left >= bytes) {
    texts.set(key, { left: left - bytes, at: now })
    return
  }
  const seconds = Math.ceil(((bytes - left) / whole) * 3600)
  throw new AppError('TooManyRequests', {
    message: 'Too much text was sent from this address',
    headers: { 'retry-after': String(seconds) },
  })
}

/** Interval in ms in which the free disk space is read at most once. */
const diskCheckMs = 1_000
/** The last check of each data folder. */
const disks = new WeakMap<DataFolder, { until: number; room: Promise<unknown> }>()

type DataFolder = Pick<Config, 'dataDir' | 'storage'>

/**
 * Throws 507 if submissions would use disk space that must stay free. PostgreSQL is on the same disk, unless the
 * operator runs it elsewhere.
 */
export async function requireDiskSpace(config: DataFolder): Promise<void> {
  const now = performance.now()
  let disk = disks.get(config)
  if (!disk || disk.until < now) {
    disk = { until: now + diskCheckMs, room: openFolder(config, formLimits.textBytes) }
    disks.set(config, disk)
    disk.room.catch(() => {}) // Each submission that awaits it reports the error.
  }
  await disk.room
}
