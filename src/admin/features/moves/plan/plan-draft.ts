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

export const correctionsOf = ({ app, models, customTypes, confirmed }: MovePlan): MoveCorrections => ({
  app,
  models,
  customTypes,
  ...(confirmed === undefined ? {} : { confirmed }),
})

/** The index of the choice that a field's settings match; -1 for none. */
export const choiceOf = ({ field, choices }: PlannedField): number =>
  choices.findIndex(({ settings }) =>
    Object.entries(settings).every(([key, value]) => isSameValue(field[key], value)),
  )

/** The field with the settings of a choice: its names stay, and switches that its values do not allow are off. */
export function choose(planned: PlannedField, { settings }: MoveTypeChoice): PlannedField {
  const { uid, name, required, unique } = planned.field
  const isFirst = settings === planned.choices[0]?.settings
  // Uniqueness was only checked for the first choice.
  return { ...planned, field: { uid, name, required, unique: isFirst ? unique : false, ...settings } }
}

/** A copy of the list with the item at `index` replaced. */
export const replaced = <T>(list: readonly T[], index: number, item: T): T[] =>
  list.map((old, at) => (at === index ? item : old))

export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, index) => index !== from)
  return [...rest.slice(0, to), ...list.slice(from, from + 1), ...rest.slice(to)]
}

/** Guesses with less confidence should be reviewed. */
const unsureBelow = 0.75

export const isUnsure = ({ choices }: PlannedField): boolean => (choices[0]?.confidence ?? 0) < unsureBelow
