import type { StateHint } from '#archive/hints.ts'
import type { MovePlan, PlannedModel, PlannedState } from '#shared/contract/move-plans.ts'
import type { MoveReport } from '#shared/contract/moves.ts'
import { countChoices, defaultChoice, publicationStates } from '#shared/publication-states.ts'
import { storableTextOf } from '#shared/unicode.ts'

const rank = ({ state }: PlannedState) => publicationStates.indexOf(state)

/** Returns the states of the contents of a model with the default choices, the most public state first. */
export const planStates = (hints: readonly StateHint[]): PlannedState[] =>
  hints
    .map(({ key, state, statement, count, changed, examples }) => ({
      key,
      state,
      statement: storableTextOf(statement.slice(0, 100)),
      count,
      changed,
      examples: examples.map((example) => storableTextOf(example.slice(0, 200))),
      choice: defaultChoice(state),
    }))
    .sort((a, b) => rank(a) - rank(b))

/** Returns the model with these choices, and with its number of documents by their future status. */
export function withChoices(
  model: PlannedModel,
  choices: readonly Pick<PlannedState, 'key' | 'choice'>[],
): PlannedModel {
  if (!model.states) return model
  const chosen = new Map(choices.map(({ key, choice }) => [key, choice]))
  const states = model.states.map((state) => ({ ...state, choice: chosen.get(state.key) ?? state.choice }))
  const documents = { draft: 0, published: 0, changed: 0, unpublished: 0 }
  for (const { choice, count, changed } of states) {
    if (choice === 'draft') documents.draft += count
    if (choice !== 'publish') continue
    documents.published += count - changed
    documents.changed += changed
  }
  return { ...model, states, documents }
}

/** Returns the number of contents of a plan by their future status. `leftOut`: contents whose choice is `leaveOut`. */
export function countStatuses({ models }: Pick<MovePlan, 'models'>): NonNullable<MoveReport['statuses']> {
  const counts = { published: 0, draft: 0, leftOut: countChoices(models).leaveOut }
  for (const { documents } of models) {
    counts.published += documents.published + documents.changed
    counts.draft += documents.draft + documents.unpublished
  }
  return counts
}

/** Returns the plan with its number of documents, without documents that are left out. */
export function withCounts(plan: MovePlan): MovePlan {
  if (plan.models.every(({ states }) => !states)) return plan
  const counts = plan.models.flatMap(({ documents }) => Object.values(documents))
  const documents = counts.reduce((sum, count) => sum + count, 0)
  return { ...plan, counts: { ...plan.counts, documents } }
}
