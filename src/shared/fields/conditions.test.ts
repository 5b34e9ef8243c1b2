import { describe, expect, it } from 'vitest'
import { countCharacters } from './characters.ts'
import { isShown } from './conditions.ts'
import { checkTitle, checkValues } from './document.ts'
import { type Field, fieldSchema } from './index.ts'
import { conditionIssues } from './settings.ts'

let last = 0
const field = (uid: string, type: string, more: object = {}): Field =>
  fieldSchema.parse({ _id: (++last).toString(16).padStart(24, '0'), uid, name: uid, type, ...more })
const kind = field('kind', 'SELECT', { multiple: true, options: [{ value: 'a' }, { value: 'b' }] })
const on = field('on', 'CHECKBOX')
const when = (uid: string, condition: object, more: object = {}) =>
  field(uid, 'TEXT', { required: true, condition, ...more })

const shown = (fields: Field[], uid: string, values: Record<string, unknown>) => {
  const found = fields.find((one) => one.uid === uid)
  return found && isShown(found, fields, ({ uid: of }) => values[of])
}

describe('isShown', () => {
  const filled = { field: 'kind', is: 'filled' }
  const empty = { field: 'kind', is: 'empty' }
  const oneOf = { field: 'kind', is: 'oneOf', values: ['a', 'x'] }
  it.each<[object, unknown, boolean]>([
    [filled, undefined, false],
    [filled, [], false],
    [filled, [''], false],
    [filled, ['a'], true],
    [filled, {}, false],
    [filled, 0, true],
    [empty, null, true],
    [empty, 'a', false],
    [oneOf, ['b', 'a'], true],
    [oneOf, 'a', true],
    [oneOf, ['b'], false],
    [oneOf, undefined, false],
  ])('with the condition %j and the value %j returns %s', (condition, value, expected) => {
    expect(shown([kind, when('more', condition)], 'more', { kind: value })).toBe(expected)
  })

  it('counts a checkbox as filled only if it is checked', () => {
    const fields = [
      on,
      when('more', { field: 'on', is: 'filled' }),
      when('less', { field: 'on', is: 'empty' }),
    ]
    expect([true, false, undefined].map((value) => shown(fields, 'more', { on: value }))).toEqual([
      true,
      false,
      false,
    ])
    expect([true, false, undefined].map((value) => shown(fields, 'less', { on: value }))).toEqual([
      false,
      true,
      true,
    ])
  })

  it('returns false if the referenced field is hidden, and true if it is missing', () => {
    const first = when('first', { field: 'on', is: 'filled' })
    const second = when('second', { field: 'first', is: 'filled' })
    expect(shown([on, first, second], 'second', { on: false, first: 'x' })).toBe(false)
    expect(shown([on, first, second], 'second', { on: true, first: 'x' })).toBe(true)
    expect(shown([when('alone', { field: 'gone', is: 'filled' })], 'alone', {})).toBe(true)
    const circle = [when('a', { field: 'b', is: 'filled' }), when('b', { field: 'a', is: 'filled' })]
    expect(shown(circle, 'a', { a: '1', b: '2' })).toBe(true)
  })
})

describe('checkValues and checkTitle', () => {
  it('report no issue of a hidden field', () => {
    const title = when('title', { field: 'on', is: 'filled' }, { maxLength: 1 })
    const model = { fields: [on, title], titleField: title._id }
    const environment = { matches: () => true, countCharacters }
    for (const value of [undefined, 'too long']) {
      const values = value ? { [title._id]: value } : {}
      expect(checkValues(model, values, environment)).toEqual([])
      expect(checkValues(model, { ...values, [on._id]: true }, environment)).toHaveLength(1)
    }
    expect(checkTitle(model, {})).toEqual([])
    expect(checkTitle(model, { [on._id]: true })).toEqual([{ path: 'title', code: 'Required' }])
  })
})

describe('conditionIssues', () => {
  it.each<[string, Field[], object[]]>([
    ['accepts valid conditions', [kind, when('a', { field: 'kind', is: 'oneOf', values: ['a'] })], []],
    [
      'rejects a condition on a missing field',
      [when('a', { field: 'b', is: 'filled' })],
      [{ path: '0.condition.field', code: 'InvalidValue' }],
    ],
    [
      'rejects a condition on its own field',
      [when('a', { field: 'a', is: 'filled' })],
      [{ path: '0.condition.field', code: 'CircularCondition', params: { circle: 'a → a' } }],
    ],
    [
      'rejects conditions that form a cycle',
      [
        when('a', { field: 'b', is: 'filled' }),
        when('b', { field: 'a', is: 'empty' }),
        when('c', { field: 'a', is: 'filled' }),
      ],
      [
        { path: '0.condition.field', code: 'CircularCondition', params: { circle: 'a → b → a' } },
        { path: '1.condition.field', code: 'CircularCondition', params: { circle: 'b → a → b' } },
      ],
    ],
    [
      'rejects `oneOf` without values',
      [kind, when('a', { field: 'kind', is: 'oneOf', values: [] })],
      [{ path: '1.condition.values', code: 'Required' }],
    ],
    [
      'rejects a value of the wrong type',
      [on, when('a', { field: 'on', is: 'oneOf', values: [true, 'yes'] })],
      [{ path: '1.condition.values.1', code: 'InvalidValue' }],
    ],
    [
      'rejects `oneOf` on a field without comparable values',
      [field('many', 'MULTI_TYPE'), when('a', { field: 'many', is: 'oneOf', values: ['x'] })],
      [{ path: '1.condition.is', code: 'InvalidValue' }],
    ],
  ])('%s', (_what, fields, issues) => {
    expect(conditionIssues(fields)).toEqual(issues)
  })
})
