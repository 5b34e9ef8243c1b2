import { expect, it } from 'vitest'
import { checkShape, InvalidJson, maxDepth, parseJson } from './json.ts'

it('refuses nesting no model can make, and what is no JSON', () => {
  const nested = (depth: number) => Buffer.from('['.repeat(depth) + ']'.repeat(depth))
  expect(() => checkShape(nested(100_000))).toThrow(InvalidJson)
  expect(() => checkShape(nested(maxDepth))).not.toThrow()
  expect(() => checkShape(Buffer.from('{"a":"[['))).toThrow(InvalidJson)
  expect(() => parseJson(Buffer.from('{'))).toThrow(InvalidJson)
})
