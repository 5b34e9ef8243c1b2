import { createHash } from 'node:crypto'
import type { View } from './content.ts'

/**
 * Working folder of a running export inside the target folder. `finishedWorkingFolder`: its name while it is being
 * deleted.
 */
export const workingFolder = '.rescue'
export const finishedWorkingFolder = `${workingFolder}-done`

export const assetsFolder = 'assets/'

/** Returns the path of an asset in the archive. It consists of the hash, never of an untrusted file name. */
export function assetPath(sha256: string): string {
  return `${assetsFolder}${sha256.slice(0, 2)}/${sha256}`
}

/**
 * Returns a model's uid as a file name that is valid on every system: no upper case (macOS), no device names (Windows).
 */
export function safeFileName(uid: string): string {
  const reserved = /^(con|prn|aux|nul|com\d|lpt\d)$/
  if (/^[a-z0-9_-]{1,64}$/.test(uid) && !reserved.test(uid)) return uid
  const suffix = createHash('sha256').update(uid).digest('hex').slice(0, 8)
  return `${uid
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '_')
    .slice(0, 48)}-${suffix}`
}

export function contentsPath(view: View, uid: string): string {
  return `contents/${view}/${safeFileName(uid)}.ndjson`
}

export function textsPath(view: View, uid: string): string {
  return `texts/${view}/${safeFileName(uid)}.ndjson`
}

const litter: ReadonlySet<string> = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini', 'Icon\r'])

/**
 * Returns true for files that operating systems create automatically. macOS creates `._x` files on disks in foreign
 * formats.
 */
export function isLitter(name: string): boolean {
  return litter.has(name) || name.startsWith('._')
}
