import { createContext, useContext } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import type { ChangedDocumentsPage, ChangesChoice } from '#shared/contract/move-updates.ts'

/** uid of the app that receives the import. null: a migration of the space. */
export const IntoApp = createContext<string | null>(null)

/** The API scope of a migration: its space, or the app that it is imported into (`a`). */
export interface MovePlace {
  p: string
  a: string | null
}

export const useMovePlace = (p: string): MovePlace => ({ p, a: useContext(IntoApp) })

/** Returns the translations for updates. Imports into an app have different texts under the same keys. */
export function useUpdateWords<Namespace extends 'moves.update' | `moves.update.${Part}`>(
  namespace: Namespace,
): ReturnType<typeof useTranslations<Namespace>> {
  const isOfApp = useContext(IntoApp) !== null
  return useTranslations((isOfApp ? namespace.replace('moves.update', 'moves.into') : namespace) as Namespace)
}
type Part = 'plan' | 'additions' | 'files' | 'choose' | 'result'

/** Returns the API calls of one migration, at the paths of its space or of the app that it is imported into. */
export function moveCalls({ p, a }: MovePlace, id: string) {
  const path = a === null ? '/api/project/{p}/move/{id}' : '/api/project/{p}/app/{a}/import/{id}'
  // The path of a space's migration contains no `{a}`.
  const params = { p, a: a ?? '', id }
  return {
    get: (signal: AbortSignal) => api(`GET ${path}`, { params, signal }),
    sign: (signal: AbortSignal) => api(`GET ${path}/signedUrl`, { params, signal }),
    confirm: (signal: AbortSignal) => api(`POST ${path}/signedUrl`, { params, signal }),
    changes: (signal: AbortSignal) => api(`GET ${path}/changes`, { params, signal }),
    documents: (query: ChangedDocumentsPage, signal: AbortSignal) =>
      api(`GET ${path}/changes/documents`, { params, query, signal }),
    choose: (data: ChangesChoice) => api(`PUT ${path}/changes`, { params, body: { data } }),
    start: () => api(`POST ${path}/start`, { params }),
    cancel: () => api(`POST ${path}/cancel`, { params }),
    retry: () => api(`POST ${path}/retry`, { params }),
    forget: () => api(`DELETE ${path}`, { params }),
  }
}
