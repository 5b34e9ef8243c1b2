import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { appRoleQuery } from '#admin/lib/queries.ts'
import { useAccount } from '#admin/lib/session.ts'
import type { Document } from '#shared/contract/documents.ts'
import { canActOnDocument, type DocumentAction, type Grants } from '#shared/permissions.ts'
import type { ModelPlace } from './documents.queries.ts'

export type DocumentRights = Record<DocumentAction, boolean>

type Owned = { sys: Pick<Document['_sys'], 'createdBy' | 'status'> } | null

/** What the caller may do with documents of the model. Nothing until it is known; the server decides in the end. */
export function useDocumentRights({ p, a }: ModelPlace): (document: Owned) => DocumentRights {
  const account = useAccount()
  const { data: app } = useQuery(appRoleQuery(p, a))
  const accountId = account?._id
  return useMemo(() => {
    const grants: Grants | null = app ? { rights: new Set(app.rights) } : null
    return (document) => {
      // What does not exist yet will be the caller's own.
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
  }, [app, accountId])
}
