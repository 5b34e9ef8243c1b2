import type { Field, FieldTypeName } from '#shared/fields/index.ts'
import { checkbox } from './checkbox.ts'
import { color } from './color.ts'
import { custom } from './custom.ts'
import { date } from './date.ts'
import { embed } from './embed.ts'
import { emoji } from './emoji.ts'
import type { ServerFieldType } from './field-type.ts'
import { file } from './file.ts'
import { image } from './image.ts'
import { map } from './map.ts'
import { markdown } from './markdown.ts'
import { multiType } from './multi-type.ts'
import { number } from './number.ts'
import { reference } from './reference.ts'
import { richText } from './rich-text.ts'
import { select } from './select.ts'
import { text } from './text.ts'

const serverFieldTypes: { [T in FieldTypeName]: ServerFieldType<T> } = {
  TEXT: text,
  RICH_TEXT: richText,
  MARKDOWN: markdown,
  NUMBER: number,
  DATE: date,
  CHECKBOX: checkbox,
  SELECT: select,
  COLOR: color,
  EMOJI: emoji,
  MAP: map,
  EMBED: embed,
  IMAGE: image,
  FILE: file,
  REFERENCE: reference,
  CUSTOM: custom,
  MULTI_TYPE: multiType,
}

/** Returns the server's part of a field's type. The cast is safe because the type selects its own entry. */
export function serverTypeOf(field: Pick<Field, 'type'>): ServerFieldType {
  return serverFieldTypes[field.type] as ServerFieldType
}
