import type { SpaceContext } from '#server/access/context.ts'
import { normalizeUnicode } from '#shared/unicode.ts'

/**
 * The context for applying data of a directory; the transaction is inside the space. `ip` and `agent` go into the audit
 * log.
 */
export type DirectoryContext = Pick<SpaceContext, 'db' | 'scope' | 'actor'> & {
  ip?: string | null
  agent?: string | null
}

/**
 * The normalised name of a group; case is kept, because directories may distinguish it. A byte order mark is not
 * trimmed, because a name with it is a different name that looks the same.
 */
export const nameOf = (group: string) =>
  normalizeUnicode(group.replace(/^[^\S\ufeff]+|[^\S\ufeff]+$/gu, ''), 'NFC')
