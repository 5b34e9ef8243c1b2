/**
 * States of a document at its source. `unknown`: the source has no state, or a state that is not supported. The archive
 * code imports no code from here and has its own copy of the list (`src/archive/publication-states.ts`). The type check
 * fails if the archive's list has a state that this list lacks. It checks neither the reverse nor the order.
 */
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

export const publicationChoices = ['publish', 'draft', 'leaveOut'] as const
export type PublicationChoice = (typeof publicationChoices)[number]

/** The choice for a state until a user changes it. */
export const defaultChoice = (state: PublicationState): PublicationChoice =>
  state === 'published' ? 'publish' : state === 'trashed' ? 'leaveOut' : 'draft'

/** Returns the number of documents of these models by the choice for their state. */
export function countChoices(
  models: readonly { states?: readonly { choice: PublicationChoice; count: number }[] }[],
): Record<PublicationChoice, number> {
  const counts = { publish: 0, draft: 0, leaveOut: 0 }
  for (const { states = [] } of models) for (const { choice, count } of states) counts[choice] += count
  return counts
}

/**
 * Kinds of data that an import leaves out because the source does not publish it.
 *
 * - `account`: users with their e-mail addresses and passwords.
 * - `setting`: configuration.
 * - `secret`: fields for passwords, tokens and keys.
 * - `private`: fields that the source's API does not deliver.
 * - `system`: fields and tables that the service maintains itself.
 */
export const leftOutKinds = ['account', 'setting', 'secret', 'private', 'system'] as const
