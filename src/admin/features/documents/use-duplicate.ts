import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { newIdempotencyKey } from '#admin/lib/idempotency-key.ts'
import { toast } from '#admin/lib/toast.ts'
import type { Model } from '#shared/contract/models.ts'
import { documentsChanged, type ModelPlace } from './documents.queries.ts'
import { titleIn } from './list/list-query.ts'

/**
 * Returns a function that creates a draft copy of a document and opens it. `title`: the title of the document; the copy
 * gets a title that says so. `''`: the server keeps the title.
 */
export function useDuplicate(model: Model, place: ModelPlace): (id: string, title: string) => Promise<void> {
  const t = useTranslations('documents.duplicate')
  const navigate = useNavigate()
  /** The request that has not succeeded yet. Repeating it with its key creates no second copy. */
  const pending = useRef<{ key: string; request: string } | null>(null)
  /** Whether a request is running. A second click is ignored then. */
  const isRunning = useRef(false)

  return async (id, title) => {
    if (isRunning.current) return
    isRunning.current = true
    const body = title ? { docTitle: t('copyOf', { title }) } : {}
    const request = JSON.stringify([place, id, body])
    if (pending.current?.request !== request) pending.current = { key: newIdempotencyKey(), request }
    try {
      const { document } = await api('POST /api/project/{p}/app/{a}/model/{m}/doc/{id}/duplicate', {
        params: { ...place, id },
        body,
        headers: { 'idempotency-key': pending.current.key },
      })
      pending.current = null
      documentsChanged(place, document)
      toast.success(t('done', { title: titleIn(model, document) || t('untitled') }))
      // Not awaited: it does not settle if the user stays on a page with unsaved changes.
      void navigate({ to: '/$p/$a/$m/$id', params: { ...place, id: document._id } })
    } catch (error) {
      toast.error(errorText(error))
    } finally {
      isRunning.current = false
    }
  }
}
