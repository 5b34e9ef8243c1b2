/**
 * States of a content at its source. If a source makes several statements about a content, the state that is last in
 * this list applies.
 *
 * - `scheduled`: a draft that the source would publish later
 * - `unknown`: no statement, or one that is not understood
 * - `archived`: no longer public
 * - `hidden`: public for some visitors only (private, members, paid, password)
 */
export const publicationStates = [
  'published',
  'scheduled',
  'unknown',
  'draft',
  'archived',
  'hidden',
  'trashed',
] as const
export type PublicationState = (typeof publicationStates)[number]

/**
 * Kinds of data that the import leaves out, for example because the source does not publish it.
 *
 * - `account`: users with their e-mail addresses and passwords
 * - `setting`: configuration
 * - `secret`: fields for passwords, tokens and keys
 * - `private`: fields that the source's API does not deliver
 * - `system`: fields and tables that the service maintains itself
 */
export const leftOutKinds = ['account', 'setting', 'secret', 'private', 'system'] as const
export type LeftOutKind = (typeof leftOutKinds)[number]
