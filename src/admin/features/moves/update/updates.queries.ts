import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { MoveChangeKind, MoveOutcome } from '#shared/contract/move-updates.ts'
import { type MovePlace, moveCalls } from '../move-place.ts'
import { movesKey } from '../moves.queries.ts'

export const changesKey = (p: string, id: string) => [...movesKey(p), id, 'changes'] as const

/** Loads the changes of an update, planned or done. */
export const changesQuery = (place: MovePlace, id: string) =>
  queryOptions({
    queryKey: changesKey(place.p, id),
    queryFn: ({ signal }) => moveCalls(place, id).changes(signal),
    staleTime: 0,
  })

/** A filter by kind of change or by outcome. */
export type Which = { kind: MoveChangeKind } | { outcome: MoveOutcome }

const pageSize = 50

export const changedDocumentsQuery = (place: MovePlace, id: string, which: Which) =>
  infiniteQueryOptions({
    queryKey: [...changesKey(place.p, id), 'documents', which],
    queryFn: ({ signal, pageParam }) =>
      moveCalls(place, id).documents({ ...which, limit: pageSize, skip: pageParam }, signal),
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => {
      const shown = pages.reduce((sum, { documents }) => sum + documents.length, 0)
      return shown < total ? shown : undefined
    },
    staleTime: 0,
  })
