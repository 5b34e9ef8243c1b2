import { createContext, useContext } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import type { ChangedDocumentsPage, ChangesChoice } from '#shared/contract/move-updates.ts'

/** uid of the app into which what is shown goes; null: it is a move of the space. */
export const IntoApp = createContext<string | null>(null)

/** Where a move is asked for: by its space, or by the app into which it goes. */
export interface MovePlace {
  p: string
  a: string | null
}

export const useMovePlace = (p: string): MovePlace => ({ p, a: useContext(IntoApp) })

/** Sentences of updates; an import into an app has its own under the same keys. */
export function useUpdateWords<Namespace extends 'moves.update' | `moves.update.${Part}`>(
  namespace: Namespace,
): ReturnType<typeof useTranslations<Namespace>> {
  const isImport = useContext(IntoApp) !== null
  return useTranslations(
    (isImport ? namespace.replace('moves.update', 'moves.into') : namespace) as Namespace,
  )
}
type Part = 'plan' | 'additions' | 'files' | 'choose' | 'result'

/** The calls about one move. */
export function moveCalls({ p, a }: MovePlace, id: string) {
  const params = { p, id }
  if (a === null)
    return {
      get: (signal: AbortSignal) => api('GET /api/project/{p}/move/{id}', { params, signal }),
      sign: (signal: AbortSignal) => api('GET /api/project/{p}/move/{id}/signedUrl', { params, signal }),
      confirm: (signal: AbortSignal) => api('POST /api/project/{p}/move/{id}/signedUrl', { params, signal }),
      changes: (signal: AbortSignal) => api('GET /api/project/{p}/move/{id}/changes', { params, signal }),
      documents: (query: ChangedDocumentsPage, signal: AbortSignal) =>
        api('GET /api/project/{p}/move/{id}/changes/documents', { params, query, signal }),
      choose: (data: ChangesChoice) =>
        api('PUT /api/project/{p}/move/{id}/changes', { params, body: { data } }),
      start: () => api('POST /api/project/{p}/move/{id}/start', { params }),
      cancel: () => api('POST /api/project/{p}/move/{id}/cancel', { params }),
      retry: () => api('POST /api/project/{p}/move/{id}/retry', { params }),
      forget: () => api('DELETE /api/project/{p}/move/{id}', { params }),
    }
  const inside = { ...params, a }
  const path = '/api/project/{p}/app/{a}/import/{id}' as const
  return {
    get: (signal: AbortSignal) => api(`GET ${path}`, { params: inside, signal }),
    sign: (signal: AbortSignal) => api(`GET ${path}/signedUrl`, { params: inside, signal }),
    confirm: (signal: AbortSignal) => api(`POST ${path}/signedUrl`, { params: inside, signal }),
    changes: (signal: AbortSignal) => api(`GET ${path}/changes`, { params: inside, signal }),
    documents: (query: ChangedDocumentsPage, signal: AbortSignal) =>
      api(`GET ${path}/changes/documents`, { params: inside, query, signal }),
    choose: (data: ChangesChoice) => api(`PUT ${path}/changes`, { params: inside, body: { data } }),
    start: () => api(`POST ${path}/start`, { params: inside }),
    cancel: () => api(`POST ${path}/cancel`, { params: inside }),
    retry: () => api(`POST ${path}/retry`, { params: inside }),
    forget: () => api(`DELETE ${path}`, { params: inside }),
  }
}
