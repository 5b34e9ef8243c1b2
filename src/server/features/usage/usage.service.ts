import type { SpaceContext } from '#server/access/context.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { type UsageDay, usageDays } from '#shared/contract/usage.ts'
import { invalid } from '#shared/errors.ts'
import { findUsage, type UsageCounts } from './usage.repository.ts'

/** Returns the usage of the space by day. Throws 400 if `to` is before `from`, or for more than `usageDays` days. */
export async function getUsage(
  ctx: SpaceContext,
  { from, to }: { from: string; to: string },
): Promise<UsageDay[]> {
  const count = dayNumber(to) - dayNumber(from) + 1
  if (count < 1) throw invalid('to', 'TooSmallValue')
  if (count > usageDays) throw invalid('to', 'TooLargeValue')
  return readUsage(ctx.db, ctx.scope, from, to)
}

/**
 * Returns the usage of a space for each day from `fromDay` to `toDay` (`YYYY-MM-DD`, in UTC), oldest first. Documents
 * and assets that were created or deleted in the last seconds may be missing.
 */
export async function readUsage(
  db: Db,
  scope: SpaceScope,
  fromDay: string,
  toDay: string,
): Promise<UsageDay[]> {
  const { stock, days } = await findUsage(db, scope, fromDay)
  const byDay = new Map(days.map((one) => [one.day, one]))
  const stored = { ...stock }
  const usage: UsageDay[] = []
  const undo = (counts: Omit<UsageCounts, 'day'>) => {
    stored.documents -= counts.documentsCreated - counts.documentsDeleted
    stored.assets -= counts.assetsCreated - counts.assetsDeleted
    stored.bytes -= counts.bytesAdded - counts.bytesRemoved
  }
  for (const counts of days) if (counts.day > toDay) undo(counts)
  for (let number = dayNumber(toDay); number >= dayNumber(fromDay); number--) {
    const day = dayOf(number)
    const counts = byDay.get(day) ?? { ...nothing, day }
    usage.push(presentDay(counts, stored))
    undo(counts)
  }
  return usage.reverse()
}

const nothing: Omit<UsageCounts, 'day'> = {
  documentsCreated: 0,
  documentsDeleted: 0,
  assetsCreated: 0,
  assetsDeleted: 0,
  bytesAdded: 0,
  bytesRemoved: 0,
  cdnCalls: 0,
  apiCalls: 0,
}

const presentDay = (
  counts: UsageCounts,
  stored: { documents: number; assets: number; bytes: number },
): UsageDay => ({
  day: counts.day,
  documents: {
    created: counts.documentsCreated,
    deleted: counts.documentsDeleted,
    stored: stored.documents,
  },
  assets: { created: counts.assetsCreated, deleted: counts.assetsDeleted, stored: stored.assets },
  bytes: { added: counts.bytesAdded, removed: counts.bytesRemoved, stored: stored.bytes },
  calls: { cdn: counts.cdnCalls, api: counts.apiCalls },
})

const dayMs = 86_400_000
/** Returns the number of days since 1970. */
const dayNumber = (day: string) => Date.parse(day) / dayMs
const dayOf = (number: number) => new Date(number * dayMs).toISOString().slice(0, 10)
