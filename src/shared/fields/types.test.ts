import { describe, expect, it } from 'vitest'
import { countCharacters } from './characters.ts'
import { type Field, type FieldInput, fieldSchema, fieldTypeNames, isMultiple, typeOf } from './index.ts'

type Settings = Record<string, unknown> & { type: FieldInput['type'] }

const make = (settings: Settings): Field =>
  fieldSchema.parse({
    _id: '0'.repeat(24),
    uid: 'f',
    name: 'f',
    ...(settings.type === 'REFERENCE' ? { modelUid: 'm' } : {}),
    ...(settings.type === 'CUSTOM' ? { customType: 'c' } : {}),
    ...settings,
  })

const parse = (settings: Settings, value: unknown) => {
  const field = make(settings)
  const result = typeOf(field).parse(value, field)
  return result.ok ? { value: result.value } : result.code
}
const rules = (settings: Settings, value: unknown) => {
  const field = make(settings)
  const matches = (pattern: string, text: string) => new RegExp(pattern, 'u').test(text)
  return typeOf(field)
    .rules(value, field, { matches, countCharacters })
    .map((issue) => issue.code)
}

describe('field type', () => {
  it.each(fieldTypeNames)(
    '%s reads null, undefined and, unless it is a checkbox, an empty text as no value',
    (type) => {
      for (const value of [null, undefined, ...(type === 'CHECKBOX' ? [] : [''])])
        expect(parse({ type }, value)).toEqual({ value: undefined })
    },
  )

  it.each(fieldTypeNames)(
    'the function `parse` of %s refuses {}, [], [1] and values that JSON cannot contain',
    (type) => {
      const values = [{}, [], [1], Number.NaN, Number.POSITIVE_INFINITY, Symbol('x'), () => 1, 1n, new Date()]
      for (const value of values) expect(parse({ type }, value)).toMatch(/^Invalid(Type|Value)$/)
    },
  )

  // Types with inner values are tested in nesting.test.ts.
  const plainTypes = fieldTypeNames.filter((type) => !typeOf({ type }).nesting)
  it.each(plainTypes)('%s reads a parsed value again without a change', (type) => {
    const samples: Record<string, unknown[]> = {
      TEXT: ['あ', ' x '],
      RICH_TEXT: ['<p>あ</p>'],
      MARKDOWN: ['# あ'],
      NUMBER: [0, -1.5, Number.MAX_SAFE_INTEGER],
      DATE: ['2023-06-01', '2023-06-01T09:00:00+09:00'],
      CHECKBOX: [true, false],
      SELECT: ['a'],
      COLOR: ['#FF8800', '#f80', '#ff880080'],
      EMOJI: ['❤', '👍🏽'],
      MAP: [{ lat: 35.681236, lng: 139.767125 }],
      EMBED: [' <iframe src="https://a.example"></iframe> '],
      IMAGE: ['f'.repeat(24)],
      FILE: ['f'.repeat(24)],
      REFERENCE: ['f'.repeat(24)],
    }
    for (const sample of samples[type] ?? []) {
      const once = parse({ type }, sample) as { value: unknown }
      expect(parse({ type }, once.value)).toEqual(once)
    }
    expect(samples[type]?.length).toBeGreaterThan(0)
  })

  it('settings have defaults, and a setting of another type is refused', () => {
    expect(fieldSchema.safeParse({ ...make({ type: 'CHECKBOX' }), max: 5 }).success).toBe(false)
    expect(make({ type: 'TEXT' })).toMatchObject({ inputType: 'inputText', required: false, unique: false })
    expect(make({ type: 'SELECT' })).toMatchObject({ inputType: 'none', valueType: 'text', options: [] })
  })

  it('settings apply `multiple` only to types that allow several values', () => {
    for (const type of fieldTypeNames) {
      const field = make({ type, multiple: true })
      const several = ['TEXT', 'SELECT', 'IMAGE', 'FILE', 'REFERENCE', 'CUSTOM', 'MULTI_TYPE']
      expect(isMultiple(field)).toBe(several.includes(type))
    }
  })
})

