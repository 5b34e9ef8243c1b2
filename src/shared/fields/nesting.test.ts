import { describe, expect, it } from 'vitest'
import { countCharacters } from './characters.ts'
import { convertValue, fitValue, needsConversion } from './convert.ts'
import { type CustomType, nestingIssues, resolveFields, uses } from './custom-types.ts'
import { checkValues, parseValues, type ValueModel, valuesByUid } from './document.ts'
import { type Field, fieldSchema, isMultiple, typeOf } from './index.ts'
import { mergeValues } from './merge.ts'
import { customTypesIn, refersTo, repoint, repointCustomType } from './references.ts'
import { isSameValue } from './same-value.ts'
import { allFields, isItem, mapValue, type StoredValues, walk } from './walk.ts'

const id = (n: number) => n.toString(16).padStart(24, '0')
let fields = 0
const field = (uid: string, type: string, more: object = {}): Field =>
  fieldSchema.parse({ _id: id(1000 + ++fields), uid, name: uid, type, ...more })

const types: CustomType[] = [
  {
    _id: id(1),
    uid: 'Q&A',
    fields: [
      field('question', 'TEXT', { required: true }),
      field('tags', 'TEXT', { multiple: true }),
      field('by', 'REFERENCE', { modelUid: 'person' }),
      field('n', 'NUMBER'),
    ],
  },
  {
    _id: id(2),
    uid: 'hero',
    fields: [
      field('title', 'TEXT'),
      field('faq', 'CUSTOM', { customType: 'Q&A', multiple: true }),
      field('one', 'CUSTOM', { customType: 'Q&A' }),
    ],
  },
]
const allowed = [
  { type: 'TEXT' },
  { type: 'NUMBER' },
  { type: 'CUSTOM', customType: 'hero' },
  { type: 'REFERENCE', modelUid: 'person' },
]
const stored: Field[] = [
  field('title', 'TEXT'),
  field('sections', 'MULTI_TYPE', { multiple: true, types: allowed }),
  field('lead', 'MULTI_TYPE', { types: allowed }),
  field('hero', 'CUSTOM', { customType: 'hero' }),
]
const model: ValueModel = { fields: resolveFields(stored, types), titleField: null }

