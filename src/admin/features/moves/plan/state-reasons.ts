import type { PlannedState } from '#shared/contract/move-plans.ts'

/**
 * Statements that need a more specific reason than their state. The readers in `src/archive/from` write these
 * statements.
 */
const reasonOfStatement = {
  'version > publishedVersion': 'editedSince',
  'published post': 'usedByPosts',
  'no published post': 'unusedByPosts',
  'draftAndPublish: false': 'withoutDrafts',
  'wp:post_password': 'passwordProtected',
  'link: ?post_type=': 'withoutPages',
  'build.render: false': 'notRendered',
  'build.render: never': 'notRendered',
} as const

/** Returns the key of the sentence that explains a state. */
export function reasonOf({ state, statement }: Pick<PlannedState, 'state' | 'statement'>) {
  if (state === 'unknown' && statement === '') return 'unstated'
  if (Object.hasOwn(reasonOfStatement, statement))
    return reasonOfStatement[statement as keyof typeof reasonOfStatement]
  // At Sanity, the statements that the next two patterns match are prefixes of document ids.
  if (state === 'draft' && /^versions\..*\.$/.test(statement)) return 'releaseOnly'
  return state === 'hidden' && /^[^:]+\.$/.test(statement) ? 'needsToken' : state
}
