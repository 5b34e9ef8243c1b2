import { isDeepStrictEqual } from 'node:util'
import { expect, it } from 'vitest'
import {
  convertValue,
  convertValues,
  type FieldChange,
  fieldChanges,
  type LossReason,
} from '#shared/fields/convert.ts'
import { resolveFields } from '#shared/fields/custom-types.ts'
import { parseValues, type StoredValues } from '#shared/fields/document.ts'
import { type Field, fieldSchema, isMultiple, typeOf } from '#shared/fields/index.ts'
import { readChanges, storeChanges } from '#shared/fields/stored-conversions.ts'
import { type Kept, type States, takeBack, valuesBefore } from '#shared/fields/take-back.ts'
import { lengthOf } from '#test/full-length.ts'
import { plainTypes, valueSamples } from '#test/value-samples.ts'

const runs = lengthOf(500, 10_000)
const seed = Number(process.env.IMORI_TEST_SEED ?? Math.floor(Math.random() * 1e9))

let state = seed
const random = (below: number) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * below)
}
const pick = <T>(items: readonly T[]) => items[random(items.length)] as T
let ids = 0
const id = () => (++ids).toString(16).padStart(24, '0')

const environment = { renderMarkdown: (source: string) => `<p>${source.replace(/[<&]/g, '')}</p>` }

/** Returns random settings of a type. Values may not fit after these settings change. */
function settingsOf(type: string): object {
  if (type === 'SELECT') return { valueType: 'text', options: [{ value: '赤' }, { value: '青' }] }
  return type === 'REFERENCE' ? { modelUid: pick(['person', 'shop']) } : {}
}

interface Type {
  _id: string
  uid: string
  fields: Field[]
}

function plainField(_id = id()): Field {
  const type = pick(plainTypes)
  const multiple = typeOf({ type }).canBeMultiple && random(3) === 0
  return fieldSchema.parse({ _id, uid: `f${_id.slice(-4)}`, name: 'f', type, multiple, ...settingsOf(type) })
}

function nestedField(types: Type[], _id = id()): Field {
  const common = { _id, uid: `n${_id.slice(-4)}`, name: 'n', multiple: random(2) === 0 }
  const customType = pick(types).uid
  if (random(2) === 0) return fieldSchema.parse({ ...common, type: 'CUSTOM', customType })
  const plain = plainTypes.filter((type) => type !== 'SELECT' && type !== 'REFERENCE')
  const others = [pick(plain), pick(plain)].map((type) => ({ type }))
  const allowed = [
    { type: 'CUSTOM', customType },
    ...new Map(others.map((one) => [one.type, one])).values(),
  ].slice(0, 1 + random(3))
  return fieldSchema.parse({ ...common, type: 'MULTI_TYPE', types: allowed })
}

function sent(field: Field): unknown {
  const one = (): unknown => {
    if (field.type === 'CUSTOM') return inside(resolvedFields(field))
    if (field.type === 'MULTI_TYPE') {
      const allowed = pick(field.types as { type: string; customType?: string }[])
      const name = allowed.customType ?? allowed.type
      const data = allowed.customType
        ? inside(resolvedFields({ ...allowed } as unknown as Field))
        : pick(samplesOf(allowed.type))
      return { type: name, data }
    }
    return pick(samplesOf(field.type))
  }
  if (random(6) === 0) return undefined
  return isMultiple(field) ? Array.from({ length: random(3) }, one) : one()
}
const samplesOf = (type: string) => valueSamples[type as keyof typeof valueSamples]
let types: Type[] = []
const resolvedFields = (field: Field) =>
  types.find(({ uid }) => uid === (field as unknown as { customType: string }).customType)?.fields ?? []
const inside = (fields: Field[]) =>
  Object.fromEntries(
    fields.map((field) => [field.uid, sent(field)]).filter(([, value]) => value !== undefined),
  )

const read = (fields: Field[]): StoredValues => {
  const { values, issues } = parseValues({ fields, titleField: null }, inside(fields))
  expect(issues).toEqual([])
  return values
}

/** Returns changed fields of a model: some are removed, some have another type, some have different custom types. */
function changed(fields: Field[], canNest = true): Field[] {
  return fields.flatMap((field): Field[] => {
    const choice = random(4)
    if (choice === 0) return []
    if (choice === 1) return [field]
    return [canNest && random(3) === 0 ? nestedField(types, field._id) : plainField(field._id)]
  })
}

/** Checks whether a value is a MAP value, which counts as one value and becomes one text. */
const isPlace = (value: unknown) => typeof value === 'object' && value !== null && 'lat' in value

