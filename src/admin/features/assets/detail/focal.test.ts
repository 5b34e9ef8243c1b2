import { describe, expect, it } from 'vitest'
import { coverPosition, middle, moved, pointAt } from './focal.ts'

describe('coverPosition', () => {
  // A picture of 2:1 in a square shows half of its width.
  it.each([
    [2, 1, { x: 0.5, y: 0.5 }, '50% 50%'],
    [2, 1, { x: 0, y: 0.2 }, '0% 50%'],
    [2, 1, { x: 0.25, y: 0.2 }, '0% 50%'],
    [2, 1, { x: 0.5625, y: 0.2 }, '62.5% 50%'],
    [2, 1, { x: 1, y: 1 }, '100% 50%'],
    [0.5, 1, { x: 0.9, y: 0.4375 }, '50% 37.5%'],
    [1, 1, { x: 0.1, y: 0.9 }, '50% 50%'],
  ])(
    'for the picture ratio %s, the frame ratio %s and the focal point %j returns %s',
    (picture, shape, point, expected) => {
      expect(coverPosition(picture, shape, point)).toBe(expected)
    },
  )
})

describe('the focal point', () => {
  it('moves with arrow keys and stays inside the picture', () => {
    expect(moved(middle, 'ArrowLeft', false)).toEqual({ x: 0.49, y: 0.5 })
    expect(moved(middle, 'ArrowDown', true)).toEqual({ x: 0.5, y: 0.6 })
    expect(moved({ x: 0.05, y: 0 }, 'ArrowLeft', true)).toEqual({ x: 0, y: 0 })
    expect(moved(middle, 'Enter', false)).toBeUndefined()
    expect(pointAt(1.2, -1)).toEqual({ x: 1, y: 0 })
  })
})
