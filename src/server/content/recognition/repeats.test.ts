import { expect, it } from 'vitest'
import { Repeats } from './repeats.ts'

it('detects a repeated value', () => {
  const repeats = new Repeats({ left: 10 })
  for (const value of ['いもり', 'やもり']) repeats.add(value)
  expect(repeats.areNone).toBe(true)
  repeats.add('いもり')
  expect(repeats.areNone).toBe(false)
})

it('does not know of repetition when the fields together have too many values, and leaves room for the others', () => {
  const budget = { left: 4 }
  const [one, two] = [new Repeats(budget), new Repeats(budget)]
  for (const value of ['a', 'b']) {
    one.add(value)
    two.add(value)
  }
  expect(budget.left).toBe(0)
  one.add('c')
  two.add('c')
  expect([one.areNone, two.areNone, budget.left]).toEqual([false, true, 1])
})
