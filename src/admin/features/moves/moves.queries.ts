import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import type { Move } from '#shared/contract/moves.ts'
import { type MovePlace, moveCalls } from './move-place.ts'

/** Polling interval for a running move, in milliseconds. */
const lookEvery = 1_500

/** Whether a job is processing it. */
export const isUnderWay = ({ state, stopped }: Pick<Move, 'state' | 'stopped'>) =>
  stopped === null && (state === 'checking' || state === 'importing' || state === 'undoing')

/** Whether its plan can be edited and started. */
export const canStart = ({ state }: Pick<Move, 'state'>) => state === 'planned' || state === 'undone'

export const movesKey = (p: string) => ['space', p, 'moves'] as const

/** The moves of the space. */
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

/** The imports into an app, finished or not. */
export const importsQuery = (p: string, a: string) =>
  queryOptions({
    queryKey: [...movesKey(p), 'into', a],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/app/{a}/import', { params: { p, a }, signal })).moves,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data?.some(isUnderWay) ? lookEvery : false),
  })

/** The apps of a move with several. They are edited here, so they are only refetched when the page is reopened. */
export const moveAppsQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: [...movesKey(p), id, 'apps'],
    queryFn: ({ signal }) => api('GET /api/project/{p}/move/{id}/apps', { params: { p, id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

/** The plan of a move. It is edited here, so it is only refetched when the page is reopened. */
export const movePlanQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: [...movesKey(p), id, 'plan'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/move/{id}/plan', { params: { p, id }, signal })).plan,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
