import type { ComponentType } from 'react'
import type { Issue } from '#shared/errors.ts'
import type { Field, FieldTypeName } from '#shared/fields/index.ts'

/** The field of one type, with its settings. */
export type FieldOf<T extends FieldTypeName> = Extract<Field, { type: T }>

/** Where the document lives: space and app uid. References look for their targets there. */
export interface Place {
  p: string
  a: string
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
}

/** A value in a list of documents: one line. */
export interface FieldPreviewProps<T extends FieldTypeName = FieldTypeName> {
  field: FieldOf<T>
  value: unknown
  place: Place
}

/** An operator of the filter builder; `is…` take no value, `on` and `before` speak of days. */
export type FilterOperator =
  | 'match'
  | 'eq'
  | 'ne'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'on'
  | 'since'
  | 'before'
  | 'filled'
  | 'empty'

/** One type of field on the screen. A new type is a folder here and a line in `index.ts`. */
export interface AdminFieldType<T extends FieldTypeName> {
  input: ComponentType<FieldInputProps<T>>
  preview: ComponentType<FieldPreviewProps<T>>
  /** The input draws the field's name itself, beside the box. */
  labelInside?: boolean
  /** The label names a group of inputs, not one of them. */
  group?: (field: FieldOf<T>) => boolean
  /** May a list be sorted by it? */
  sortable: boolean
  operators: readonly FilterOperator[]
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
