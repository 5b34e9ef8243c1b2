import { describe, expect, it } from 'vitest'
import { dragged, fitted, handles, keyed, largest, turnedSize, whole } from './crop.ts'

const size = { width: 400, height: 300 }
const region = { left: 100, top: 100, width: 200, height: 100 }

describe('crop', () => {
  it('`dragged` moves a whole region up to the edges of the picture', () => {
    expect(dragged(region, '', { x: 50, y: -20 }, size, null)).toEqual({ ...region, left: 150, top: 80 })
    expect(dragged(region, '', { x: 999, y: 999 }, size, null)).toEqual({ ...region, left: 200, top: 200 })
  })

  it('`dragged` resizes a region by the handles of an edge or a corner', () => {
    expect(dragged(region, 'e', { x: 40, y: 40 }, size, null)).toEqual({ ...region, width: 240 })
    expect(dragged(region, 'nw', { x: -50, y: -60 }, size, null)).toEqual({
      left: 50,
      top: 40,
      width: 250,
      height: 160,
    })
    expect(dragged(region, 'w', { x: 500, y: 0 }, size, null)).toEqual({ ...region, left: 299, width: 1 })
  })

  it.each(handles)(
    '`dragged` keeps the ratio 2:1 to within 2 px, and the region in the picture, for the handle %s',
    (handle) => {
      for (const by of [
        { x: 500, y: 500 },
        { x: -500, y: -500 },
        { x: 30, y: -17 },
      ]) {
        const next = dragged(region, handle, by, size, 2)
        expect(Math.abs(next.width - 2 * next.height)).toBeLessThanOrEqual(2)
        expect(next).toEqual(fitted(next, size))
      }
    },
  )

  it('`largest` returns the largest centred region with an aspect ratio', () => {
    expect(largest(size, 1)).toEqual({ left: 50, top: 0, width: 300, height: 300 })
    expect(largest(size, 16 / 9)).toEqual({ left: 0, top: 38, width: 400, height: 225 })
  })

  it('`keyed` moves and resizes a region by arrow keys', () => {
    expect(keyed(region, 'ArrowRight', false, size, null)).toEqual({ ...region, left: 104 })
    expect(keyed(region, 'ArrowDown', true, size, null)).toEqual({ ...region, height: 103 })
    expect(keyed(region, 'Enter', false, size, null)).toBeUndefined()
  })
})

it('`turnedSize` swaps the sides at 90 but not at 180 degrees, and `whole` returns the full region', () => {
  expect(turnedSize(size, 90)).toEqual({ width: 300, height: 400 })
  expect(turnedSize(size, 180)).toEqual(size)
  expect(whole(size)).toEqual({ left: 0, top: 0, width: 400, height: 300 })
})
