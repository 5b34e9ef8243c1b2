import { beforeEach, expect, it, vi } from 'vitest'
import { copiesOf, findCopies, removeCopy, writeCopy } from './unsaved-copies.ts'

const place = { p: 'kawa', a: 'blog', m: 'article' }
const base = copiesOf('me', place, 'new')
const copy = (title: string, at: number) => ({ values: { title }, version: null, at })
const find = (more: object = {}) =>
  findCopies(base, { own: `${base}/own`, alive: new Set<string>(), now: 1000, ...more }).map(
    ({ values }) => values.title,
  )

beforeEach(() => localStorage.clear())

it('findCopies returns copies of the same account and document from earlier visits, newest first', () => {
  writeCopy(`${base}/a`, copy('older', 10))
  writeCopy(`${base}/b`, copy('newer', 20))
  writeCopy(`${base}/own`, copy('own', 30))
  writeCopy(`${copiesOf('you', place, 'new')}/c`, copy('yours', 40))
  writeCopy(`${copiesOf('me', place, 'a'.repeat(24))}/d`, copy('other', 50))
  expect(find()).toEqual(['newer', 'older'])
})

it('findCopies ignores copies in use by another tab', () => {
  writeCopy(`${base}/a`, copy('there', 10))
  expect(find({ alive: new Set([`${base}/a`]) })).toEqual([])
  removeCopy(`${base}/a`)
  expect(find()).toEqual([])
})

it('findCopies deletes copies that are broken or older than 30 days', () => {
  localStorage.setItem(`${base}/a`, '{')
  writeCopy(`${base}/b`, copy('old', 10))
  expect(find({ now: 40 * 24 * 60 * 60 * 1000 })).toEqual([])
  expect(localStorage.length).toBe(0)
})

it('writeCopy and findCopies ignore errors of a forbidden storage', () => {
  vi.spyOn(window, 'localStorage', 'get').mockImplementation(() => {
    throw new Error('forbidden')
  })
  writeCopy(`${base}/a`, copy('x', 1))
  expect(find()).toEqual([])
  vi.restoreAllMocks()
  expect(localStorage.length).toBe(0)
})
