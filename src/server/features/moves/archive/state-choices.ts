import type { SourceKind } from '#archive/format.ts'
import type { PlannedModel } from '#shared/contract/move-plans.ts'
import type { PublicationChoice } from '#shared/publication-states.ts'
import type { ArchivedSys } from './archive-lines.ts'

type ModelStates = Pick<PlannedModel, 'from' | 'states'>

/** The choices in a plan that decide, by state at the source, which contents are published or left out. */
export class StateChoices {
  readonly #choices: ReadonlyMap<string, PublicationChoice>
  /** True for archives of Newt's API. Their published view shows which contents are published. */
  readonly #isExplicit: boolean

  constructor(kind: SourceKind, models: readonly ModelStates[]) {
    this.#isExplicit = kind === 'newt'
    this.#choices = new Map(
      models.flatMap(({ from, states = [] }) => states.map(({ key, choice }) => [keyOf(from, key), choice])),
    )
  }

  /** Returns the choice for a content of a model. undefined: the views of the archive decide. */
  choiceFor(model: string, { state }: Pick<ArchivedSys, 'state'>): PublicationChoice | undefined {
    if (this.#isExplicit) return undefined
    // Archives converted by earlier versions have no states, and list contents of unknown state as published.
    return (state === null ? undefined : this.#choices.get(keyOf(model, state))) ?? 'draft'
  }

  /** Returns the choice for contents that exist only as copies inside others and have no state of their own. */
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
