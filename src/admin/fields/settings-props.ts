import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Field, FieldTypeName } from '#shared/fields/index.ts'
import type { LookOf, Place } from './field-props.ts'

/** A field of one type while its settings are edited: a new one has no `_id` yet. */
export type SettingsOf<T extends FieldTypeName> = Omit<Extract<Field, { type: T }>, '_id'>

/** What the settings form of a type is given. Text that is no number yet passes as text: the check refuses it. */
export interface FieldSettingsProps<T extends FieldTypeName = FieldTypeName> {
  field: SettingsOf<T>
  onChange: (patch: Record<string, unknown>) => void
  /** A setting was left: time to say what is wrong with it. */
  onBlur: (property: string) => void
  /** What is wrong with a setting, as a sentence; null while nothing is, or it is too early to say. */
  problem: (property: string) => string | null
  readOnly: boolean
  /** The models of the app that a reference may point to. */
  models: readonly { uid: string; label: string }[]
  /** The fields beside it that are saved already. */
  siblings: readonly { _id: string; type: FieldTypeName; label: string }[]
  /** The custom types of the app, and where they are. */
  customTypes: readonly CustomType[]
  place: Place
  /** How fields of other types look, for types that are made of them. */
  lookOf: LookOf
}
