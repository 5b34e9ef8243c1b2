import { expect, it } from 'vitest'
import { Repeats } from './repeats.ts'

it('Repeats detects a repeated value', () => {
  const repeats = new Repeats({ left: 10 })
  for (const value of ['いもり', 'やもり']) repeats.add(value)
  expect(repeats.areNone).toBe(true)
  repeats.add('いもり')
  expect(repeats.areNone).toBe(false)
})

it('Repeats assumes a repeated value beyond the shared budget, and frees its part of the budget', () => {
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
