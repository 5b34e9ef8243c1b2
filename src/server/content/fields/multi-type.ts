import { customTypeUidProblem } from '#shared/fields/custom-types.ts'
import { type Field, type FieldTypeName, fieldTypeNames, typeOf } from '#shared/fields/index.ts'
import type { ServerFieldType } from './field-type.ts'
import { isRecord, reason, type SeenValues } from './received.ts'

/** Values need no handling of their own: the declared type of each value handles its `data`. */
export const multiType: ServerFieldType<'MULTI_TYPE'> = {
  received: {
    take(value, { text, field, inside }) {
      if (!isOfOneOfTypes(value)) return null
      if (!field || !inside) return { input: value }
      const read = typeOf(field).nesting?.read(value, field)
      if (!read || 'code' in read) return null
      const [place] = read.places
      if (!place) return null
      const data = inside(place.field as Field, value.data, isRecord(text) ? text.data : undefined)
      return { input: { _id: value._id, type: value.type, data } }
    },
    inside(value, text) {
      const { type = '', data } = isOfOneOfTypes(value) ? value : {}
      return { kind: type, values: { data }, texts: isRecord(text) ? { data: text.data } : {} }
    },
    customTypes: (seen) =>
      kindsOf(seen).flatMap(({ kind, values }) => {
        const inside = isBuiltIn(kind) ? undefined : values?.inner('CUSTOM').get('')
        return inside ? [{ name: kind, inside }] : []
      }),
    likeness(seen) {
      const kinds = kindsOf(seen)
      const areKept = kinds.every(({ kind, values }) =>
        isBuiltIn(kind)
          ? values?.isKeptBy(kind) !== false
          : customTypeUidProblem(kind) === null && values?.isKeptBy('CUSTOM') === true,
      )
      return areKept ? { confidence: 0.97, why: reason('severalTypes', { types: kinds.length }) } : null
    },
    wrapped: (seen) =>
      kindsOf(seen).reduce((sum, { values }) => sum + (values?.isList ? values.singles : 0), 0),
    settings(seen, found) {
      const types: Record<string, unknown>[] = []
      for (const { kind, values } of kindsOf(seen)) {
        const type = isBuiltIn(kind) ? kind : 'CUSTOM'
        const settings = values && found.settingsOf(type, values)
        // Delivered values contain the name of their type. A custom type with another name is not usable.
        if (!settings || (type === 'CUSTOM' && settings.customType !== kind)) return []
        if (values.isList && !typeOf({ type: type as FieldTypeName }).canBeMultiple) return []
        types.push({ type, ...(values.isList ? { multiple: true } : {}), ...settings })
      }
      return [{ types }]
    },
  },
}

const isBuiltIn = (kind: string): boolean =>
  kind !== 'CUSTOM' && kind !== 'MULTI_TYPE' && (fieldTypeNames as string[]).includes(kind)

const kindsOf = (seen: SeenValues): { kind: string; values: SeenValues | undefined }[] =>
  [...seen.inner('MULTI_TYPE')].map(([kind, { keys }]) => ({ kind, values: keys.get('data') }))

/** Checks whether the value is `{_id, type, data}`, the delivered form of a value of a field with several types. */
export function isOfOneOfTypes(value: unknown): value is { _id: string; type: string; data: unknown } {
  if (!isRecord(value)) return false
  const [first, second, third, ...others] = Object.keys(value)
  return (
    first === '_id' &&
    second === 'type' &&
    third === 'data' &&
    others.length === 0 &&
    typeof value.type === 'string'
  )
}
