import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { appRoleQuery, modelQuery } from '#admin/lib/queries.ts'
import { useAccount } from '#admin/lib/session.ts'
import { rightsIn } from '#admin/lib/use-can.ts'
import type { Document } from '#shared/contract/documents.ts'
import { canActOnDocument, type DocumentAction, type Grants } from '#shared/permissions.ts'
import type { ModelPlace } from './documents.queries.ts'

export type DocumentRights = Record<DocumentAction, boolean>

type Owned = { sys: Pick<Document['_sys'], 'createdBy' | 'status'> } | null

/** Returns the caller's rights on documents of the model. No rights until they are loaded. The server enforces them. */
export function useDocumentRights({ p, a, m }: ModelPlace): (document: Owned) => DocumentRights {
  const account = useAccount()
  const { data: app } = useQuery(appRoleQuery(p, a))
  const { data: model } = useQuery(modelQuery(p, a, m))
  const accountId = account?._id
  const modelId = model?._id
  return useMemo(() => {
    const grants: Grants | null =
      app && modelId !== undefined ? { rights: new Set(rightsIn(app, modelId)) } : null
    return (document) => {
      // A new document will belong to the caller.
      const own = document === null || document.sys.createdBy?._id === accountId
      const published = document !== null && document.sys.status !== 'draft'
      const may = (action: DocumentAction) =>
        grants !== null && canActOnDocument(grants, action, { own, published })
      return {
        create: grants !== null && canActOnDocument(grants, 'create', { own: true, published: false }),
        edit: may(document === null ? 'create' : 'edit'),
        publish: may('publish'),
        unpublish: may('unpublish'),
        delete: may('delete'),
      }
    }
  }, [app, modelId, accountId])
}

const none: ReadonlySet<string> = new Set()

/** Returns the `_id`s of fields that the caller's role makes read-only. */
export function useReadOnlyFields({ p, a }: ModelPlace, modelId: string): ReadonlySet<string> {
  const { data: app } = useQuery(appRoleQuery(p, a))
  const ids = app?.models[modelId]?.readOnly
  return useMemo(() => (ids?.length ? new Set(ids) : none), [ids])
}
