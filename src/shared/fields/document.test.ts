import { describe, expect, it } from 'vitest'
import { countCharacters } from './characters.ts'
import { convertValue } from './convert.ts'
import {
  checkTitle,
  checkValues,
  fitMultiple,
  parseValues,
  titleOf,
  type ValueModel,
  valuesByUid,
} from './document.ts'
import { type Field, type FieldInput, fieldSchema } from './index.ts'

const id = (n: number) => String(n).padStart(24, '0')
const field = (n: number, settings: Record<string, unknown> & { uid: string; type: FieldInput['type'] }) =>
  fieldSchema.parse({ _id: id(n), name: settings.uid, ...settings })

const model: ValueModel = {
  fields: [
    field(1, { uid: 'title', type: 'TEXT', required: true }),
    field(2, { uid: 'tags', type: 'TEXT', multiple: true, minItems: 2, maxItems: 3, maxLength: 2 }),
    field(3, { uid: 'on', type: 'CHECKBOX', required: true }),
    field(4, { uid: 'n', type: 'NUMBER', min: 1 }),
  ],
  titleField: id(1),
}
const environment = { matches: () => true, countCharacters }

describe('parseValues', () => {
  it('converts values by uid to values by _id, and valuesByUid converts them back', () => {
    const raw = { title: 'a', tags: ['x', 'y'], on: false, n: 0 }
    const { values, issues } = parseValues(model, raw)
    expect(issues).toEqual([])
    expect(values).toEqual({ [id(1)]: 'a', [id(2)]: ['x', 'y'], [id(3)]: false, [id(4)]: 0 })
    expect(valuesByUid(model, values)).toEqual(raw)
  })

  it('omits fields whose value is an empty text, an empty list or null', () => {
    expect(parseValues(model, { title: '', tags: [], n: null, on: null }).values).toEqual({})
  })

  it('keeps empty texts in a list, but checkValues does not count them for `minItems` and `required`', () => {
    const { values } = parseValues(model, { title: 'a', on: true, tags: ['', null, 'a', ''] })
    const kept = ['', '', 'a', '']
    expect(values[id(2)]).toEqual(kept)
    const [, tags] = model.fields
    expect(convertValue(tags as Field, tags as Field, kept)).toEqual({ value: kept, lost: null })
    const broken = (tags: string[]) =>
      checkValues(model, parseValues(model, { title: 'a', on: true, tags }).values, environment)
    expect(broken(['a', '', 'b'])).toEqual([])
    expect(broken(['', 'a'])).toEqual([{ path: 'tags', code: 'TooFewItems', params: { minimum: 2 } }])
    expect(titleOf({ ...model, titleField: id(2) }, values)).toBe('a')
    const required = {
      ...model,
      fields: [field(2, { uid: 'tags', type: 'TEXT', multiple: true, required: true })],
    }
    expect(checkValues(required, { [id(2)]: ['', ''] }, environment)).toEqual([
      { path: 'tags', code: 'Required' },
    ])
  })

  it('reports invalid values, unknown fields and too many items with their paths', () => {
    const raw = { title: 1, tags: ['a', 2, '\u0000'], nothing: 1, [`${'x'.repeat(200)}`]: 1 }
    expect(parseValues(model, raw).issues).toEqual([
      { path: 'title', code: 'InvalidType' },
      { path: 'tags.1', code: 'InvalidType' },
      { path: 'tags.2', code: 'InvalidValue' },
      { path: 'nothing', code: 'UnknownField' },
      { path: 'x'.repeat(100), code: 'UnknownField' },
    ])
    expect(parseValues(model, { tags: Array(10_001).fill('a') }).issues).toEqual([
      { path: 'tags', code: 'TooManyItems', params: { maximum: 10_000 } },
    ])
  })

  it('reports two issues for the keys `__proto__` and `toString`', () => {
    expect(parseValues(model, JSON.parse('{"__proto__": 1, "toString": 1}')).issues).toHaveLength(2)
  })
})

describe('checkValues', () => {
  it('reports broken rules with their paths', () => {
    const values = { [id(2)]: ['long'], [id(4)]: 0 }
    expect(checkValues(model, values, environment).map(({ path, code }) => [path, code])).toEqual([
      ['title', 'Required'],
      ['tags', 'TooFewItems'],
      ['tags.0', 'TooManyCharacters'],
      ['on', 'Required'],
      ['n', 'TooSmallValue'],
    ])
    const many = { [id(1)]: 'a', [id(2)]: ['a', 'b', 'c', 'd'], [id(3)]: false }
    expect(checkValues(model, many, environment).map(({ path, code }) => [path, code])).toEqual([
      ['tags', 'TooManyItems'],
      ['on', 'Required'],
    ])
  })

  it('reports nothing for an empty field that is not required', () => {
    expect(checkValues(model, { [id(1)]: 'a', [id(3)]: true }, environment)).toEqual([])
  })
})

describe('checkTitle', () => {
  it('requires a visible character in the title field; titleOf returns its text, or the first of two texts', () => {
    expect(checkTitle(model, {})).toEqual([{ path: 'title', code: 'Required' }])
    expect(checkTitle(model, { [id(1)]: 'a' })).toEqual([])
    // A title must be visible: a wide space or a joiner alone is not.
    for (const blank of [' ', '\u3000', '\u200b\u2060', '\u3164'])
      expect(checkTitle(model, { [id(1)]: blank })).toEqual([{ path: 'title', code: 'Required' }])
    expect(checkTitle({ ...model, titleField: null }, {})).toEqual([])
    expect(titleOf(model, { [id(1)]: 'a' })).toBe('a')
    expect(titleOf({ ...model, titleField: id(2) }, { [id(2)]: ['x', 'y'] })).toBe('x')
    expect(titleOf(model, {})).toBe('')
  })
})

describe('fitMultiple', () => {
  it('returns the first item for a single field, and a list for a multiple field', () => {
    const [single, multiple] = model.fields
    expect([fitMultiple(single!, ['a', 'b']), fitMultiple(multiple!, 'a')]).toEqual(['a', ['a']])
    expect([fitMultiple(single!, undefined), fitMultiple(single!, [])]).toEqual([undefined, undefined])
  })
})
