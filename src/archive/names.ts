import { createHash } from 'node:crypto'
import type { View } from './content.ts'

/** Where a run that writes an archive works, inside of its folder; and the same while it is removed. */
export const workingFolder = '.rescue'
export const finishedWorkingFolder = `${workingFolder}-done`

/** Where assets lie in the archive. */
export const assetsFolder = 'assets/'

/** Where an asset lies in the archive: named by what it is, never by what a stranger called it. */
export function assetPath(sha256: string): string {
  return `${assetsFolder}${sha256.slice(0, 2)}/${sha256}`
}

/** A model's uid as a file name on every system: no upper case (macOS), no device names (Windows). */
export function safeFileName(uid: string): string {
  const reserved = /^(con|prn|aux|nul|com\d|lpt\d)$/
  if (/^[a-z0-9_-]{1,64}$/.test(uid) && !reserved.test(uid)) return uid
  const suffix = createHash('sha256').update(uid).digest('hex').slice(0, 8)
  return `${uid
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '_')
    .slice(0, 48)}-${suffix}`
}

/** Where the contents of a model stand in one view. */
export function contentsPath(view: View, uid: string): string {
  return `contents/${view}/${safeFileName(uid)}.ndjson`
}

/** Where the texts of a model stand in one view. */
export function textsPath(view: View, uid: string): string {
  return `texts/${view}/${safeFileName(uid)}.ndjson`
}

const litter: ReadonlySet<string> = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini', 'Icon\r'])

/** True for what operating systems leave in folders by themselves; `._x` is macOS's, on disks of other systems. */
export function isLitter(name: string): boolean {
  return litter.has(name) || name.startsWith('._')
}
