import { expect, it } from 'vitest'
import { isAccepted, readAccept } from './accept.ts'

it.each([
  ['', 'a.bin', '', true],
  ['image/*', 'a.png', 'image/png', true],
  ['image/*', 'a.pdf', 'application/pdf', false],
  ['image/*, .pdf', '報告.PDF', '', true],
  ['video/mp4', 'a.mp4', 'video/mp4', true],
  ['video/mp4', 'a.webm', 'video/webm', false],
  ['*/*', 'a.webm', 'video/webm', true],
])('isAccepted with the filter %j for %s (%j) returns %s', (accept, name, type, expected) => {
  expect(isAccepted({ name, type }, accept)).toBe(expected)
})

it('readAccept splits a filter at commas and returns null for an invalid filter', () => {
  expect(readAccept(' Image/*,, .PDF ')).toEqual(['image/*', '.pdf'])
  expect(readAccept('')).toEqual([])
  for (const wrong of ['image', 'image/*;q=1', '.', '画像', 'a/b/c']) expect(readAccept(wrong)).toBeNull()
})
