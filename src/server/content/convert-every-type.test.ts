import { expect, it } from 'vitest'
import {
  convertValue,
  convertValues,
  fieldChanges,
  fitValue,
  type LossReason,
  needsConversion,
} from '#shared/fields/convert.ts'
import { resolveFields } from '#shared/fields/custom-types.ts'
import { parseValues, type StoredValues } from '#shared/fields/document.ts'
import { type Field, fieldSchema, fieldTypeNames, typeOf } from '#shared/fields/index.ts'
import { readChanges, storeChanges } from '#shared/fields/stored-conversions.ts'
import { takeBack, valuesBefore } from '#shared/fields/take-back.ts'
import { valueSamples } from '#test/value-samples.ts'

/*
 * Converts every type to every type, at the top level and nested. Each result equals the conversion of the value
 * outside its document. Losses are reported, and undoing the change restores all values.
 */

const environment = { renderMarkdown: (source: string) => `<p>${source.replace(/[<&]/g, '')}</p>` }
const id = (n: number) => n.toString(16).padStart(24, '0')

type Loose = Record<string, unknown>
type Type = { _id: string; uid: string; fields: Field[] }
type TypeName = Field['type']

/** The custom type used by `CUSTOM` and `MULTI_TYPE` fields here. */
const leaf: Type = {
  _id: id(1),
  uid: 'LEAF',
  fields: [fieldSchema.parse({ _id: id(2), uid: 'word', name: 'w', type: 'TEXT' })],
}

const settings: Partial<Record<TypeName, Loose>> = {
  SELECT: { valueType: 'text', options: [{ value: '赤' }, { value: '青' }] },
  REFERENCE: { modelUid: 'person' },
  CUSTOM: { customType: leaf.uid },
  MULTI_TYPE: { types: [{ type: 'CUSTOM', customType: leaf.uid }, { type: 'TEXT' }] },
}
const nested = {
  CUSTOM: [{ word: '池' }, { word: '7' }],
  MULTI_TYPE: [
    { type: 'LEAF', data: { word: '池' } },
    { type: 'TEXT', data: '7' },
  ],
}
const samples: Record<TypeName, readonly unknown[]> = { ...valueSamples, ...nested }

const make = (type: TypeName, more: Loose = {}, at = 10): Field =>
  fieldSchema.parse({ _id: id(at), uid: `f${at}`, name: 'f', type, ...settings[type], ...more })
/** A neighbouring field that the conversion must not change. */
const beside = make('TEXT', {}, 11)

/** A position of a value: a model's fields with the tested field among them, and the values as sent. */
interface Place {
  fields(inner: Field): { bare: Field[]; types: Type[] }
  sent(inner: Loose): Loose
  /** Returns the values of the innermost object, by key. */
  open(values: StoredValues): Loose
  /** The path of the inner field in reported losses. */
  path: string
}

const custom = (fields: Field[], at = 20, uid = 'BOX'): Type => ({ _id: id(at), uid, fields })
const boxField = (more: Loose = {}, at = 21, uid = 'BOX') => make('CUSTOM', { customType: uid, ...more }, at)
const at = (values: unknown, ...keys: (string | number)[]): Loose => {
  let found = values as Loose
  for (const key of keys) found = (found?.[key] ?? {}) as Loose
  return found
}

const multiType = make('MULTI_TYPE', { multiple: true, types: [{ type: 'CUSTOM', customType: 'BOX' }] }, 31)
const places: Record<string, Place> = {
  single: {
    fields: (inner) => ({ bare: [inner, beside], types: [leaf] }),
    sent: (inner) => inner,
    open: (values) => values,
    path: 'f10',
  },
  'inside a custom type': {
    fields: (inner) => ({ bare: [boxField(), beside], types: [leaf, custom([inner, beside])] }),
    sent: (inner) => ({ f21: inner, f11: '外' }),
    open: (values) => at(values, id(21)),
    path: 'f21.f10',
  },
  'inside one of several custom types': {
    fields: (inner) => ({
      bare: [boxField({ multiple: true }), beside],
      types: [leaf, custom([inner, beside])],
    }),
    sent: (inner) => ({ f21: [{ f11: '前' }, inner], f11: '外' }),
    open: (values) => at(values, id(21), 1),
    path: 'f21.f10',
  },
  'inside a multi-type': {
    fields: (inner) => ({ bare: [multiType, beside], types: [leaf, custom([inner, beside])] }),
    sent: (inner) => ({ f31: [{ type: 'BOX', data: inner }], f11: '外' }),
    open: (values) => at(values, id(31), 0, 'data'),
    path: 'f31[BOX].data.f10',
  },
  'two levels deep': {
    fields: (inner) => ({
      bare: [multiType, beside],
      types: [leaf, custom([boxField({}, 41, 'INNER')]), custom([inner, beside], 42, 'INNER')],
    }),
    sent: (inner) => ({ f31: [{ type: 'BOX', data: { f41: inner } }], f11: '外' }),
    open: (values) => at(values, id(31), 0, 'data', id(41)),
    path: 'f31[BOX].data.f41.f10',
  },
}

