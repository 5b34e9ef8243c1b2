import { expect, it } from 'vitest'
import { checkDepth, InvalidJson, maxDepth, parseJson } from './json.ts'

it('refuses nesting no model can make, and what is no JSON', () => {
  const nested = (depth: number) => Buffer.from('['.repeat(depth) + ']'.repeat(depth))
  expect(() => checkDepth(nested(100_000))).toThrow(InvalidJson)
  expect(() => checkDepth(nested(maxDepth))).not.toThrow()
  expect(() => checkDepth(Buffer.from('{"a":"[['))).toThrow(InvalidJson)
  expect(() => parseJson(Buffer.from('{'))).toThrow(InvalidJson)
})
