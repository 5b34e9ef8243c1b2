import type { Icon } from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Issue } from '#shared/errors.ts'
import type { Field, FieldTypeName } from '#shared/fields/index.ts'
import type { FilterOperator } from '#shared/views.ts'

export type FieldOf<T extends FieldTypeName> = Extract<Field, { type: T }>

/** The space and app of the document, by uid. */
export interface Place {
  p: string
  a: string
}

/** Returns the admin side of a field type. */
export type LookOf = (field: Pick<Field, 'type'>) => AdminFieldType

/** A field of one type while its settings are edited. A new field has no `_id` yet. */
export type SettingsOf<T extends FieldTypeName> = Omit<Extract<Field, { type: T }>, '_id'>

/** The props of a type's settings form. A number setting that cannot be read as a number is passed as text. */
export interface FieldSettingsProps<T extends FieldTypeName = FieldTypeName> {
  field: SettingsOf<T>
  onChange: (patch: Record<string, unknown>) => void
  /** Called when a setting loses the focus, so that its problems are shown. */
  onBlur: (property: string) => void
  /** Returns the message for a setting; null if there is no problem or the problem should not be shown yet. */
  problem: (property: string) => string | null
  readOnly: boolean
  /** The models of the app that a reference may point to. */
  models: readonly { uid: string; label: string }[]
  /** The other fields of the model that are already saved. */
  siblings: readonly { _id: string; type: FieldTypeName; label: string }[]
  customTypes: readonly CustomType[]
  place: Place
  /** The admin side of other field types, for types that contain them. */
  lookOf: LookOf
}

/**
 * The props of an input. `value` is the value as in the API (undefined when empty) or the text typed so far. `onChange`
 * accepts the same kinds of values. `FieldFrame` renders label, description and messages around the input.
 */
export interface FieldInputProps<T extends FieldTypeName = FieldTypeName> {
  field: FieldOf<T>
  value: unknown
  onChange: (value: unknown) => void
  onBlur: () => void
  readOnly: boolean
  /**
   * Issues with paths relative to the field: `''` for the whole field, an item's index, or a path inside the value
   * (`0.data.title`).
   */
  issues: readonly Issue[]
  /** The id of the element that a jump to the field focuses. */
  id: string
  labelId: string
  describedBy: string | undefined
  place: Place
  /** The admin side of inner fields. */
  lookOf?: LookOf | undefined
}

/** The props of a value that is shown in one line, for example in a list of documents. */
export interface FieldPreviewProps<T extends FieldTypeName = FieldTypeName> {
  field: FieldOf<T>
  value: unknown
  place: Place
}

/** The props of a filter. `value` is the text as in queries; `''`: no filter. */
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
  /** Returns the day of a value, such as `2026-11-21`; null if the value has none. */
  of(value: unknown): string | null
  /** Returns the value moved to another day, at the same time of day. */
  on(value: unknown, day: string): unknown
}

/** The admin side of a field type. */
export interface AdminFieldType<T extends FieldTypeName = FieldTypeName> {
  readonly icon: Icon

  // Used in a model:
  readonly settings: ComponentType<FieldSettingsProps<T>>
  /** Key of the help text for `required`, if it does not simply mean that a value is present. */
  readonly requiredHint?: 'requiredCheckbox'
  /** Returns the values to choose from, if the type has a fixed set. */
  choices?(field: FieldOf<T>): { value: string | number; label: string }[]
  /** Returns the names of settings that are empty, although the field is of no use without them. */
  needed?(field: FieldOf<T>): string[]

  // Used in a document:
  readonly input: ComponentType<FieldInputProps<T>>
  /** Whether the input is large to download, so that settings of fields do not render it. */
  readonly heavy?: boolean
  /** Whether the input renders the field's name itself, next to its checkbox. */
  readonly labelInside?: boolean
  /** Whether the label belongs to a group of inputs instead of a single input. */
  group?(field: FieldOf<T>): boolean
  /** Whether a field can contain several values. Repeats the shared descriptor, which lists do not load. */
  readonly multiple?: boolean
  /**
   * Whether values are plain text. If the first field is of such a type, a new document starts with the focus in it. If
   * the field `slug` is of such a type, the document page has a button to copy the slug.
   */
  readonly line?: boolean
  initial?(field: FieldOf<T>): unknown
  /** Whether the input itself shows the issues inside its value. */
  readonly showsInner?: boolean
  /**
   * Returns two versions of a value as texts for a word diff. Without this function, the previews of both versions are
   * shown side by side.
   */
  prose?(value: unknown, other: unknown): [string, string]
  /** Returns the uids of the models to whose documents a value of the field may refer. */
  targets?(field: FieldOf<T>): readonly string[]
  /** Returns the titles of unpublished documents that a value refers to, except those in `besides`. */
  findDrafts?(
    field: FieldOf<T>,
    value: unknown,
    place: Place,
    besides: ReadonlySet<string>,
  ): Promise<string[]>

  /** Returns the fields inside a value. `isOneOf`: the value decides which of several types applies. */
  inner?(
    field: FieldOf<T>,
    customTypes: readonly CustomType[],
  ): { fields: readonly Field[]; isOneOf: boolean }

  // Used in a list:
  readonly preview: ComponentType<FieldPreviewProps<T>>
  /** Returns the column's width in px and whether the column grows. Default: 160, grows. */
  column?(field: FieldOf<T>): ListColumn
  /** Returns whether a value can be edited in the list. */
  inCell?(field: FieldOf<T>): boolean
  readonly sortable: boolean
  operators(field: FieldOf<T>): readonly FilterOperator[]
  /** The input of the filter's value; a text input by default. */
  readonly filter?: ComponentType<FieldFilterProps<T>>
  /** Returns the `_id` of the asset that represents a value in a gallery; undefined if there is none. */
  cover?(field: FieldOf<T>, value: unknown): string | undefined
  /** Returns how calendars map values to days; null for a field without days. */
  day?(field: FieldOf<T>): DayOfValue | null
  /** Returns whether the days are in UTC. Otherwise, and by default, they are in the space's time zone. */
  daysInUtc?(field: FieldOf<T>): boolean
}

/** Returns whether there is an issue with the field or, if `item` is passed, with this item. */
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
