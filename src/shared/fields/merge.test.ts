import { describe, expect, it } from 'vitest'
import { type Field, fieldSchema } from './index.ts'
import { mergeValues } from './merge.ts'
import type { StoredValues } from './walk.ts'

const field = (_id: string, settings: object = { type: 'TEXT' }): Field =>
  ({ ...fieldSchema.parse({ _id: '0'.repeat(24), uid: _id, name: _id, ...settings }), _id }) as Field
const names = ['a', 'b', 'c', 'd', 'e', 'f']
const fields = names.map((name) =>
  field(name, name === 'b' ? { type: 'TEXT', multiple: true } : { type: 'TEXT' }),
)

const applyValues = (values: StoredValues, given: ReadonlyMap<string, unknown>): StoredValues =>
  Object.fromEntries(
    [...new Map([...Object.entries(values), ...given])].filter(([, value]) => value !== undefined),
  )

/** Merges the `given` values as our side. All other fields are unchanged on our side. */
const merge = (base: StoredValues, current: StoredValues, given: ReadonlyMap<string, unknown>) =>
  mergeValues(fields, base, current, applyValues(base, given))

const base = { a: '1', b: ['x'], c: 3 }

describe('mergeValues', () => {
  it('keeps both changes if the sides changed different fields', () => {
    const merged = merge(base, { ...base, a: '2' }, new Map([['c', 4]]))
    expect(merged).toEqual({ value: { a: '2', b: ['x'], c: 4 }, theirs: ['a'], conflicts: [] })
  })

  it('treats our value as unchanged if it equals the base', () => {
    const merged = merge(
      base,
      { ...base, a: '2' },
      new Map<string, unknown>([
        ['a', '1'],
        ['c', 4],
      ]),
    )
    expect(merged).toEqual({ value: { a: '2', b: ['x'], c: 4 }, theirs: ['a'], conflicts: [] })
  })

  it('reports a conflict if both sides changed a list without _ids differently', () => {
    const merged = merge(base, { ...base, b: ['x', 'y'] }, new Map([['b', ['x', 'z']]]))
    expect(merged.conflicts).toEqual(['b'])
  })

  it('reports no conflict if both sides make the same change', () => {
    const merged = merge(base, { ...base, b: ['x', 'y'] }, new Map([['b', ['x', 'y']]]))
    expect(merged).toMatchObject({ conflicts: [], theirs: ['b'] })
  })

  it('treats emptying a field as a change, on either side', () => {
    const { a: _, ...withoutA } = base
    expect(merge(base, withoutA, new Map([['a', '2']])).conflicts).toEqual(['a'])
    expect(merge(base, withoutA, new Map([['c', undefined]])).value).toEqual({ b: ['x'] })
    expect(merge(base, { ...base, a: '2' }, new Map([['a', undefined]])).conflicts).toEqual(['a'])
  })

  it('returns the same value for disjoint edits in either order of the sides', () => {
    let seed = 7
    const random = (n: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return seed % n
    }
    for (let round = 0; round < 500; round++) {
      const state = Object.fromEntries(names.filter(() => random(2)).map((name) => [name, random(3)]))
      const mine = new Map<string, number | undefined>()
      const theirs = new Map<string, number | undefined>()
      for (const name of names) {
        const value = random(4) || undefined
        if (random(2)) mine.set(name, value)
        else theirs.set(name, value)
      }
      const one = merge(state, applyValues(state, theirs), mine)
      const other = merge(state, applyValues(state, mine), theirs)
      expect(one.conflicts).toEqual([])
      expect(one.value).toEqual(applyValues(applyValues(state, theirs), mine))
      expect(other.value).toEqual(one.value)
    }
  })
})
