import type { ComponentType } from 'react'
import type { Field, FieldTypeName } from '#shared/fields/index.ts'
import { CheckboxFieldInput } from './checkbox/checkbox-input.tsx'
import { CheckboxPreview } from './checkbox/checkbox-preview.tsx'
import { DateInput } from './date/date-input.tsx'
import { DatePreview } from './date/date-preview.tsx'
import type { AdminFieldType, FieldInputProps, FieldPreviewProps } from './field-props.ts'
import { MarkdownInput } from './markdown/markdown-input.tsx'
import { NumberFieldInput } from './number/number-input.tsx'
import { NumberPreview } from './number/number-preview.tsx'
import { ReferenceInput } from './reference/reference-input.tsx'
import { ReferencePreview } from './reference/reference-preview.tsx'
import { RichTextInput } from './rich-text/rich-text-input.tsx'
import { RichTextPreview } from './rich-text/rich-text-preview.tsx'
import { SelectFieldInput } from './select/select-input.tsx'
import { SelectPreview } from './select/select-preview.tsx'
import { TextFieldInput } from './text/text-input.tsx'
import { TextPreview } from './text/text-preview.tsx'

/** All field types on the screen. Heavy inputs load themselves when they are first shown. */
export const adminFieldTypes: { [T in FieldTypeName]: AdminFieldType<T> } = {
  TEXT: {
    input: TextFieldInput,
    preview: TextPreview,
    group: (field) => field.multiple,
    sortable: true,
    operators: ['match', 'eq', 'ne', 'filled', 'empty'],
  },
  RICH_TEXT: {
    input: RichTextInput,
    preview: RichTextPreview,
    group: () => true,
    sortable: false,
    operators: ['match', 'filled', 'empty'],
  },
  MARKDOWN: {
    input: MarkdownInput,
    preview: TextPreview,
    group: () => true,
    sortable: false,
    operators: ['match', 'filled', 'empty'],
  },
  NUMBER: {
    input: NumberFieldInput,
    preview: NumberPreview,
    sortable: true,
    operators: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'filled', 'empty'],
  },
  DATE: {
    input: DateInput,
    preview: DatePreview,
    sortable: true,
    operators: ['on', 'since', 'before', 'filled', 'empty'],
  },
  CHECKBOX: {
    input: CheckboxFieldInput,
    preview: CheckboxPreview,
    labelInside: true,
    sortable: true,
    operators: ['eq'],
  },
  SELECT: {
    input: SelectFieldInput,
    preview: SelectPreview,
    group: (field) => field.inputType !== 'none',
    sortable: true,
    operators: ['eq', 'ne', 'filled', 'empty'],
  },
  REFERENCE: {
    input: ReferenceInput,
    preview: ReferencePreview,
    group: () => true,
    sortable: false,
    operators: ['eq', 'ne', 'filled', 'empty'],
  },
}

/** The parts of a field's type on the screen, for a field whose type is only known at run time. */
export interface AnyAdminFieldType extends Pick<AdminFieldType<FieldTypeName>, 'operators' | 'sortable'> {
  input: ComponentType<FieldInputProps>
  preview: ComponentType<FieldPreviewProps>
  labelInside: boolean
  group: boolean
}

/** How a field looks and behaves. The types of the table's entry and of the field belong together by its key. */
export function adminFieldType(field: Field): AnyAdminFieldType {
  const type = adminFieldTypes[field.type] as AdminFieldType<FieldTypeName>
  return {
    input: type.input as ComponentType<FieldInputProps>,
    preview: type.preview as ComponentType<FieldPreviewProps>,
    labelInside: type.labelInside ?? false,
    group: type.group?.(field) ?? false,
    sortable: type.sortable && !isMultipleField(field),
    operators: type.operators,
  }
}

/** As `isMultiple` of the shared descriptors, without loading them. */
export function isMultipleField(field: Field): boolean {
  return field.multiple && (field.type === 'TEXT' || field.type === 'SELECT' || field.type === 'REFERENCE')
}
