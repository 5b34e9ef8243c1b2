import { typeOf } from '#shared/fields/index.ts'
import { carriedUidProblem } from '#shared/identifiers.ts'
import type { ServerFieldType } from './field-type.ts'
import { isOfOneOfTypes } from './multi-type.ts'
import { isRecord, reason, type SeenValues } from './received.ts'

/** Values need no handling of their own: the types of the inner fields handle the inner values. */
export const custom: ServerFieldType<'CUSTOM'> = {
  received: {
    take(value, { origin, text, field, inside }) {
      if (!isRecord(value) || origin.asset(value) || origin.document(value) || isOfOneOfTypes(value))
        return null
      const { _id, ...values } = value
      if (Object.keys(values).some((key) => carriedUidProblem('field', key))) return null
      if (!field || !inside) {
        // An object is not stored if all its values are empty.
        const isEmpty = Object.values(values).every(isNothing)
        const notes = _id === undefined ? [] : ['id']
        return { input: value, difference: isEmpty ? 'emptied' : undefined, notes }
      }
      const texts = isRecord(text) ? text : {}
      const input: Record<string, unknown> = field.multiple && _id !== undefined ? { _id } : {}
      for (const { name, field: inner } of typeOf(field).nesting?.open({}, field)?.places ?? [])
        if (Object.hasOwn(values, name))
          input[name] = inside(inner as typeof field, values[name], texts[name])
      return { input }
    },
    inside(value, text) {
      const { _id, ...values } = isRecord(value) ? value : {}
      return { kind: '', values, texts: isRecord(text) ? text : {} }
    },
    customTypes(seen) {
      const inside = insideOf(seen)
      return inside ? [{ name: null, inside }] : []
    },
    likeness(seen) {
      const inside = insideOf(seen)
      const fields = inside?.keys.size ?? 0
      if (inside?.refused) return null
      // Only items of a list store an `_id`. The `_id` of a single object would be lost.
      if (fields === 0 || (!seen.isList && seen.noted('CUSTOM', 'id') > 0)) return null
      return { confidence: 0.93, why: reason('objects', { fields }) }
    },
    settings(seen, found) {
      const inside = insideOf(seen)
      const customType = inside && found.uidOf(inside)
      return customType === undefined ? [] : [{ customType }]
    },
  },
}

const isNothing = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0)

const insideOf = (seen: SeenValues) => seen.inner('CUSTOM').get('')
