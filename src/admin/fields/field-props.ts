import type { Icon } from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Issue } from '#shared/errors.ts'
import type { Field, FieldTypeName } from '#shared/fields/index.ts'
import type { FilterOperator } from '#shared/views.ts'

/** The field of one type, with its settings. */
export type FieldOf<T extends FieldTypeName> = Extract<Field, { type: T }>

/** Where the document lives: space and app uid. References look for their targets there. */
export interface Place {
  p: string
  a: string
}

/** How fields of a type look. */
export type LookOf = (field: Pick<Field, 'type'>) => AdminFieldType

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

/**
 * What an input is given. `value` is the value as the API knows it (undefined when empty) or what a person has typed
 * so far; `onChange` takes the same. Label, description and messages are drawn around the input by `FieldFrame`.
 */
export interface FieldInputProps<T extends FieldTypeName = FieldTypeName> {
  field: FieldOf<T>
  value: unknown
  onChange: (value: unknown) => void
  /** The person has left the input: time to check it. */
  onBlur: () => void
  readOnly: boolean
  /** Broken rules, paths relative to the field: `''` or an item's index. */
  issues: readonly Issue[]
  /** For the element that a jump to the field puts the focus on. */
  id: string
  labelId: string
  describedBy: string | undefined
  place: Place
  /** How fields inside of the value look, for types whose values are made of inner values. */
  lookOf?: LookOf | undefined
}

/** A value in a list of documents: one line. */
export interface FieldPreviewProps<T extends FieldTypeName = FieldTypeName> {
  field: FieldOf<T>
  value: unknown
  place: Place
}

/** What a filter compares with: a text as queries write it, `''` while there is none. */
export interface FieldFilterProps<T extends FieldTypeName = FieldTypeName> {
  field: FieldOf<T>
  value: string
  onChange: (value: string) => void
  place: Place
}

/** A column's width in pixels; one that grows takes what is left over. */
export interface ListColumn {
  width: number
  grows: boolean
}

/** What a calendar knows of a field's values. */
export interface DayOfValue {
  /** The day a value falls on, `2026-11-21`; null: on none. */
  of(value: unknown): string | null
  /** The value on another day, at the same time. */
  on(value: unknown, day: string): unknown
}

/** One type of field on the screen. A new type is a folder here and a line in `index.ts`. */
export interface AdminFieldType<T extends FieldTypeName = FieldTypeName> {
  readonly icon: Icon

  // In a model.
  /** The form of the type's own settings. */
  readonly settings: ComponentType<FieldSettingsProps<T>>
  /** What `required` means of it, where that is not a value being there. */
  readonly requiredHint?: 'requiredCheckbox'
  /** The values that are offered, where there are only these. */
  choices?(field: FieldOf<T>): { value: string | number; label: string }[]
  /** Settings that are legal, but without which the field is of no use. */
  needed?(field: FieldOf<T>): string[]

  // In a document.
  readonly input: ComponentType<FieldInputProps<T>>
  /** The input is a whole editor: too much to download for a look. */
  readonly heavy?: boolean
  /** The input draws the field's name itself, beside the box. */
  readonly labelInside?: boolean
  /** The label names a group of inputs, not one of them. */
  group?(field: FieldOf<T>): boolean
  /** Several values may stand in it: as the shared descriptor says, which lists do not load. */
  readonly multiple?: boolean
  /** A text that one starts a document with, and copies from it. */
  readonly line?: boolean
  /** What a new document begins with. */
  initial?(field: FieldOf<T>): unknown
  /** The input itself says what is wrong with what lies in its value. */
  readonly showsInner?: boolean
  /** Two versions of a value as texts to be compared word by word; without it their previews stand side by side. */
  prose?(value: unknown, other: unknown): [string, string]
  /** uids of the models whose documents a value refers to. */
  targets?(field: FieldOf<T>): readonly string[]
  /** Titles of unpublished documents that a value refers to, but for `besides`: sites do not show them. */
  findDrafts?(
    field: FieldOf<T>,
    value: unknown,
    place: Place,
    besides: ReadonlySet<string>,
  ): Promise<string[]>

  /** The fields inside of a value; which of them depends on the value where it `isOneOf` several types. */
  inner?(
    field: FieldOf<T>,
    customTypes: readonly CustomType[],
  ): { fields: readonly Field[]; isOneOf: boolean }

  // In a list.
  readonly preview: ComponentType<FieldPreviewProps<T>>
  /** Without it a column is 160 wide and grows. */
  column?(field: FieldOf<T>): ListColumn
  /** Can a value be changed where it stands in a list? */
  inCell?(field: FieldOf<T>): boolean
  /** May a list be sorted by it? */
  readonly sortable: boolean
  operators(field: FieldOf<T>): readonly FilterOperator[]
  /** Chooses what a filter compares with; without it, a text is typed. */
  readonly filter?: ComponentType<FieldFilterProps<T>>
  /** _id of the asset that stands for a value in a gallery, if values can be pictures. */
  cover?(field: FieldOf<T>, value: unknown): string | undefined
  /** For calendars; null for a field that speaks of no days. */
  day?(field: FieldOf<T>): DayOfValue | null
  /** Are its days those of UTC? Else they are days in the space. */
  daysInUtc?(field: FieldOf<T>): boolean
}

/** Is something wrong with the field as a whole or with this item? */
export function hasIssue(issues: readonly Issue[], item?: number): boolean {
  return issues.some((issue) => (item === undefined ? true : issue.path === String(item)))
}

/**
 * What ties one of Mantine's inputs to its label, description and messages. Those inputs set `aria-describedby` from
 * their own wrapper, which is not used here; only the attributes of their inner element come after that.
 */
export function inputAria(props: Pick<FieldInputProps, 'id' | 'describedBy' | 'issues' | 'field'>) {
  return {
    id: props.id,
    attributes: {
      input: {
        'aria-describedby': props.describedBy,
        'aria-required': props.field.required || undefined,
      },
    },
  }
}
