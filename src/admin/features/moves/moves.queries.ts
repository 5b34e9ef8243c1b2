import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import type { Move } from '#shared/contract/moves.ts'
import { type MovePlace, moveCalls } from './move-place.ts'

/** Polling interval while a job of a migration runs, in milliseconds. */
const lookEvery = 1_500

/** Returns whether a job is processing the migration. */
export const isUnderWay = ({ state, stopped }: Pick<Move, 'state' | 'stopped'>) =>
  stopped === null && (state === 'checking' || state === 'importing' || state === 'undoing')

/** Returns whether the migration's plan can be edited and started. */
export const canStart = ({ state }: Pick<Move, 'state'>) => state === 'planned' || state === 'undone'

export const movesKey = (p: string) => ['space', p, 'moves'] as const

/** Loads the migrations of the space. */
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

/** Loads the imports into an app, finished or not. */
export const importsQuery = (p: string, a: string) =>
  queryOptions({
    queryKey: [...movesKey(p), 'into', a],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/app/{a}/import', { params: { p, a }, signal })).moves,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data?.some(isUnderWay) ? lookEvery : false),
  })

/**
 * Loads the apps of a migration with several apps. The user edits them on the page, so they are not refetched
 * automatically while the page is open.
 */
export const moveAppsQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: [...movesKey(p), id, 'apps'],
    queryFn: ({ signal }) => api('GET /api/project/{p}/move/{id}/apps', { params: { p, id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

/**
 * Loads the plan of a migration. The user edits it on the page, so it is not refetched automatically while the page is
 * open.
 */
export const movePlanQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: [...movesKey(p), id, 'plan'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/move/{id}/plan', { params: { p, id }, signal })).plan,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
