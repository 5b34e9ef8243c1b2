import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import type { Move } from '#shared/contract/moves.ts'
import { type MovePlace, moveCalls } from './move-place.ts'

/** Milliseconds between two looks at a move that is under way. */
const lookEvery = 1_500

/** Is a job at work on it? */
export const isUnderWay = ({ state, stopped }: Pick<Move, 'state' | 'stopped'>) =>
  stopped === null && (state === 'checking' || state === 'importing' || state === 'undoing')

/** Can its plan be corrected, and started? */
export const canStart = ({ state }: Pick<Move, 'state'>) => state === 'planned' || state === 'undone'

export const movesKey = (p: string) => ['space', p, 'moves'] as const

/** What moves, or has moved, into the space. */
export const movesQuery = (p: string) =>
  queryOptions({
    queryKey: movesKey(p),
    queryFn: async ({ signal }) => (await api('GET /api/project/{p}/move', { params: { p }, signal })).moves,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data?.some(isUnderWay) ? lookEvery : false),
  })

export const moveQuery = (place: MovePlace, id: string) =>
  queryOptions({
    queryKey: [...movesKey(place.p), id],
    queryFn: async ({ signal }) => (await moveCalls(place, id).get(signal)).move,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data && isUnderWay(data) ? lookEvery : false),
  })

/** What was imported into an app, or is to be. */
export const importsQuery = (p: string, a: string) =>
  queryOptions({
    queryKey: [...movesKey(p), 'into', a],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/app/{a}/import', { params: { p, a }, signal })).moves,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data?.some(isUnderWay) ? lookEvery : false),
  })

/** The apps of a move of several. They are chosen here, and looked at again when somebody comes back to them. */
export const moveAppsQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: [...movesKey(p), id, 'apps'],
    queryFn: ({ signal }) => api('GET /api/project/{p}/move/{id}/apps', { params: { p, id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

/** What a move is going to make. It is corrected here, and looked at again only when somebody comes back to it. */
export const movePlanQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: [...movesKey(p), id, 'plan'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/move/{id}/plan', { params: { p, id }, signal })).plan,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
