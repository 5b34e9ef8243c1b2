import { describe, expect, it } from 'vitest'
import { arrowStep, gridShape } from './grid-shape.ts'

describe('gridShape', () => {
  it('returns 2 columns for 358 pixels, 5 for 1000 pixels, and 1 for a list or a width of 0', () => {
    expect(gridShape('grid', 358).columns).toBe(2)
    expect(gridShape('grid', 1000).columns).toBe(5)
    expect(gridShape('list', 1000).columns).toBe(1)
    expect(gridShape('grid', 0).columns).toBe(1)
  })
})

describe('arrowStep', () => {
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
  ])('with %s at index %i returns %j', (key, from, to) => {
    expect(arrowStep(key, from, grid)).toBe(to)
  })

  it('returns undefined for an empty list', () => {
    expect(arrowStep('ArrowDown', 0, { ...grid, count: 0 })).toBeUndefined()
  })
})
