import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError } from '#admin/lib/api.ts'
import { errorText, isOffline } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { useReconnect } from '#admin/lib/use-reconnect.ts'
import type { Document } from '#shared/contract/documents.ts'
import { documentsChanged } from '../documents.queries.ts'
import { Editing, type EditingPage, type News } from './editing.ts'
import { useEditor, useSaveStatus } from './editor-context.ts'

/** What the page of the editor gives it. */
export interface Received {
  /** As the server knows it; newer states may follow. Null: a new one. */
  document: Document | null
  /** The server no longer has it. */
  isGone: boolean
  /** A new document was saved and has an `_id`; called before its address is gone to. */
  onCreated: (id: string) => void
}

/** The work on the document of this editor, told by toasts and addresses, and fed with what the server says anew. */
export function useEditing({ document, isGone, onCreated }: Received): Editing {
  const { place, store, saver, over } = useEditor()
  const t = useTranslations('documents.editor')
  const navigate = useNavigate()
  const { phase } = useSaveStatus()

  function tell(news: News): void {
    if (news.kind === 'published') return void toast.success(t('published'))
    // What stays above the fields says it once, and not again beside them.
    const isRemoved = news.kind === 'failed' && saver.status.get().phase === 'removed'
    if (!isRemoved) toast.error(trouble(news))
    if (isRemoved || news.kind === 'deleted') window.scrollTo({ top: 0 })
  }

  function trouble(news: Exclude<News, { kind: 'published' }>): string {
    if (news.kind === 'deleted') return t('deletedWhileEditing')
    if (news.kind === 'failed') return failureText(news.error)
    return news.type === 'PUBLISH' ? t('cannotPublish') : t('cannotSave')
  }

  /** Why a save failed, and where the text is now. */
  function failureText(error: unknown): string {
    if (isOffline(error)) return t('offline')
    if (error instanceof ApiError && error.code === 'Unauthorized') return t('signedOut')
    return errorText(error)
  }

  // The work outlives what the page is drawn with at the moment: its address, its language.
  const now: EditingPage = {
    tell,
    changed: (changed) => documentsChanged(place, changed),
    goTo: async ({ _id: id }) => {
      onCreated(id)
      if (over) return
      await navigate({ to: '/$p/$a/$m/$id', params: { ...place, id }, replace: true, ignoreBlocker: true })
    },
  }
  const page = useRef(now)
  page.current = now
  const [editing] = useState(
    () =>
      new Editing(store, saver, {
        tell: (news) => page.current.tell(news),
        changed: (changed) => page.current.changed(changed),
        goTo: (created) => page.current.goTo(created),
      }),
  )

  useEffect(() => {
    if (document) editing.receive(document)
  }, [document, editing])
  useEffect(() => {
    if (isGone) editing.receiveGone()
  }, [isGone, editing])
  useReconnect(phase === 'offline', () => void editing.resume())
  return editing
}
