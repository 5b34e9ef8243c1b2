/** What a source says about the visibility of a content. `unknown`: nothing, or nothing that is understood. */
export const publicationStates = [
  'published',
  /** A draft that the source would publish at a later time. */
  'scheduled',
  'unknown',
  'draft',
  /** No longer public at the source. */
  'archived',
  /** Public for some visitors only: private, members, paid, password. */
  'hidden',
  'trashed',
] as const
export type PublicationState = (typeof publicationStates)[number]

/** What becomes of the contents of one state. */
export const publicationChoices = ['publish', 'draft', 'leaveOut'] as const
export type PublicationChoice = (typeof publicationChoices)[number]

/** The choice for a state until a user changes it. */
export const defaultChoice = (state: PublicationState): PublicationChoice =>
  state === 'published' ? 'publish' : state === 'trashed' ? 'leaveOut' : 'draft'

/**
 * Kinds of data that an import leaves out because the source does not publish it. `account`: users with their e-mail
 * addresses and passwords; `setting`: configuration; `secret`: fields for passwords, tokens and keys; `private`: fields
 * that the source's API does not deliver; `system`: fields and tables that the service maintains itself.
 */
export const leftOutKinds = ['account', 'setting', 'secret', 'private', 'system'] as const
