import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useStore } from '#admin/base/store.ts'
import { errorText } from '#admin/lib/errors.ts'
import { modelQuery, modelsQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { useReconnect } from '#admin/lib/use-reconnect.ts'
import type { Model } from '#shared/contract/models.ts'
import { isDirty } from './editor-state.ts'
import { findIssues, ModelEditing, type ModelEditingPage } from './model-editing.ts'

/** The work on the model of this page, told by toasts, caches and addresses; a newer `model` may arrive meanwhile. */
export function useModelEditor({ p, a }: { p: string; a: string }, model: Model, models: readonly Model[]) {
  const t = useTranslations('models.editor')
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const modelUids = useMemo(() => models.map((other) => other.uid), [models])

  const now: ModelEditingPage = {
    saved: async (next, uidBefore) => {
      toast.success(t('saved'))
      const { queryKey } = modelQuery(p, a, next.uid)
      queryClient.setQueryData(queryKey, next)
      void queryClient.invalidateQueries({ queryKey: modelsQuery(p, a).queryKey })
      // Lists and documents of this model are drawn from its fields.
      void queryClient.invalidateQueries({ queryKey, predicate: (query) => query.queryKey.length > 6 })
      if (next.uid === uidBefore) return
      await navigate({
        to: '/$p/$a/$m/-/model',
        params: { p, a, m: next.uid },
        replace: true,
        ignoreBlocker: true,
      })
      queryClient.removeQueries({ queryKey: modelQuery(p, a, uidBefore).queryKey })
    },
    failed: (error) => toast.error(errorText(error)),
    read: (uid) => queryClient.fetchQuery({ ...modelQuery(p, a, uid), staleTime: 0 }),
  }
  const page = useRef(now)
  page.current = now
  const [editing] = useState(
    () =>
      new ModelEditing(
        model,
        modelUids,
        { p, a },
        {
          saved: (next, uidBefore) => page.current.saved(next, uidBefore),
          failed: (error) => page.current.failed(error),
          read: (uid) => page.current.read(uid),
        },
      ),
  )
  editing.modelUids = modelUids

  const { state, refused, ...status } = useStore(editing.status)
  const found = useMemo(() => findIssues(state, modelUids), [state, modelUids])
  // What the server refused is true of what was sent; the next change may have put it right.
  const issues = useMemo(
    () => (refused && refused.draft === state.draft ? [...found, ...refused.issues] : found),
    [found, refused, state.draft],
  )
  const dirty = isDirty(state)

  // Somebody else saved. Without changes of one's own there is nothing to decide.
  const isNewer = model.version > state.version && status.phase !== 'saving'
  useEffect(() => {
    if (isNewer && !dirty) editing.dispatch({ type: 'load', model })
  }, [isNewer, dirty, model, editing])

  useReconnect(status.phase === 'offline', () => void editing.save())
  return { ...status, editing, state, issues, dirty, isNewer }
}

export type ModelEditorWork = ReturnType<typeof useModelEditor>
