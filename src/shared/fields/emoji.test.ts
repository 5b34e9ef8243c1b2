import { describe, expect, it } from 'vitest'
import { cpuTime } from '#test/growth.ts'
import { convertValue } from './convert.ts'
import { parseValue } from './document.ts'
import { readEmoji } from './emoji-code.ts'
import { fieldSchema } from './index.ts'
import { fieldIssues } from './settings.ts'

const make = (settings: object = {}, type = 'EMOJI') =>
  fieldSchema.parse({ _id: '0'.repeat(24), uid: 'f', name: 'f', type, ...settings })
const read = (value: unknown) => {
  const { value: emoji, issues } = parseValue(make(), value)
  return emoji ?? issues[0]?.code
}

describe('the EMOJI field type', () => {
  const cases: [unknown, string | undefined][] = [
    ['🎾', '🎾'],
    [' 🎾 ', '🎾'],
    // With and without the variation selector.
    ['\u2764', '\u2764\ufe0f'],
    ['\u231a\ufe0f', '\u231a'],
    ['1\u20e3', '1\ufe0f\u20e3'],
    ['🏳\u200d🌈', '🏳\ufe0f\u200d🌈'],
    ['🕵🏻\u200d♂', '🕵🏻\u200d♂\ufe0f'],
    ['👨‍👩‍👧‍👦', '👨‍👩‍👧‍👦'],
    ['☝🏽', '☝🏽'],
    ['🇯🇵', '🇯🇵'],
    [
      '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
      '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    ],
    // An emoji of a Unicode version that this machine may not support.
    ['\u{1fae8}', '\u{1fae8}'],
    [{ type: 'emoji', value: '🎾' }, '🎾'],
    ['', undefined],
    [{ type: 'image', value: '🎾' }, 'InvalidType'],
    [7, 'InvalidType'],
  ]
  it.each(cases)('parses %j with the result %j', (value, expected) => expect(read(value)).toBe(expected))

  it.each(['a', 'あ', '1', '#', '🎾🎾', '🇯', '🎾a', '\u200d', '\ufe0f', '🎾'.repeat(50)])(
    'rejects the text %j',
    (text) => expect(read(text)).toBe('InvalidFormat'),
  )

  it('finds no emoji in long hostile texts in less than two seconds', () => {
    const reading = () => {
      for (const text of ['1'.repeat(1e6), '👨\u200d'.repeat(3e5), '\u{e0067}'.repeat(3e5)])
        expect(readEmoji(text)).toBe(null)
    }
    expect(cpuTime(reading)).toBeLessThan(2_000)
  })

  it('reports an invalid default value, and converts values from and to texts', () => {
    const environment = { compiles: () => true, hasModel: () => true, hasCustomType: () => true }
    const codes = (defaultValue: string) =>
      fieldIssues(make({ defaultValue }), environment).map(({ path, code }) => [path, code])
    expect([codes('🎾'), codes('x')]).toEqual([[], [['defaultValue', 'InvalidFormat']]])
    const text = make({}, 'TEXT')
    expect(convertValue(text, make(), '❤')).toEqual({ value: '❤️', lost: null })
    expect(convertValue(text, make(), 'はい')).toEqual({ value: undefined, lost: 'typeChanged' })
    expect(convertValue(make(), text, '🎾')).toEqual({ value: '🎾', lost: null })
  })
})
