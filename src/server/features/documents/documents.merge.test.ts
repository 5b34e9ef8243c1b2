import { describe, expect, it } from 'vitest'
import { applyValues, mergeValues } from './documents.merge.ts'

const base = { a: '1', b: ['x'], c: 3 }

describe('mergeValues', () => {
  it('keeps both sides when they changed other fields', () => {
    const merge = mergeValues(base, { ...base, a: '2' }, new Map([['c', 4]]))
    expect(merge).toEqual({ values: { a: '2', b: ['x'], c: 4 }, theirs: ['a'], conflicts: [] })
  })

  it('takes a value that is sent as it was in the base for no change', () => {
    const merge = mergeValues(
      base,
      { ...base, a: '2' },
      new Map<string, unknown>([
        ['a', '1'],
        ['c', 4],
      ]),
    )
    expect(merge).toEqual({ values: { a: '2', b: ['x'], c: 4 }, theirs: ['a'], conflicts: [] })
  })

  it('finds the same field changed on both sides, lists as a whole', () => {
    const merge = mergeValues(base, { ...base, b: ['x', 'y'] }, new Map([['b', ['x', 'z']]]))
    expect(merge.conflicts).toEqual(['b'])
  })

  it('lets both sides make the same change', () => {
    const merge = mergeValues(base, { ...base, b: ['x', 'y'] }, new Map([['b', ['x', 'y']]]))
    expect(merge).toMatchObject({ conflicts: [], theirs: ['b'] })
  })

  it('sees that they emptied, and that we emptied', () => {
    const { a: _, ...withoutA } = base
    expect(mergeValues(base, withoutA, new Map([['a', '2']])).conflicts).toEqual(['a'])
    expect(mergeValues(base, withoutA, new Map([['c', undefined]])).values).toEqual({ b: ['x'] })
    expect(mergeValues(base, { ...base, a: '2' }, new Map([['a', undefined]])).conflicts).toEqual(['a'])
  })

  it('applies both edits whatever they are, in either order, when they are disjoint', () => {
    let seed = 7
    const random = (n: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return seed % n
    }
    for (let round = 0; round < 500; round++) {
      const fields = ['a', 'b', 'c', 'd', 'e', 'f']
      const state = Object.fromEntries(fields.filter(() => random(2)).map((field) => [field, random(3)]))
      const mine = new Map<string, number | undefined>()
      const theirs = new Map<string, number | undefined>()
      for (const field of fields) {
        const value = random(4) || undefined
        if (random(2)) mine.set(field, value)
        else theirs.set(field, value)
      }
      const one = mergeValues(state, applyValues(state, theirs), mine)
      const other = mergeValues(state, applyValues(state, mine), theirs)
      expect(one.conflicts).toEqual([])
      expect(one.values).toEqual(applyValues(applyValues(state, theirs), mine))
      expect(other.values).toEqual(one.values)
    }
  })
})
