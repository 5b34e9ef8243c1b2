import { compiles } from '#server/lib/patterns.ts'
import type { FieldChange } from '#shared/fields/convert.ts'
import type { Field } from '#shared/fields/index.ts'
import { renamed } from '#shared/fields/portable.ts'
import { type FieldBody, type FieldSurroundings, readFields as read } from '#shared/fields/read-fields.ts'

type Surroundings = Omit<FieldSurroundings, 'compiles'>

/**
 * Reads fields with `readFields` of `shared/fields/read-fields.ts` and the server's regular expressions. Throws the
 * same errors.
 */
export const readFields = (bodies: FieldBody[], around: Surroundings): Field[] =>
  read(bodies, { ...around, compiles })

/**
 * Reads fields and assigns new `_id`s to all of them, also where settings refer to other fields by their old `_id`s.
 */
export function readCarriedFields(bodies: FieldBody[], around: Omit<Surroundings, 'existing'>): Field[] {
  const own = bodies.map(({ _id, ...body }) => body as FieldBody)
  const fields = readFields(own, { ...around, existing: [], carried: true })
  const ids = bodies.flatMap(({ _id }, index): [string, string][] => {
    const field = fields[index]
    return _id !== undefined && field ? [[_id, field._id]] : []
  })
  return renamed(fields, new Map(ids))
}

/**
 * Returns the current fields with the settings from before a change, but with their current uids and names. Removed
 * fields are inserted at their old positions. Fields added since stay.
 */
export function fieldsBefore(
  fields: Field[],
  { changes, positions }: { changes: Pick<FieldChange, 'from'>[]; positions: string[] },
): FieldBody[] {
  const old = new Map(changes.map(({ from }) => [from._id, from]))
  const result = fields.map((field): Field => {
    const { uid, name } = field
    const was = old.get(field._id)
    return was ? { ...was, uid, name } : field
  })
  for (const [index, _id] of positions.entries()) {
    const was = old.get(_id)
    if (!was || result.some((field) => field._id === _id)) continue
    const left = positions.slice(0, index)
    const place = result.findLastIndex((field) => left.includes(field._id))
    result.splice(place + 1, 0, was)
  }
  return result as FieldBody[]
}
