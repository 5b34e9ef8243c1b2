import { beforeEach, expect, it } from 'vitest'
import { answerRequests } from '#admin/lib/testing.tsx'
import {
  addCreated,
  hasNeighbours,
  neighbourOf,
  readSeenList,
  type SeenList,
  writeSeenList,
} from './seen-list.ts'

const place = { p: 'kawa', a: 'blog', m: 'article' }
const list = (more: Partial<SeenList> = {}): SeenList => ({
  search: { q: '池', sort: '-title' },
  query: 'search=池&order=-title',
  top: 120,
  total: 4,
  first: 1,
  ids: ['b', 'c'],
  ...more,
})

beforeEach(() => sessionStorage.clear())

it('writeSeenList stores the list for the given model, and for no other model of the app', () => {
  writeSeenList(place, list())
  expect(readSeenList(place)).toEqual(list())
  expect(readSeenList({ ...place, m: 'author' })).toBeNull()
})

it('hasNeighbours returns false for a direction without a neighbour, and for documents outside the list', () => {
  expect(hasNeighbours(list(), 'b')).toEqual({ previous: true, next: true })
  expect(hasNeighbours(list({ first: 0, total: 2 }), 'b')).toEqual({ previous: false, next: true })
  expect(hasNeighbours(list({ first: 0, total: 2 }), 'c')).toEqual({ previous: true, next: false })
  expect(hasNeighbours(list(), 'x')).toEqual({ previous: false, next: false })
  expect(hasNeighbours(null, 'b')).toEqual({ previous: false, next: false })
})

it('neighbourOf sends a request only for an unknown row, and ignores known rows in the response', async () => {
  writeSeenList(place, list())
  const seen = answerRequests(({ path }) => ({
    body: {
      documents: path.includes('skip=0') ? [{ _id: 'a' }] : [{ _id: 'b' }, { _id: 'd' }],
      total: 4,
      skip: 0,
      limit: 50,
    },
  }))
  expect(await neighbourOf(place, 'b', 'next')).toBe('c')
  expect(await neighbourOf(place, 'c', 'previous')).toBe('b')
  expect(seen).toEqual([])
  expect(await neighbourOf(place, 'b', 'previous')).toBe('a')
  expect(await neighbourOf(place, 'c', 'next')).toBe('d')
  expect(seen.map(({ path }) => new URL(path, 'http://x').searchParams.get('skip'))).toEqual(['0', '3'])
  expect(readSeenList(place)).toMatchObject({ first: 0, ids: ['a', 'b', 'c', 'd'] })
})

it('addCreated adds only the first document of an empty single-document view', () => {
  const empty = list({ first: 0, total: 0, ids: [], singleton: 'top' })
  writeSeenList(place, empty)
  addCreated(place, 'a')
  addCreated(place, 'b')
  expect(readSeenList(place)).toEqual({ ...empty, total: 1, ids: ['a'] })
  writeSeenList(place, list({ ids: [] }))
  addCreated(place, 'a')
  expect(readSeenList(place)?.ids).toEqual([])
})
