import { describe, expect, it } from 'vitest'
import { convertValue, fitValue, needsConversion } from './convert.ts'
import { resolveFields } from './custom-types.ts'
import { type Field, type FieldInput, fieldSchema, fieldTypeNames } from './index.ts'

const make = (type: FieldInput['type'], settings: Record<string, unknown> = {}): Field => {
  const field = fieldSchema.parse({
    _id: '0'.repeat(24),
    uid: 'f',
    name: 'f',
    type,
    ...(type === 'REFERENCE' ? { modelUid: 'm' } : {}),
    ...(type === 'CUSTOM' ? { customType: 'c' } : {}),
    ...settings,
  })
  const [resolved] = resolveFields([field], [{ _id: '1'.repeat(24), uid: 'c', fields: [] }])
  return resolved ?? field
}

describe('convertValue', () => {
  const several = { multiple: true }
  const cases: [string, Field, unknown, Field | null, unknown, string | null][] = [
    ['a value of a removed field', make('TEXT'), 'a', null, undefined, 'removed'],
    ['no value of a removed field', make('TEXT'), undefined, null, undefined, null],
    ['one value to a list', make('TEXT'), 'a', make('TEXT', several), ['a'], null],
    ['a list of one value to one value', make('TEXT', several), ['a'], make('TEXT'), 'a', null],
    [
      'a list of two values to one value',
      make('TEXT', several),
      ['a', 'b'],
      make('TEXT'),
      'a',
      'multipleOff',
    ],
    [
      'a list to one value of another type',
      make('TEXT', several),
      ['a', 'b'],
      make('MARKDOWN'),
      'a',
      'multipleOff',
    ],
    ['a numeric text to a number', make('TEXT'), '12.5', make('NUMBER'), 12.5, null],
    [
      'a text that is not numeric to a number',
      make('TEXT'),
      '12円',
      make('NUMBER'),
      undefined,
      'typeChanged',
    ],
    [
      'a numeric text beyond 2^53 to a number',
      make('TEXT'),
      '9007199254740993',
      make('NUMBER'),
      undefined,
      'typeChanged',
    ],
    ['a hexadecimal text to a number', make('TEXT'), '0x10', make('NUMBER'), undefined, 'typeChanged'],
    [
      'an invalid date in a text to a date',
      make('TEXT'),
      '2023-02-30',
      make('DATE'),
      undefined,
      'typeChanged',
    ],
    ['formatted rich text to a text', make('RICH_TEXT'), '<p><b>a</b></p>', make('TEXT'), 'a', 'typeChanged'],
    ['plain rich text to a text', make('RICH_TEXT'), '<p>a</p>', make('TEXT'), 'a', null],
    [
      'rich text with only an image to a text',
      make('RICH_TEXT'),
      '<img src="/a.png">',
      make('TEXT'),
      undefined,
      'typeChanged',
    ],
    [
      'a text of paragraphs to rich text',
      make('TEXT'),
      'a\nb\n\n<c>',
      make('RICH_TEXT'),
      '<p>a<br />b</p><p>&lt;c&gt;</p>',
      null,
    ],
    ['a checkbox to a text', make('CHECKBOX'), true, make('TEXT'), undefined, 'typeChanged'],
    [
      'a reference to a reference to another model',
      make('REFERENCE'),
      'f'.repeat(24),
      make('REFERENCE', { modelUid: 'o' }),
      undefined,
      'typeChanged',
    ],
    [
      'text options to number options',
      make('SELECT', several),
      ['1', 'x'],
      make('SELECT', { ...several, valueType: 'number' }),
      [1],
      'typeChanged',
    ],
    [
      'a number option to a text option',
      make('SELECT', { valueType: 'number' }),
      1,
      make('SELECT'),
      '1',
      null,
    ],
  ]
  it.each(cases)(
    'returns the value and the loss of converting %s',
    (_name, from, value, to, expected, lost) => {
      expect(convertValue(from, to, value)).toEqual({ value: expected, lost })
    },
  )

  it('returns undefined or a value that fits the new type, for ten values and all pairs of types', () => {
    const values = ['a', 1, true, ['a', 1], {}, null, '2023-01-01', 'f'.repeat(24), '\u0000', Number.NaN]
    for (const from of fieldTypeNames)
      for (const to of fieldTypeNames)
        for (const value of values) {
          const field = make(to)
          const { value: converted } = convertValue(make(from), field, value)
          expect(fitValue(field, converted)).toEqual(converted)
        }
  })
})

describe('needsConversion', () => {
  it('returns whether stored values must be converted for the new field', () => {
    expect(needsConversion(make('TEXT'), make('TEXT', { required: true, unique: true }))).toBe(false)
    expect(needsConversion(make('TEXT'), make('TEXT', { multiple: true }))).toBe(true)
    expect(needsConversion(make('NUMBER'), make('NUMBER', { multiple: true }))).toBe(false)
    expect(needsConversion(make('TEXT'), make('MARKDOWN'))).toBe(true)
    expect(needsConversion(make('SELECT'), make('SELECT', { valueType: 'number' }))).toBe(true)
    expect(needsConversion(make('REFERENCE'), make('REFERENCE', { modelUid: 'o' }))).toBe(true)
  })
})

describe('fitValue', () => {
  it('adapts a value to its field, or returns undefined', () => {
    expect(fitValue(make('NUMBER'), '5')).toBe(5)
    expect(fitValue(make('TEXT', { multiple: true }), 5)).toEqual(['5'])
    expect(fitValue(make('TEXT'), ['a', 'b'])).toBe('a')
    expect(fitValue(make('DATE'), true)).toBeUndefined()
    expect(fitValue(make('CHECKBOX'), 'x')).toBeUndefined()
  })
})
