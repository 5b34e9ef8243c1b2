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

/** The props that the page passes to the editor. */
export interface Received {
  /** The server's state, updated over time. null: a new document. */
  document: Document | null
  /** Whether the document no longer exists on the server. */
  isGone: boolean
  /** Called with the `_id` of a newly created document, before navigating to its URL. */
  onCreated: (id: string) => void
}

/**
 * Returns the editing session of this editor. It reports by toasts and navigation, and receives new states from the
 * server.
 */
export function useEditing({ document, isGone, onCreated }: Received): Editing {
  const { place, store, saver, over } = useEditor()
  const t = useTranslations('documents.editor')
  const navigate = useNavigate()
  const { phase } = useSaveStatus()

  function tell(news: News): void {
    if (news.kind === 'published') return void toast.success(t('published'))
    // For these errors, a permanent notice above the fields replaces the toast.
    const now = saver.status.get().phase
    const isRemoved = news.kind === 'failed' && (now === 'removed' || now === 'modelGone')
    if (!isRemoved) toast.error(trouble(news))
    if (isRemoved || news.kind === 'deleted') window.scrollTo({ top: 0 })
  }

  function trouble(news: Exclude<News, { kind: 'published' }>): string {
    if (news.kind === 'deleted') return t('deletedWhileEditing')
    if (news.kind === 'failed') return failureText(news.error)
    return news.type === 'PUBLISH' ? t('cannotPublish') : t('cannotSave')
  }

  /** Returns the reason why a save failed. Some of these texts also say where the input is kept. */
  function failureText(error: unknown): string {
    if (isOffline(error)) return t('offline')
    if (error instanceof ApiError && error.code === 'Unauthorized') return t('signedOut')
    return errorText(error)
  }

  // The session outlives single renders. It reads these functions from a ref, because they depend on the current URL
  // and language.
  const now: EditingPage = {
    tell,
    changed: (changed) => documentsChanged(place, changed),
    goTo: async ({ _id: id }) => {
      onCreated(id)
      if (over) return
      await navigate({
        to: '/$p/$a/$m/$id',
        params: { ...place, id },
        replace: true,
        ignoreBlocker: true,
        // The form stays mounted, and the user may be typing, so the scroll position is kept.
        resetScroll: false,
      })
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