describe('texts', () => {
  it.each(['TEXT', 'RICH_TEXT', 'MARKDOWN'] as const)(
    'of the type %s are refused if they contain characters that PostgreSQL cannot store',
    (type) => {
      for (const value of ['a\u0000', '\ud83d', '\udc6a\ud83d'])
        expect(parse({ type }, value)).toBe('InvalidValue')
      expect(parse({ type }, '👪')).toEqual({ value: '👪' })
    },
  )

  it('that are short are measured in user-perceived characters', () => {
    expect(rules({ type: 'TEXT', maxLength: 1 }, '👪')).toEqual([])
    expect(rules({ type: 'TEXT', maxLength: 1 }, 'ab')).toEqual(['TooManyCharacters'])
    expect(rules({ type: 'MARKDOWN', minLength: 2 }, '👪')).toEqual(['TooFewCharacters'])
    for (const one of ['👨‍👩‍👧‍👦', '🇯🇵', 'か\u3099', '❤️', '👍🏽', '葛\u{e0100}'])
      expect([one, rules({ type: 'TEXT', maxLength: 1 }, one)]).toEqual([one, []])
    expect(rules({ type: 'TEXT', maxLength: 1 }, '🇯🇵🇯🇵')).toEqual(['TooManyCharacters'])
  })

  it('that are rich text are measured without their markup', () => {
    const settings = { type: 'RICH_TEXT', maxLength: 3 } as const
    expect(rules(settings, '<p class="long"><strong>a&amp;b</strong></p>')).toEqual([])
    expect(rules(settings, '<p>abcd</p>')).toEqual(['TooManyCharacters'])
  })

  it('are checked against `pattern`, which may match a part of the text, and against `minLength`', () => {
    expect(rules({ type: 'TEXT', pattern: '[0-9]' }, 'a1b')).toEqual([])
    expect(rules({ type: 'TEXT', pattern: '^[0-9]+$', minLength: 5 }, 'a1b')).toEqual([
      'TooFewCharacters',
      'InvalidValue',
    ])
  })

  it.each(['<p></p>', '<p> </p>', '<p></p><p></p>', '<p><br></p>', '<p><br /></p>\n<p>&nbsp;</p>'])(
    'of the type RICH_TEXT with only blank paragraphs count as no value: %s',
    (html) => expect(parse({ type: 'RICH_TEXT' }, html)).toEqual({ value: undefined }),
  )

  it('of the type RICH_TEXT with a letter or only an image count as a value', () => {
    expect(parse({ type: 'RICH_TEXT' }, '<p>a</p>')).toEqual({ value: '<p>a</p>' })
    expect(parse({ type: 'RICH_TEXT' }, '<p><img src="/a.png"></p>')).not.toEqual({ value: undefined })
  })
})

describe('numbers', () => {
  it('are refused beyond MAX_SAFE_INTEGER, and zero loses its sign', () => {
    const type = 'NUMBER'
    expect(parse({ type }, -0)).toEqual({ value: 0 })
    expect(parse({ type }, 1e-10)).toEqual({ value: 1e-10 })
    expect(parse({ type }, '5')).toBe('InvalidType')
    expect(parse({ type }, true)).toBe('InvalidType')
    for (const value of [2 ** 53, -(2 ** 53), 1e300]) expect(parse({ type }, value)).toBe('InvalidValue')
  })

  it('are checked against bounds, steps and the integer setting', () => {
    expect(rules({ type: 'NUMBER', min: 1, max: 2 }, 1)).toEqual([])
    expect(rules({ type: 'NUMBER', min: 1, max: 2 }, 0.999)).toEqual(['TooSmallValue'])
    expect(rules({ type: 'NUMBER', min: 1, max: 2 }, 2.001)).toEqual(['TooLargeValue'])
    expect(rules({ type: 'NUMBER', integer: true }, 1.5)).toEqual(['InvalidValue'])
    for (const value of [0.3, 0.7, 1.1, -0.2, 1000.1])
      expect(rules({ type: 'NUMBER', step: 0.1 }, value)).toEqual([])
    expect(rules({ type: 'NUMBER', step: 0.1 }, 0.25)).toEqual(['InvalidValue'])
    expect(rules({ type: 'NUMBER', step: 2, min: 1 }, 5)).toEqual([])
    expect(rules({ type: 'NUMBER', step: 2, min: 1 }, 4)).toEqual(['InvalidValue'])
  })
})

