import type { Field, FieldTypeName } from '#shared/fields/index.ts'
import { checkbox } from './checkbox/index.ts'
import { color } from './color/index.ts'
import { custom } from './custom/index.ts'
import { date } from './date/index.ts'
import { embed } from './embed/index.ts'
import { emoji } from './emoji/index.ts'
import type { AdminFieldType } from './field-props.ts'
import { file } from './file/index.ts'
import { image } from './image/index.ts'
import { map } from './map/index.ts'
import { markdown } from './markdown/index.ts'
import { multiType } from './multi-type/index.ts'
import { number } from './number/index.ts'
import { reference } from './reference/index.ts'
import { richText } from './rich-text/index.ts'
import { select } from './select/index.ts'
import { text } from './text/index.ts'

/** All field types, in the order of the palette. */
const adminFieldTypes: { [T in FieldTypeName]: AdminFieldType<T> } = {
  TEXT: text,
  RICH_TEXT: richText,
  MARKDOWN: markdown,
  IMAGE: image,
  FILE: file,
  NUMBER: number,
  DATE: date,
  CHECKBOX: checkbox,
  SELECT: select,
  COLOR: color,
  EMOJI: emoji,
  MAP: map,
  EMBED: embed,
  REFERENCE: reference,
  CUSTOM: custom,
  MULTI_TYPE: multiType,
}

export const paletteTypes = Object.keys(adminFieldTypes) as FieldTypeName[]

/**
 * Returns the admin side of a field whose type is only known at run time. The cast is safe because the entry is
 * selected by the field's own type.
 */
export function adminFieldType({ type }: { type: FieldTypeName }): AdminFieldType {
  return adminFieldTypes[type] as AdminFieldType
}

/**
 * Returns whether a field can contain several values. Equivalent to `isMultiple` of the shared descriptors, without
 * loading them.
 */
export function isMultipleField(field: Field): boolean {
  return field.multiple && adminFieldType(field).multiple === true
}