/** Returns all texts, numbers, booleans and MAP values in a value at any depth, without `_id`s of items. */
function leaves(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(leaves)
  if (isPlace(value)) return [value]
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => (key === '_id' ? [] : leaves(inner)))
  return value === undefined ? [] : [value]
}

it(
  `random changes that report no loss do not reduce the number of values, and an undo restores values (seed ${seed}, ${runs} runs)`,
  () => {
    let restored = 0
    let told = 0
    for (let run = 0; run < runs; run++) {
      const inner: Type = { _id: id(), uid: 't1', fields: [plainField(), plainField()] }
      // The types have two levels of nesting.
      types = [inner, { _id: id(), uid: 't2', fields: [plainField(), nestedField([inner])] }]
      const bare = [plainField(), plainField(), nestedField(types), nestedField(types)]
      const before = resolveFields(bare, types)
      const [draft, pub] = [random(3) === 0 ? null : read(before), random(2) === 0 ? null : read(before)]
      const original: States = { draft: draft ?? (pub ? null : read(before)), pub }

      if (random(2) === 0) types = types.map((type) => ({ ...type, fields: changed(type.fields, false) }))
      const after = resolveFields(changed(bare), types)
      // The changes are stored and read again.
      const kept = JSON.parse(JSON.stringify(storeChanges(fieldChanges(before, after))))
      const changes: FieldChange[] = readChanges(kept)
      expect(changes).toEqual(fieldChanges(before, after))

      const follow = (values: StoredValues | null) => values && convertValues(values, changes, environment)
      const now: States = { draft: follow(original.draft), pub: follow(original.pub) }

      for (const values of [original.draft, original.pub]) {
        for (const { from, to } of changes) {
          const losses: [string, LossReason][] = []
          const value = values?.[from._id]
          const result = convertValue(from, to, value, environment, (path, reason) =>
            losses.push([path, reason]),
          )
          // Losses are reported exactly when they occur.
          expect(losses.length > 0).toBe(result.lost !== null)
          for (const [path] of losses) expect(path.startsWith(from.uid)).toBe(true)
          if (losses.length === 0)
            expect(leaves(result.value).length).toBeGreaterThanOrEqual(leaves(value).length)
          told += losses.length
        }
        for (const [_id, value] of Object.entries(values ?? {}))
          if (!changes.some(({ from }) => from._id === _id))
            expect((values === original.draft ? now.draft : now.pub)?.[_id]).toBe(value)
      }

      const back = fieldChanges(after, before)
      const held = valuesBefore(original, changes)
      const untouched: Kept | undefined = (held && { ...held, isUntouched: true }) || undefined
      // A draft that became equal to the published state is dropped.
      const merged = now.pub && isDeepStrictEqual(now.draft, now.pub) ? { ...now, draft: null } : now
      const same = takeBack(merged, untouched, { changes, back }, environment)
      if (held) {
        const collapsed = original.pub && isDeepStrictEqual(original.draft, original.pub)
        expect(same.states).toEqual(collapsed ? { ...original, draft: same.states.draft } : original)
        expect([Object.keys(same.open.draft ?? {}), Object.keys(same.open.pub ?? {})]).toEqual([[], []])
        restored++
      }

      // The document was edited after the change. The edit is kept as far as possible, and everything else is restored.
      if (!held || after.length === 0) continue
      const edited = pick(after)
      const written = read([edited])[edited._id]
      if (written === undefined) continue
      const current: StoredValues = { ...(now.draft ?? now.pub), [edited._id]: written }
      const touched = takeBack(
        { draft: current, pub: now.pub },
        { ...held, isUntouched: false },
        { changes, back },
        environment,
      )
      const whole = original.draft ?? original.pub ?? {}
      for (const { _id } of before) {
        const change = changes.find(({ from }) => from._id === _id)
        const way = back.find(({ from }) => from._id === _id)
        const got = touched.states.draft?.[_id]
        const open = touched.open.draft?.[_id]
        if (_id !== edited._id) {
          if (change && open === undefined) expect(got).toEqual(whole[_id])
          continue
        }
        // A field that was only widened may contain values that the original field does not accept.
        if (!change) expect(open).toEqual(way && written)
        if (!change && !way) expect(got).toEqual(written)
        if (way && open !== undefined) {
          const value = convertValue(way.from, way.to, written, environment).value
          expect(stripIds(got)).toEqual(stripIds(value))
        }
      }
    }
    expect(restored).toBeGreaterThan(runs / 3)
    expect(told).toBeGreaterThan(runs / 3)
  },
  30_000 + 30 * runs,
)

/** Removes `_id`s, because items of a field that becomes multiple get new ones in every conversion. */
const stripIds = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null), (key, inner) => (key === '_id' ? undefined : inner))
