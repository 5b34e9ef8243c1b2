import { z } from 'zod'
import { checkbox } from './checkbox.ts'
import { date } from './date.ts'
import { commonFieldShape, type FieldType } from './field-type.ts'
import { markdown } from './markdown.ts'
import { number } from './number.ts'
import { reference } from './reference.ts'
import { richText } from './rich-text.ts'
import { select } from './select.ts'
import { text } from './text.ts'

/** Every field as it is kept and sent: common parts plus the settings of its type, and nothing else. */
export const fieldSchema = z.discriminatedUnion('type', [
  z.strictObject({ ...commonFieldShape, type: z.literal('TEXT'), ...text.settings }),
  z.strictObject({ ...commonFieldShape, type: z.literal('RICH_TEXT'), ...richText.settings }),
  z.strictObject({ ...commonFieldShape, type: z.literal('MARKDOWN'), ...markdown.settings }),
  z.strictObject({ ...commonFieldShape, type: z.literal('NUMBER'), ...number.settings }),
  z.strictObject({ ...commonFieldShape, type: z.literal('DATE'), ...date.settings }),
  z.strictObject({ ...commonFieldShape, type: z.literal('CHECKBOX'), ...checkbox.settings }),
  z.strictObject({ ...commonFieldShape, type: z.literal('SELECT'), ...select.settings }),
  z.strictObject({ ...commonFieldShape, type: z.literal('REFERENCE'), ...reference.settings }),
])
export type Field = z.infer<typeof fieldSchema>
export type FieldTypeName = Field['type']

/** A field as a person sends it: a new one has no `_id` yet, settings left out take their defaults. */
export type FieldInput = z.input<typeof fieldSchema>

/** All field types by their code. A new type is a file beside this one, a line here and a line in the union. */
export const fieldTypes: Record<FieldTypeName, FieldType<object, unknown>> = {
  TEXT: text,
  RICH_TEXT: richText,
  MARKDOWN: markdown,
  NUMBER: number,
  DATE: date,
  CHECKBOX: checkbox,
  SELECT: select,
  REFERENCE: reference,
}

export const fieldTypeNames = Object.keys(fieldTypes) as FieldTypeName[]

/** The descriptor of a field's type. */
export function typeOf(field: Pick<Field, 'type'>): FieldType<object, unknown> {
  return fieldTypes[field.type]
}

/** May several values stand in this field? The switch counts only where the type allows it. */
export function isMultiple(field: Field): boolean {
  return field.multiple && typeOf(field).canBeMultiple
}
