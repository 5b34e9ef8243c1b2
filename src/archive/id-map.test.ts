import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { IdMap } from './id-map.ts'

const randomId = () => randomBytes(12).toString('hex')

it('IdMap returns the same values and ids as a Map', () => {
  const map = new Map<string, number>()
  const ids = new IdMap()
  const others = ['', 'ff', 'F'.repeat(24), `${'0'.repeat(23)}g`, `${'0'.repeat(23)}é`, '記事', '__proto__']
  const known = [...Array.from({ length: 3_000 }, randomId), '0'.repeat(24), 'f'.repeat(24), ...others]
  for (const [at, id] of known.entries()) {
    expect(ids.has(id)).toBe(false)
    ids.set(id, at)
    map.set(id, at)
  }
  for (const id of known.slice(0, 500)) {
    ids.set(id, 2 ** 32 - 1)
    map.set(id, 2 ** 32 - 1)
  }
  expect(ids.size).toBe(map.size)
  expect([...ids.ids()]).toEqual([...map.keys()])
  for (const id of known) expect(ids.get(id)).toBe(map.get(id))
  for (let count = 0; count < 3_000; count++) expect(ids.has(randomId())).toBe(false)
})

it('IdMap distinguishes 10,000 consecutive ids', () => {
  const ids = new IdMap()
  const idOf = (at: number) => `a${at.toString(16).padStart(23, '0')}`
  for (let at = 0; at < 10_000; at++) ids.set(idOf(at), at)
  expect(ids.size).toBe(10_000)
  for (let at = 0; at < 10_000; at++) expect(ids.get(idOf(at))).toBe(at)
  expect(ids.get(idOf(10_000))).toBeUndefined()
})
