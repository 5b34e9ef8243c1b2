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

/** Returns the index of the choice that a field's settings match. -1: no match. */
export const choiceOf = ({ field, choices }: PlannedField): number =>
  choices.findIndex(({ settings }) =>
    Object.entries(settings).every(([key, value]) => isSameValue(field[key], value)),
  )

/**
 * Returns the field with the settings of a choice. `uid`, `name` and `required` stay. `unique` stays only for the first
 * choice.
 */
export function choose(planned: PlannedField, { settings }: MoveTypeChoice): PlannedField {
  const { uid, name, required, unique } = planned.field
  const isFirst = settings === planned.choices[0]?.settings
  // The server checked uniqueness only for the first choice.
  return { ...planned, field: { uid, name, required, unique: isFirst ? unique : false, ...settings } }
}

/** Returns a copy of the list with the item at `index` replaced. */
export const replaced = <T>(list: readonly T[], index: number, item: T): T[] =>
  list.map((old, at) => (at === index ? item : old))

export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, index) => index !== from)
  return [...rest.slice(0, to), ...list.slice(from, from + 1), ...rest.slice(to)]
}

/** Minimum confidence of the first type choice. Fields below it should be reviewed. */
const unsureBelow = 0.75

export const isUnsure = ({ choices }: PlannedField): boolean => (choices[0]?.confidence ?? 0) < unsureBelow
