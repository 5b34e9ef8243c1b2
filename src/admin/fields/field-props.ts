import type { Icon } from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Issue } from '#shared/errors.ts'
import type { Field, FieldTypeName } from '#shared/fields/index.ts'
import type { FilterOperator } from '#shared/views.ts'

/** A field of one type, with its settings. */
export type FieldOf<T extends FieldTypeName> = Extract<Field, { type: T }>

/** The space and app of the document, by uid. References look up their targets there. */
export interface Place {
  p: string
  a: string
}

/** Looks up the admin side of a field type. */
export type LookOf = (field: Pick<Field, 'type'>) => AdminFieldType

/** A field of one type while its settings are edited; a new one has no `_id` yet. */
export type SettingsOf<T extends FieldTypeName> = Omit<Extract<Field, { type: T }>, '_id'>

/** The props of a type's settings form. Text that is not yet a number is passed as text and refused by the check. */
export interface FieldSettingsProps<T extends FieldTypeName = FieldTypeName> {
  field: SettingsOf<T>
  onChange: (patch: Record<string, unknown>) => void
  /** Called when a setting loses the focus, to show its problems. */
  onBlur: (property: string) => void
  /** The message for a setting; null if there is none or it is not to be shown yet. */
  problem: (property: string) => string | null
  readOnly: boolean
  /** The models of the app that a reference may point to. */
  models: readonly { uid: string; label: string }[]
  /** The other fields of the model that are saved already. */
  siblings: readonly { _id: string; type: FieldTypeName; label: string }[]
  /** The custom types of the app, and their space and app. */
  customTypes: readonly CustomType[]
  place: Place
  /** The admin side of other field types, for types that contain them. */
  lookOf: LookOf
}

/**
 * The props of an input. `value` is the value as in the API (undefined when empty) or the text typed so far; `onChange`
 * takes the same. `FieldFrame` renders label, description and messages around the input.
 */
export interface FieldInputProps<T extends FieldTypeName = FieldTypeName> {
  field: FieldOf<T>
  value: unknown
  onChange: (value: unknown) => void
  /** Called when the input loses the focus, to validate it. */
  onBlur: () => void
  readOnly: boolean
  /** Issues with paths relative to the field: `''` or an item's index. */
  issues: readonly Issue[]
  /** The id of the element that a jump to the field focuses. */
  id: string
  labelId: string
  describedBy: string | undefined
  place: Place
  /** The admin side of inner fields, for types whose values contain other values. */
  lookOf?: LookOf | undefined
}

/** The props of a value in a list of documents, shown in one line. */
export interface FieldPreviewProps<T extends FieldTypeName = FieldTypeName> {
  field: FieldOf<T>
  value: unknown
  place: Place
}

/** The props of a filter. `value` is the text as in queries, `''` for none. */
export interface FieldFilterProps<T extends FieldTypeName = FieldTypeName> {
  field: FieldOf<T>
  value: string
  onChange: (value: string) => void
  place: Place
}

/** A column's width in pixels; `grows` columns share the remaining width. */
export interface ListColumn {
  width: number
  grows: boolean
}

/** Maps a field's values to days, for calendars. */
export interface DayOfValue {
  /** The day of a value, `2026-11-21`; null: none. */
  of(value: unknown): string | null
  /** The value moved to another day, at the same time. */
  on(value: unknown, day: string): unknown
}

/** The admin side of a field type. A new type is a folder here and a line in `index.ts`. */
export interface AdminFieldType<T extends FieldTypeName = FieldTypeName> {
  readonly icon: Icon

  // In a model.
  /** The form of the type's own settings. */
  readonly settings: ComponentType<FieldSettingsProps<T>>
  /** The hint for `required`, if it does not simply mean that a value is present. */
  readonly requiredHint?: 'requiredCheckbox'
  /** The values to choose from, if the type has a fixed set. */
  choices?(field: FieldOf<T>): { value: string | number; label: string }[]
  /** Settings that may be empty but without which the field is of no use. */
  needed?(field: FieldOf<T>): string[]

  // In a document.
  readonly input: ComponentType<FieldInputProps<T>>
  /** The input is a large editor, too big to download for a preview. */
  readonly heavy?: boolean
  /** The input renders the field's name itself, beside the box. */
  readonly labelInside?: boolean
  /** The label belongs to a group of inputs, not to one of them. */
  group?(field: FieldOf<T>): boolean
  /** Can hold several values. Repeats the shared descriptor, which lists do not load. */
  readonly multiple?: boolean
  /**
   * A plain text. A new document starts with the focus in its first field if it is one, and a slug of this type can be
   * copied.
   */
  readonly line?: boolean
  /** The initial value in a new document. */
  initial?(field: FieldOf<T>): unknown
  /** The input shows the issues inside of its value itself. */
  readonly showsInner?: boolean
  /** Two versions of a value as texts for a word diff; without it their previews are shown side by side. */
  prose?(value: unknown, other: unknown): [string, string]
  /** uids of the models whose documents a value refers to. */
  targets?(field: FieldOf<T>): readonly string[]
  /** Titles of unpublished documents that a value refers to, except those in `besides`: sites do not show them. */
  findDrafts?(
    field: FieldOf<T>,
    value: unknown,
    place: Place,
    besides: ReadonlySet<string>,
  ): Promise<string[]>

  /** The fields inside of a value; `isOneOf` means that the value decides which of several types applies. */
  inner?(
    field: FieldOf<T>,
    customTypes: readonly CustomType[],
  ): { fields: readonly Field[]; isOneOf: boolean }

  // In a list.
  readonly preview: ComponentType<FieldPreviewProps<T>>
  /** Defaults to a width of 160 that grows. */
  column?(field: FieldOf<T>): ListColumn
  /** Whether a value can be edited in the list. */
  inCell?(field: FieldOf<T>): boolean
  /** Whether lists can be sorted by it. */
  readonly sortable: boolean
  operators(field: FieldOf<T>): readonly FilterOperator[]
  /** The input of the filter's value; by default a text input. */
  readonly filter?: ComponentType<FieldFilterProps<T>>
  /** _id of the asset that represents a value in a gallery, if values can be pictures. */
  cover?(field: FieldOf<T>, value: unknown): string | undefined
  /** For calendars; null for a field without days. */
  day?(field: FieldOf<T>): DayOfValue | null
  /** Whether its days are in UTC; otherwise in the space's time zone. */
  daysInUtc?(field: FieldOf<T>): boolean
}

/** Whether there is an issue with the field or, given `item`, with this item. */
export function hasIssue(issues: readonly Issue[], item?: number): boolean {
  return issues.some((issue) => (item === undefined ? true : issue.path === String(item)))
}

/**
 * Connects a Mantine input to its label, description and messages. Mantine takes `aria-describedby` from its own
 * wrapper, which is not used here; only `attributes` of the inner element override it.
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
