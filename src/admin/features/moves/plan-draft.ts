import type {
  MoveCorrections,
  MovePlan,
  MoveTypeChoice,
  PlannedCustomType,
  PlannedField,
  PlannedModel,
} from '#shared/contract/move-plans.ts'
import { isSameValue } from '#shared/fields/same-value.ts'

/** A model or custom type of a plan. */
export type PlannedPart = PlannedModel | PlannedCustomType

export const correctionsOf = ({ app, models, customTypes }: MovePlan): MoveCorrections => ({
  app,
  models,
  customTypes,
})

/** Which of its choices a field is; -1 for none. */
export const choiceOf = ({ field, choices }: PlannedField): number =>
  choices.findIndex(({ settings }) =>
    Object.entries(settings).every(([key, value]) => isSameValue(field[key], value)),
  )

/** The field as it is by this choice: what it is called stays, and a switch that its values do not allow is off. */
export function choose(planned: PlannedField, { settings }: MoveTypeChoice): PlannedField {
  const { uid, name, required, unique } = planned.field
  const isFirst = settings === planned.choices[0]?.settings
  // Whether values repeat was looked at for the first choice.
  return { ...planned, field: { uid, name, required, unique: isFirst ? unique : false, ...settings } }
}

/** The parts with another one in place of that at `index`. */
export const replaced = <T>(list: readonly T[], index: number, item: T): T[] =>
  list.map((old, at) => (at === index ? item : old))

export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, index) => index !== from)
  return [...rest.slice(0, to), ...list.slice(from, from + 1), ...rest.slice(to)]
}

/** Below this a guess should be looked at. */
const unsureBelow = 0.75

export const isUnsure = ({ choices }: PlannedField): boolean => (choices[0]?.confidence ?? 0) < unsureBelow
