import type { SpaceContext } from '#server/access/context.ts'
import { normalizeUnicode } from '#shared/unicode.ts'

/**
 * The context for applying groups of a directory or an identity provider. `db` is a transaction that has entered the
 * space (`enterSpace`). `ip` and `agent` are written to the audit log.
 */
export type DirectoryContext = Pick<SpaceContext, 'db' | 'scope' | 'actor'> & {
  ip?: string | null
  agent?: string | null
}

/**
 * Returns the normalised name of a group. Case is kept, because directories may distinguish it. A byte order mark is
 * not trimmed: a name with it is a different name that looks the same.
 */
export const nameOf = (group: string) =>
  normalizeUnicode(group.replace(/^[^\S\ufeff]+|[^\S\ufeff]+$/gu, ''), 'NFC')
