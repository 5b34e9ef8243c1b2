import { type Field, isMultiple, typeOf } from '#shared/fields/index.ts'
import { serverTypeOf } from '../fields/index.ts'
import { comparisonOf } from '../model.ts'
import type { InnerPart } from './nested.ts'

/** How the texts of a handle become JavaScript's, where they are worked on, and back. */
export interface TextCodec {
  decode(text: string): string
  encode(text: string): string
}

/** Writes a field's JSON from that of its stored value; undefined leaves its key out. */
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

/** The items of a stored value, also when the field held only one before. */
function items(json: string): string[] {
  if (!json.startsWith('[')) return [json]
  return (JSON.parse(json) as unknown[]).map((item) => JSON.stringify(item))
}

/** The value of a field that held several before is the first of them. */
function first(json: string): string {
  return json.startsWith('[') ? (items(json)[0] ?? '') : json
}

/** Is this value (of an array: its first one) of the field's type, and not left from one it had before? */
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

/** The JSON of a value that was never set; undefined where sites find no key then. */
function emptyText(field: Field): string | undefined {
  // A choice among numbers has no empty text.
  return comparisonOf(field) === 'number' ? 'null' : JSON.stringify(typeOf(field).empty)
}

/** What a stored text has to go through, if anything: JSON in, JSON out. */
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

/** The `_id`s in the JSON of a field of references or assets, in order; one at most of a single field. */
export function idsIn(field: Field, json: string | undefined): string[] {
  if (json === undefined) return []
  if (json.length === 26) return [json.slice(1, 25)]
  const ids = json.match(/[0-9a-f]{24}/g) ?? []
  return isMultiple(field) ? ids : ids.slice(0, 1)
}