/** Removes `_id`s, because items of a field that becomes multiple get new ones in every conversion. */
const withoutIds = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null), (key, inner) => (key === '_id' ? undefined : inner))

const isMany = (type: TypeName) => typeOf({ type }).canBeMultiple

/** Returns the combinations of single and multiple that both types allow. */
function* arities(from: TypeName, to: TypeName): Generator<[boolean, boolean]> {
  for (const before of isMany(from) ? [false, true] : [false])
    for (const after of isMany(to) ? [false, true] : [false]) yield [before, after]
}

interface Case {
  from: TypeName
  to: TypeName
  several: [boolean, boolean]
  value: unknown
}

function* cases(from: TypeName): Generator<Case> {
  for (const to of fieldTypeNames)
    for (const several of arities(from, to))
      for (const value of several[0] ? [samples[from].slice(0, 1), samples[from]] : samples[from])
        yield { from, to, several, value }
}

const resolve = ({ bare, types }: ReturnType<Place['fields']>) => resolveFields(bare, types)

function check(place: Place, { from, to, several, value }: Case): { told: number } {
  const [before, after] = [make(from, { multiple: several[0] }), make(to, { multiple: several[1] })]
  const [fields, next] = [resolve(place.fields(before)), resolve(place.fields(after))]
  const { values, issues } = parseValues({ fields, titleField: null }, place.sent({ f10: value, f11: '隣' }))
  expect(issues).toEqual([])
  const stored = place.open(values)[id(10)]
  expect(stored).toBeDefined()

  // The expected result is the conversion of the value outside its document.
  const [one, other] = [resolveFields([before], [leaf])[0], resolveFields([after], [leaf])[0]] as [
    Field,
    Field,
  ]
  const alone = needsConversion(one, other)
    ? convertValue(one, other, stored, environment)
    : { value: stored, lost: null }
  expect(withoutIds(fitValue(other, alone.value))).toEqual(withoutIds(alone.value))

  const changes = readChanges(JSON.parse(JSON.stringify(storeChanges(fieldChanges(fields, next)))))
  const told: [string, LossReason][] = []
  for (const change of changes) {
    const { lost } = convertValue(change.from, change.to, values[change.from._id], environment, (...loss) =>
      told.push(loss),
    )
    expect(lost !== null).toBe(told.length > 0)
  }
  expect(told.length > 0).toBe(alone.lost !== null)
  for (const [path] of told) expect(path.startsWith(place.path)).toBe(true)

  const converted = convertValues(values, changes, environment)
  expect(withoutIds(place.open(converted)[id(10)])).toEqual(withoutIds(alone.value))
  expect(place.open(converted)[id(11)]).toBe('隣')
  // All other values of the document are unchanged.
  expect(without(place, converted)).toEqual(without(place, values))

  const states = { draft: values, pub: null }
  const kept = valuesBefore(states, changes)
  if (changes.length === 0) expect(kept).toBeNull()
  else {
    const back = fieldChanges(next, fields)
    const untouched = kept ? { ...kept, isUntouched: true } : undefined
    const taken = takeBack({ draft: converted, pub: null }, untouched, { changes, back }, environment)
    // PostgreSQL decides the key order of jsonb, so the comparison ignores it.
    expect(taken.states).toStrictEqual(states)
  }
  return { told: told.length }
}

function without(place: Place, values: StoredValues): StoredValues {
  const copy = structuredClone(values)
  delete place.open(copy)[id(10)]
  return copy
}

const inOrder = fieldTypeNames.flatMap((from) => Object.keys(places).map((place) => [from, place] as const))
const seen = { changes: 0, told: 0 }

it.each(inOrder)(
  'a %s value converts to every type, and losses are reported (position: %s)',
  (from, name) => {
    const place = places[name] as Place
    for (const one of cases(from)) {
      const { told } = check(place, one)
      seen.changes++
      seen.told += told
    }
  },
)

it('the previous tests cover more than 5,000 conversions and 1,000 losses', () => {
  expect(seen.changes).toBeGreaterThan(5_000)
  expect(seen.told).toBeGreaterThan(1_000)
})
