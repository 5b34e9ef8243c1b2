import type { SpaceContext } from '#server/access/context.ts'
import { normalizeUnicode } from '#shared/unicode.ts'

/** What the directory's word is taken in: the transaction is in the space. `ip` and `agent` go into the audit log. */
export type DirectoryContext = Pick<SpaceContext, 'db' | 'scope' | 'actor'> & {
  ip?: string | null
  agent?: string | null
}

/** One way to write a name; upper and lower case stay different, as they may be in a directory. */
export const nameOf = (group: string) => normalizeUnicode(group.trim(), 'NFC')
