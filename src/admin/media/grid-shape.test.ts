import { describe, expect, it } from 'vitest'
import { arrowStep, gridShape } from './grid-shape.ts'

describe('the shape of a grid', () => {
  it('has two tiles beside each other on a phone, more on a desk, one line each in a list', () => {
    expect(gridShape('grid', 358).columns).toBe(2)
    expect(gridShape('grid', 1000).columns).toBe(5)
    expect(gridShape('list', 1000).columns).toBe(1)
    expect(gridShape('grid', 0).columns).toBe(1)
  })
})

describe('arrows', () => {
  // Rows of three: 0 1 2 / 3 4 5 / 6 7
  const grid = { columns: 3, page: 6, count: 8 }
  it.each([
    ['ArrowRight', 2, 3],
    ['ArrowRight', 7, 7],
    ['ArrowLeft', 3, 2],
    ['ArrowDown', 1, 4],
    ['ArrowDown', 5, 7],
    ['ArrowDown', 7, 7],
    ['ArrowUp', 4, 1],
    ['ArrowUp', 1, 1],
    ['PageDown', 1, 7],
    ['PageUp', 7, 1],
    ['Home', 5, 0],
    ['End', 0, 7],
    ['x', 0, undefined],
  ])('%s from %i leads to %j', (key, from, to) => {
    expect(arrowStep(key, from, grid)).toBe(to)
  })

  it('lead nowhere where there is nothing', () => {
    expect(arrowStep('ArrowDown', 0, { ...grid, count: 0 })).toBeUndefined()
  })
})