function generator(seed: number) {
  let state = seed
  return (n: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
}
type Random = (n: number) => number

/** Returns a random value of any field as a client sends it; sometimes `undefined`. */
function sent(at: Field, random: Random, depth = 0): unknown {
  if (random(4) === 0) return undefined
  if (!isMultiple(at)) return one(at, random, depth)
  const items = Array.from({ length: random(4) }, () => one(at, random, depth))
  return items.length > 0 ? items : undefined
}

let ids = 0
function one(at: Field, random: Random, depth: number): unknown {
  switch (at.type) {
    case 'CUSTOM': {
      const type = types.find(({ uid }) => uid === at.customType)
      const item: Record<string, unknown> = isMultiple(at) ? { _id: id(++ids) } : {}
      for (const inner of type?.fields ?? []) {
        const value = sent(inner, random, depth + 1)
        if (value !== undefined) item[inner.uid] = value
      }
      if (Object.keys(item).length === 0) item[type?.uid === 'hero' ? 'title' : 'question'] = 'x'
      return item
    }
    case 'MULTI_TYPE': {
      const chosen = at.types[random(at.types.length)] as (typeof allowed)[number]
      const inner = { ...chosen, multiple: false, uid: 'data', _id: '' } as unknown as Field
      const data = sent(inner, random, depth + 1)
      const type = chosen.customType ?? chosen.type
      return { _id: id(++ids), type, ...(data === undefined ? {} : { data }) }
    }
    case 'NUMBER':
      return random(9)
    case 'REFERENCE':
      return id(random(9))
    default:
      return `文${random(9)}`
  }
}

function document(random: Random): Record<string, unknown> {
  const values = stored.map((at) => [at.uid, sent(at, random)] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

const read = (raw: Record<string, unknown>): StoredValues => {
  const { values, issues } = parseValues(model, raw)
  expect(issues).toEqual([])
  return values
}

const at = (raw: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((inside, name) => (inside as Record<string, unknown> | undefined)?.[name], raw)

const random = generator(20_261_121)

describe('nested values', () => {
  it('are parsed to values by _id, and converted back to equal values by uid', () => {
    for (let round = 0; round < 200; round++) {
      const raw = document(random)
      const values = read(raw)
      expect(valuesByUid(model, values)).toEqual(raw)
      expect(JSON.stringify(values)).not.toMatch(/question|faq|hero/)
      // Stored values fit the field, need no conversion, and stay unchanged if `mapValue` returns every value as it is.
      for (const one of model.fields) {
        const value = values[one._id]
        expect(fitValue(one, value)).toEqual(value)
        expect(convertValue(one, one, value)).toEqual({ value, lost: null })
        if (value !== undefined) expect(mapValue(one, value, (inner) => inner.value)).toEqual(value)
      }
      walk(model, values, ({ path, field: found, value }) => {
        const there = at(raw, path)
        if (typeOf(found).nesting) expect(there === undefined).toBe(value === undefined)
        else expect(value).toEqual(there)
      })
    }
    for (const one of model.fields) expect(needsConversion(one, one)).toBe(false)
  })

  it('are visited by walk, including empty values inside a value that is set', () => {
    const paths: string[] = []
    walk(model, read({ hero: { title: '題', faq: [{ question: 'a' }] } }), ({ path }) => paths.push(path))
    expect(paths).toEqual([
      'title',
      'sections',
      'lead',
      'hero',
      'hero.title',
      'hero.faq',
      'hero.faq.0.question',
      'hero.faq.0.tags',
      'hero.faq.0.by',
      'hero.faq.0.n',
      'hero.one',
    ])
    expect(allFields(model.fields).map(({ uid }) => uid)).toContain('question')
    const environment = { matches: () => true, countCharacters }
    expect(checkValues(model, read({ hero: { one: { n: 1 } } }), environment)).toEqual([
      { path: 'hero.one.question', code: 'Required' },
    ])
  })

  it('are omitted if they are empty, unless they are list items', () => {
    expect(read({ hero: { title: '', faq: [], one: { tags: [] } } })).toEqual({})
    const values = read({ sections: [{ type: 'TEXT', data: '' }], hero: { faq: [{}] } })
    expect(valuesByUid(model, values)).toEqual({
      sections: [{ _id: expect.stringMatching(/^[0-9a-f]{24}$/), type: 'TEXT' }],
      hero: { faq: [{ _id: expect.any(String) }] },
    })
    const [, sections] = model.fields
    const gone = mapValue(sections as Field, values[sections?._id ?? ''], () => undefined)
    expect(gone).toEqual(values[sections?._id ?? ''])
  })

  it('make parseValues throw if the custom type of their field is not resolved', () => {
    const raw = { ...model, fields: stored }
    expect(() => parseValues(raw, { hero: {} })).toThrow('was not looked up')
    // Resolved definitions are neither stored nor sent.
    expect(JSON.parse(JSON.stringify(model.fields))).toEqual(stored)
  })
})

describe('mergeValues with nested values', () => {
  /** Returns a copy with one changed leaf, and sometimes with an added, a removed or a moved item. */
  function edit(raw: Record<string, unknown>, pick: Random): Record<string, unknown> {
    const copy = structuredClone(raw)
    const leaves: { holder: Record<string, unknown>; name: string }[] = []
    const look = (inside: unknown) => {
      if (!isItem(inside) && !Array.isArray(inside)) return
      for (const [name, value] of Object.entries(inside)) {
        if (name === '_id' || name === 'type') continue
        if (typeof value === 'string' && !/^[0-9a-f]{24}$/.test(value))
          leaves.push({ holder: inside as Record<string, unknown>, name })
        else look(value)
      }
    }
    look(copy)
    const leaf = leaves[pick(leaves.length)]
    if (leaf) leaf.holder[leaf.name] = `変${++ids}`
    const sections = copy.sections as unknown[] | undefined
    if (sections && pick(3) === 0)
      sections.splice(pick(sections.length + 1), 0, { _id: id(++ids), type: 'NUMBER', data: 1 })
    if (sections && sections.length > 1 && pick(4) === 0) sections.splice(pick(sections.length), 1)
    if (sections && pick(4) === 0) sections.push(sections.shift())
    return copy
  }

  const added = (base: unknown, other: unknown): string[] => {
    const textsOf = (value: unknown): string[] => JSON.stringify(value).match(/変\d+/g) ?? []
    return textsOf(other).filter((text) => !textsOf(base).includes(text))
  }

  it('keeps the changed texts of both sides, or reports a conflict in either order of the sides', () => {
    let [merges, conflicts] = [0, 0]
    for (let round = 0; round < 400; round++) {
      const base = document(random)
      const [left, right] = [edit(base, random), edit(base, random)]
      const merged = mergeValues(model.fields, read(base), read(left), read(right))
      const other = mergeValues(model.fields, read(base), read(right), read(left))
      expect(merged.conflicts.length > 0).toBe(other.conflicts.length > 0)
      if (merged.conflicts.length > 0) {
        conflicts++
        continue
      }
      merges++
      const sentBack = valuesByUid(model, merged.value)
      read(sentBack) // Fails if the merged document is invalid, for example because an item occurs twice.
      for (const text of [...added(base, left), ...added(base, right)])
        expect(JSON.stringify(sentBack)).toContain(text)
      // A merge with an unchanged side returns the other side.
      const alone = mergeValues(model.fields, read(base), read(left), read(base))
      expect(alone.value).toEqual(read(left))
      expect(mergeValues(model.fields, read(base), read(base), read(left)).value).toEqual(read(left))
      expect(alone.theirs.length > 0).toBe(!isSameValue(base, left))
    }
    expect([merges > 100, conflicts > 20]).toEqual([true, true])
  })

  const sections = (...items: [number, string][]) => ({
    sections: items.map(([n, data]) => ({ _id: id(n), type: 'TEXT', data })),
  })
  const merge = (base: object, theirs: object, ours: object) => {
    const raw = (one: object) => read(one as Record<string, unknown>)
    const { value, ...told } = mergeValues(model.fields, raw(base), raw(theirs), raw(ours))
    return { ...told, raw: valuesByUid(model, value) }
  }

  it('merges changes of different items, and of different fields of one item', () => {
    const base = sections([1, 'a'], [2, 'b'], [3, 'c'])
    expect(
      merge(base, sections([1, 'A'], [2, 'b'], [3, 'c']), sections([1, 'a'], [2, 'b'], [3, 'C'])),
    ).toEqual({
      raw: sections([1, 'A'], [2, 'b'], [3, 'C']),
      theirs: ['sections.0.data'],
      conflicts: [],
    })
    const faq = (one: object) => ({ hero: { faq: [{ _id: id(5), question: 'q', ...one }] } })
    expect(merge(faq({}), faq({ n: 1 }), faq({ tags: ['t'] }))).toEqual({
      raw: faq({ n: 1, tags: ['t'] }),
      theirs: ['hero.faq.0.n'],
      conflicts: [],
    })
  })

  it('reports a conflict if the sides change a value differently, but not if they change it equally', () => {
    const base = sections([1, 'a'], [2, 'b'])
    const [theirs, ours] = [sections([1, 'a'], [2, 'x']), sections([2, 'y'], [1, 'a'])]
    expect(merge(base, theirs, ours).conflicts).toEqual(['sections.1.data'])
    expect(merge(base, theirs, theirs)).toMatchObject({ conflicts: [], raw: theirs })
  })

  it('merges added, removed and moved items, and reports contradicting changes as conflicts', () => {
    const base = sections([1, 'a'], [2, 'b'], [3, 'c'])
    const both = merge(
      base,
      sections([1, 'a'], [7, 'new'], [2, 'b'], [3, 'c']),
      sections([3, 'c'], [1, 'a'], [8, 'too']),
    )
    expect(both).toMatchObject({ conflicts: [], raw: sections([3, 'c'], [1, 'a'], [7, 'new'], [8, 'too']) })
    // One side removed the item that the other side changed.
    expect(
      merge(base, sections([1, 'a'], [2, 'x'], [3, 'c']), sections([1, 'a'], [3, 'c'])).conflicts,
    ).toEqual(['sections.1'])
    expect(
      merge(base, sections([1, 'a'], [3, 'c']), sections([1, 'a'], [2, 'x'], [3, 'c'])).conflicts,
    ).toEqual(['sections'])
    expect(
      merge(base, sections([3, 'c'], [1, 'a'], [2, 'b']), sections([2, 'b'], [1, 'a'], [3, 'c'])),
    ).toMatchObject({
      conflicts: ['sections'],
      theirs: ['sections'],
    })
    // An item whose type changed counts as another value.
    const other = { sections: [{ _id: id(1), type: 'NUMBER', data: 1 }] }
    expect(merge(sections([1, 'a']), other, sections([1, 'b'])).conflicts).toEqual(['sections.0'])
  })
})

describe('custom types', () => {
  it('are found and renamed in the fields that use them', () => {
    expect(customTypesIn(stored)).toEqual([
      { uid: 'hero', path: '1.types.2.customType' },
      { uid: 'hero', path: '2.types.2.customType' },
      { uid: 'hero', path: '3.customType' },
    ])
    expect(uses(stored, 'Q&A', types)).toBe(true)
    expect(uses(types[0]?.fields ?? [], 'hero', types)).toBe(false)
    const renamed = stored.map((one) => repointCustomType(one, 'hero', 'top'))
    expect(customTypesIn(renamed).map(({ uid }) => uid)).toEqual(['top', 'top', 'top'])
    expect(refersTo({ fields: stored }, 'person')).toBe(true)
    expect(refersTo({ fields: stored.map((one) => repoint(one, 'person', 'human')) }, 'person')).toBe(false)
  })

  it('that form a cycle are reported as CircularType, and `uses` returns false for an unknown type', () => {
    const circle = ['a', 'b', 'c'].map((uid, index, all) => ({
      uid,
      fields: [field('x', 'CUSTOM', { customType: all[(index + 1) % 3] })],
    }))
    expect(nestingIssues(circle[0]?.fields ?? [], circle, 'a')).toMatchObject([{ code: 'CircularType' }])
    expect(uses(circle[0]?.fields ?? [], 'nothing', circle)).toBe(false)
  })
})
