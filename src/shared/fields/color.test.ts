import { describe, expect, it } from 'vitest'
import { countCharacters } from './characters.ts'
import { convertValue } from './convert.ts'
import { checkValue, parseValue } from './document.ts'
import { fieldSchema } from './index.ts'
import { fieldIssues } from './settings.ts'

const make = (settings: object = {}, type = 'COLOR') =>
  fieldSchema.parse({ _id: '0'.repeat(24), uid: 'f', name: 'f', type, ...settings })
const read = (value: unknown) => {
  const { value: color, issues } = parseValue(make(), value)
  return color ?? issues[0]?.code
}
const environment = {
  compiles: () => true,
  hasModel: () => true,
  hasCustomType: () => true,
  matches: () => true,
  countCharacters,
}

describe('the COLOR field type', () => {
  it.each([
    ['#ff8800', '#ff8800'],
    ['#FF8800', '#ff8800'],
    [' f80 ', '#ff8800'],
    ['＃ｆｆ８８００', '#ff8800'],
    ['#ff880080', '#ff880080'],
    ['#f808', '#ff880088'],
    ['#ff8800ff', '#ff8800'],
    ['', undefined],
    ['red', 'InvalidFormat'],
    ['#ff880', 'InvalidFormat'],
    ['#ff8800;', 'InvalidFormat'],
    ['#gg8800', 'InvalidFormat'],
    [`#ff8800${' '.repeat(100)}`, 'InvalidFormat'],
    [16711680, 'InvalidType'],
  ])('parses %j with the result %j', (value, expected) => expect(read(value)).toBe(expected))

  it('accepts a translucent color only if `alpha` is true', () => {
    const codes = (alpha: boolean) =>
      checkValue(make({ alpha }), '#ff880080', environment).map(({ code }) => code)
    expect([codes(true), codes(false)]).toEqual([[], ['InvalidValue']])
  })

  it('reports invalid colors in the palette and an invalid default value', () => {
    const issues = fieldIssues(
      make({ palette: ['#ff8800', '#f80', '#00000080'], defaultValue: 'red' }),
      environment,
    )
    expect(issues.map(({ path, code }) => [path, code])).toEqual([
      ['palette.1', 'InvalidFormat'],
      ['palette.2', 'InvalidValue'],
      ['defaultValue', 'InvalidFormat'],
    ])
  })

  it('converts color codes in texts to colors, and colors to texts', () => {
    const text = make({}, 'TEXT')
    expect(convertValue(text, make(), '#F80')).toEqual({ value: '#ff8800', lost: null })
    expect(convertValue(text, make(), 'あか')).toEqual({ value: undefined, lost: 'typeChanged' })
    expect(convertValue(make(), text, '#ff8800')).toEqual({ value: '#ff8800', lost: null })
  })
})
