import { type Field, isMultiple, typeOf } from '#shared/fields/index.ts'
import { serverTypeOf } from '../fields/index.ts'
import { comparisonOf } from '../model.ts'
import type { InnerPart } from './nested.ts'

/** Converts the texts of a handle to JavaScript strings for processing, and back. */
export interface TextCodec {
  decode(text: string): string
  encode(text: string): string
}

/** Returns a function that converts the JSON of a stored value to delivered JSON; undefined omits the key. */
export function valueWriter(field: Field): (json: string | undefined) => string | undefined {
  const { sent } = serverTypeOf(field)
  const one = (json: string) => (isOfType(field, json) ? (sent?.(json) ?? json) : '')
  if (isMultiple(field))
    return (json) => {
      if (json === undefined) return '[]'
      if (!sent && json.startsWith('[') && isOfType(field, json, 1)) return json
      return `[${items(json).map(one).filter(Boolean).join(',')}]`
    }
  const empty = emptyText(field)
  return (json) => (json === undefined ? empty : one(first(json)) || empty)
}

/** Returns the items of a stored value. A value from before the field became multiple is one item. */
function items(json: string): string[] {
  if (!json.startsWith('[')) return [json]
  return (JSON.parse(json) as unknown[]).map((item) => JSON.stringify(item))
}

/** Returns the first item, for a single field that was multiple before. */
function first(json: string): string {
  return json.startsWith('[') ? (items(json)[0] ?? '') : json
}

/**
 * Checks whether this value (for an array: its first item) has the field's current type, rather than a previous one.
 */
function isOfType(field: Field, json: string, at = 0): boolean {
  const start = json.charAt(at)
  switch (comparisonOf(field)) {
    case 'number':
      return start === '-' || (start >= '0' && start <= '9')
    case 'boolean':
      return start === 't' || start === 'f'
    case 'none':
      return start === '{'
    default:
      return start === '"'
  }
}

/** Returns the JSON of a value that was never set; undefined if the key is omitted. */
function emptyText(field: Field): string | undefined {
  // A select field with numbers has no empty text.
  return comparisonOf(field) === 'number' ? 'null' : JSON.stringify(typeOf(field).empty)
}

/** Returns the conversion from stored JSON to delivered JSON; undefined if values of the field need no conversion. */
export function converterOf(field: Field, asText: boolean, codec: TextCodec): InnerPart<unknown>['convert'] {
  const convert = serverTypeOf(field).present?.[asText ? 'text' : 'html']
  if (!convert) return undefined
  const write = (text: string) => JSON.stringify(codec.encode(text))
  return (json) => {
    const item = first(json)
    if (!isOfType(field, item)) return emptyText(field) ?? 'null'
    const text = convert(codec.decode(JSON.parse(item)))
    return typeof text === 'string' ? write(text) : text.then(write)
  }
}

/** Returns the `_id`s in the JSON of a reference or asset field, in order; at most one for a single field. */
export function idsIn(field: Field, json: string | undefined): string[] {
  if (json === undefined) return []
  if (json.length === 26) return [json.slice(1, 25)]
  const ids = json.match(/[0-9a-f]{24}/g) ?? []
  return isMultiple(field) ? ids : ids.slice(0, 1)
}