describe('dates', () => {
  const good: [string, string, string][] = [
    ['datetime', '2023-06-01T00:00:00.000Z', '2023-06-01T00:00:00.000Z'],
    ['datetime', '2023-06-01T09:00+09:00', '2023-06-01T00:00:00.000Z'],
    ['datetime', '2023-06-01', '2023-06-01T00:00:00.000Z'],
    ['datetime', '2024-02-29T12:30:15.123000Z', '2024-02-29T12:30:15.123Z'],
    ['datetime', '2024-02-29T12:30:15.100000000Z', '2024-02-29T12:30:15.100Z'],
    ['date', '2023-06-01', '2023-06-01T00:00:00.000Z'],
    ['date', '2023-06-01T00:00:00+09:00', '2023-06-01T00:00:00.000Z'],
    ['date', '2023-06-01T23:59:59Z', '2023-06-01T00:00:00.000Z'],
    ['time', '09:30', '1970-01-01T09:30:00.000Z'],
    ['time', '09:30:15', '1970-01-01T09:30:15.000Z'],
    ['time', '2023-06-01T09:30:00+09:00', '1970-01-01T09:30:00.000Z'],
    ['datetime', '0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['datetime', '9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ]
  it.each(good)('of the type %s: %s is parsed as %s', (inputType, value, expected) => {
    expect(parse({ type: 'DATE', inputType }, value)).toEqual({ value: expected })
  })

  it.each([
    ...['2023-02-30', '2023-13-01', '2023-00-01', '2023-01-00', '2023-6-1', '2023', '20230601', 'x', '09:30'],
    ...['2023-06-01T25:00Z', '2023-06-01T12:60Z', '2023-06-01T12:00', '2023-06-01 12:00Z', '0000-01-01'],
    ...['10000-01-01', '-2023-01-01', '9999-12-31T23:59:59-01:00', '2023-02-29', '2023-06-01T00:00:00+99:99'],
    '2024-02-29T12:30:15.123456Z',
    '2024-02-29T12:30:15.0000001+09:00',
  ])('of the type datetime cannot have the value %s', (value) => {
    expect(parse({ type: 'DATE' }, value)).toBe('InvalidValue')
  })

  it.each(['24:00', '12:60', '9:30', '12'])('of the type time cannot have the value %s', (value) => {
    expect(parse({ type: 'DATE', inputType: 'time' }, value)).toBe('InvalidValue')
  })
})

describe('values of checkboxes, selects and references', () => {
  it('are refused if their type or format is wrong', () => {
    expect(parse({ type: 'CHECKBOX' }, false)).toEqual({ value: false })
    expect(parse({ type: 'CHECKBOX' }, '')).toBe('InvalidType')
    expect(parse({ type: 'SELECT' }, 'x')).toEqual({ value: 'x' })
    expect(parse({ type: 'SELECT', valueType: 'number' }, 2)).toEqual({ value: 2 })
    expect(parse({ type: 'SELECT', valueType: 'number' }, '2')).toBe('InvalidType')
    expect(parse({ type: 'SELECT', valueType: 'number' }, 2 ** 53)).toBe('InvalidValue')
    expect(parse({ type: 'SELECT' }, '\u0000')).toBe('InvalidValue')
    for (const value of ['F'.repeat(24), 'f'.repeat(23), 'x'.repeat(24)])
      expect(parse({ type: 'REFERENCE' }, value)).toBe('InvalidValue')
  })

  it('are checked against the options of a select', () => {
    expect(rules({ type: 'SELECT', options: [{ value: 'a' }] }, 'b')).toEqual(['InvalidValue'])
    expect(rules({ type: 'SELECT', valueType: 'number', options: [{ value: 1 }] }, 1)).toEqual([])
  })
})
