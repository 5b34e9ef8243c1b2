import type { SourceKind } from '#archive/format.ts'
import type { PlannedModel } from '#shared/contract/move-plans.ts'
import type { PublicationChoice } from '#shared/publication-states.ts'
import type { ArchivedSys } from './archive-lines.ts'

type ModelStates = Pick<PlannedModel, 'from' | 'states'>

/** The choices of a plan for the contents of its archive. */
export class StateChoices {
  readonly #choices: ReadonlyMap<string, PublicationChoice>
  /** Whether the archive states itself which contents are published: that of Newt's API. */
  readonly #isExplicit: boolean

  constructor(kind: SourceKind, models: readonly ModelStates[]) {
    this.#isExplicit = kind === 'newt'
    this.#choices = new Map(
      models.flatMap(({ from, states = [] }) => states.map(({ key, choice }) => [keyOf(from, key), choice])),
    )
  }

  /** The choice for a content of a model; undefined: as the views of the archive say. */
  choiceFor(model: string, { state }: Pick<ArchivedSys, 'state'>): PublicationChoice | undefined {
    if (this.#isExplicit) return undefined
    // Archives that earlier versions converted have no states, and published what the source did not state.
    return (state === null ? undefined : this.#choices.get(keyOf(model, state))) ?? 'draft'
  }

  /** The choice for contents that exist only as copies inside others, which have no state of their own. */
  get choiceForCopies(): PublicationChoice | undefined {
    return this.#isExplicit ? undefined : 'draft'
  }

  get hasLeftOut(): boolean {
    return !this.#isExplicit && [...this.#choices.values()].includes('leaveOut')
  }

  isLeftOut(model: string, sys: Pick<ArchivedSys, 'state'>): boolean {
    return this.choiceFor(model, sys) === 'leaveOut'
  }
}

const keyOf = (model: string, state: string) => `${model}\u0000${state}`
