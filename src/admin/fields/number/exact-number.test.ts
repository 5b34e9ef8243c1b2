import { describe, expect, it } from 'vitest'
import { readNumber, stepBy, writeNumber } from './exact-number.ts'

describe('readNumber', () => {
  it.each([
    ['12', 12],
    ['１２３．５', 123.5],
    ['ー５', -5],
    ['−0.10', -0.1],
    ['1,234,567', 1234567],
    ['.5', 0.5],
    ['5.', 5],
    ['9007199254740991', 9007199254740991],
    ['0', 0],
    ['-0', 0],
    ['1e3', 1000],
    ['0.1', 0.1],
  ])('parses %s as %d', (typed, value) => {
    const read = readNumber(typed)
    expect(read.kind).toBe('number')
    expect(read.kind === 'number' && read.value === value).toBe(true)
  })

  it.each(['9007199254740993', '1.00000000000000000001', '12a', '-', '1.2.3', '1e999', '十'])(
    'returns the kind `bad` for %s',
    (typed) => {
      expect(readNumber(typed)).toEqual({ kind: 'bad' })
    },
  )

  it('returns the kind `empty` for whitespace', () => {
    expect(readNumber(' 　')).toEqual({ kind: 'empty' })
  })
})

describe('stepBy', () => {
  it('calculates in decimal arithmetic', () => {
    expect(stepBy(0.2, 0.1, 1, {})).toBe(0.3)
    expect(stepBy(1, 0.25, -1, {})).toBe(0.75)
  })
  it('clamps the result to the limits', () => {
    expect(stepBy(9, 5, 1, { max: 10 })).toBe(10)
    expect(stepBy(1, 5, -1, { min: 0 })).toBe(0)
  })
})

describe('writeNumber', () => {
  it('formats 0.0000001 without an exponent', () => {
    expect(writeNumber(0.0000001)).toBe('0.0000001')
    expect(writeNumber(1234.5)).toBe('1234.5')
  })
})
