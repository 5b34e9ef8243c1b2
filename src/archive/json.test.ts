import { expect, it } from 'vitest'
import { checkShape, InvalidJson, maxDepth, parseJson } from './json.ts'

it('checkShape rejects excessive nesting and unterminated strings, and parseJson rejects invalid JSON', () => {
  const nested = (depth: number) => Buffer.from('['.repeat(depth) + ']'.repeat(depth))
  expect(() => checkShape(nested(100_000))).toThrow(InvalidJson)
  expect(() => checkShape(nested(maxDepth))).not.toThrow()
  expect(() => checkShape(Buffer.from('{"a":"[['))).toThrow(InvalidJson)
  expect(() => parseJson(Buffer.from('{'))).toThrow(InvalidJson)
})

it('checkShape returns true for numbers with an exponent or over 15 digits, but not for texts', () => {
  const long = (json: string) => checkShape(Buffer.from(json))
  for (const json of ['{"a":1234567890123456}', '[-0.12345678901234567]', '[1e5]', '{"a":1.5E+300}'])
    expect(long(json), json).toBe(true)
  for (const json of [
    '{"a":123456789012345}',
    '["12345678901234567890","1e5"]',
    '[true,false]',
    '{"a1e":12.5,"b":[12345678,12345678]}',
  ])
    expect(long(json), json).toBe(false)
})
