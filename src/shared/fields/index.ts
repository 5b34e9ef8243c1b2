import { z } from 'zod'
import { checkbox } from './checkbox.ts'
import { color } from './color.ts'
import { custom } from './custom.ts'
import { date } from './date.ts'
import { embed } from './embed.ts'
import { emoji } from './emoji.ts'
import { commonFieldShape, type FieldType } from './field-type.ts'
import { file } from './file.ts'
import { image } from './image.ts'
import { map } from './map.ts'
import { markdown } from './markdown.ts'
import { multiTypeOf } from './multi-type.ts'
import { number } from './number.ts'
import { reference } from './reference.ts'
import { richText } from './rich-text.ts'
import { select } from './select.ts'
import { text } from './text.ts'

/** The types allowed in fields of several types. A new type is a file next to this one and an entry here. */
const singleTypes = [
  text,
  richText,
  markdown,
  number,
  date,
  checkbox,
  select,
  color,
  emoji,
  map,
  embed,
  image,
  file,
  reference,
  custom,
] as const

const all = [...singleTypes, multiTypeOf(singleTypes)] as const

interface Shape {
  type: string
  settings: z.ZodRawShape
}
type SchemaOf<T extends Shape> = z.ZodObject<
  typeof commonFieldShape & { type: z.ZodLiteral<T['type']> } & T['settings'],
  z.core.$strict
>
type SchemasOf<T extends readonly Shape[]> = { [I in keyof T]: SchemaOf<T[I]> }

/** The schema of a stored or sent field: the common settings and the settings of its type. */
export const fieldSchema = z.discriminatedUnion(
  'type',
  all.map(({ type, settings }) =>
    z.strictObject({ ...commonFieldShape, type: z.literal(type), ...settings }),
  ) as unknown as SchemasOf<typeof all>,
)
export type Field = z.infer<typeof fieldSchema>
export type FieldTypeName = Field['type']

/** A field before it is parsed. Omitted settings take their defaults. */
export type FieldInput = z.input<typeof fieldSchema>

const fieldTypes = Object.fromEntries(all.map((type) => [type.type, type])) as unknown as Record<
  FieldTypeName,
  FieldType<object, unknown>
>

export const fieldTypeNames = Object.keys(fieldTypes) as FieldTypeName[]

/** Returns the descriptor of a field's type. */
export function typeOf(field: Pick<Field, 'type'>): FieldType<object, unknown> {
  return fieldTypes[field.type]
}

/** Returns whether the field contains several values. `multiple` is ignored if the type does not support it. */
export function isMultiple(field: Field): boolean {
  return field.multiple && typeOf(field).canBeMultiple
}
