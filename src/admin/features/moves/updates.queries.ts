import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import type { MoveChangeKind, MoveOutcome } from '#shared/contract/move-updates.ts'
import { movesKey } from './moves.queries.ts'

export const changesKey = (p: string, id: string) => [...movesKey(p), id, 'changes'] as const

/** What an update brings, or has brought. */
export const changesQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: changesKey(p, id),
    queryFn: ({ signal }) => api('GET /api/project/{p}/move/{id}/changes', { params: { p, id }, signal }),
    staleTime: 0,
  })

/** Documents of one kind, or with one outcome. */
export type Which = { kind: MoveChangeKind } | { outcome: MoveOutcome }

const pageSize = 50

export const changedDocumentsQuery = (p: string, id: string, which: Which) =>
  infiniteQueryOptions({
    queryKey: [...changesKey(p, id), 'documents', which],
    queryFn: ({ signal, pageParam }) =>
      api('GET /api/project/{p}/move/{id}/changes/documents', {
        params: { p, id },
        query: { ...which, limit: pageSize, skip: pageParam },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => {
      const shown = pages.reduce((sum, { documents }) => sum + documents.length, 0)
      return shown < total ? shown : undefined
    },
    staleTime: 0,
  })
