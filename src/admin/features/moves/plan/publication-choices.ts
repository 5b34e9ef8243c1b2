import type { PlannedModel, PlannedState } from '#shared/contract/move-plans.ts'
import type { PublicationChoice } from '#shared/publication-states.ts'

/** A model whose contents have states at the source. `from`: its uid there. */
export interface ModelStates {
  from: string
  name: string
  states: readonly PlannedState[]
}

/** The choice for the state `key` of the model `from`. */
export interface StateChoice {
  from: string
  key: string
  choice: PublicationChoice
}

/** Returns the number of documents of a planned model, without the documents that are left out. */
export function countDocuments({
  documents,
  states = [],
}: Pick<PlannedModel, 'documents' | 'states'>): number {
  if (states.length === 0) return Object.values(documents).reduce((sum, count) => sum + count, 0)
  return states.reduce((sum, { choice, count }) => (choice === 'leaveOut' ? sum : sum + count), 0)
}

/** Returns the models with some of their choices replaced. */
export function withChoices<Model extends { from: string; states?: readonly PlannedState[] }>(
  models: readonly Model[],
  choices: readonly StateChoice[],
): Model[] {
  return models.map((model) => {
    const own = choices.filter(({ from }) => from === model.from)
    if (own.length === 0 || !model.states) return model
    const states = model.states.map((state) => {
      const choice = own.find(({ key }) => key === state.key)?.choice
      return choice ? { ...state, choice } : state
    })
    return { ...model, states }
  })
}

/** Returns the models whose contents have states at the source. */
export const modelsWithStates = (
  models: readonly { from: string; name: string; states?: PlannedState[] }[],
): ModelStates[] =>
  models.flatMap(({ from, name, states }) => (states && states.length > 0 ? [{ from, name, states }] : []))
