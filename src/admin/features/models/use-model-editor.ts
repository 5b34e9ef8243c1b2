import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useReducer, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { modelQuery, modelsQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { useReconnect } from '#admin/lib/use-reconnect.ts'
import type { Model } from '#shared/contract/models.ts'
import { checkDraft } from './check-draft.ts'
import { inputOf, type ModelDraft } from './draft.ts'
import { type EditorAction, type EditorState, editorReducer, isDirty, startEditor } from './editor-state.ts'
import { type PlacedIssue, placeIssue } from './issues.ts'

/** What a save would take from documents, as the server counts it. */
export interface Loss {
  field: string
  documents: number
  reason: 'removed' | 'typeChanged' | 'multipleOff'
}

/** A save that waits for a decision. */
export type Pending = { kind: 'losses'; losses: Loss[] } | { kind: 'conflict'; model: Model }

type SaveStatus = 'idle' | 'saving' | 'failed' | 'offline' | 'conflict'

interface Place {
  p: string
  a: string
}

/** The model editor's work: the draft and its history, what is wrong with it, and saving. */
export function useModelEditor({ p, a }: Place, model: Model, modelUids: readonly string[]) {
  const t = useTranslations('models.editor')
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [state, dispatchState] = useReducer(editorReducer, model, startEditor)
  const [status, setStatus] = useState<SaveStatus>('idle')
  const [savedAt, setSavedAt] = useState<Date | null>(null)
  const [pending, setPending] = useState<Pending | null>(null)
  const [refused, setRefused] = useState<{ draft: ModelDraft; issues: PlacedIssue[] } | null>(null)
  const [showAll, setShowAll] = useState(false)
  const saving = useRef(false)

  const { draft, base } = state
  const found = useMemo(() => {
    const fieldUids = new Map(base.fields.map((field) => [field._id ?? '', field.uid]))
    return checkDraft(draft, { uid: base.uid, fieldUids, modelUids })
  }, [draft, base, modelUids])
  // What the server refused is true of what was sent; the next change may have put it right.
  const issues = useMemo(
    () => (refused && refused.draft === draft ? [...found, ...refused.issues] : found),
    [found, refused, draft],
  )

  function dispatch(action: EditorAction) {
    if (status === 'failed') setStatus('idle')
    dispatchState(action)
  }

  /** Saves what is on the screen, unless something is wrong with it. */
  async function save(options: { acceptLoss?: boolean } = {}): Promise<void> {
    if (found.length > 0) return setShowAll(true)
    await send(state, options.acceptLoss)
  }

  /** Saves what is on the screen over what another member has saved. */
  async function overwrite(current: Model): Promise<void> {
    const action = { type: 'rebase', model: current } as const
    dispatchState(action)
    await send(editorReducer(state, action))
  }

  async function send({ draft: sent, base, version }: EditorState, acceptLoss = false): Promise<void> {
    if (saving.current) return
    saving.current = true
    setStatus('saving')
    setPending(null)
    try {
      const answer = await api('PUT /api/project/{p}/app/{a}/model/{m}', {
        params: { p, a, m: base.uid },
        body: {
          data: { ...inputOf(sent, base.uid), version },
          ...(acceptLoss ? { acceptLoss } : {}),
        },
      })
      await saved(answer.model, sent)
    } catch (error) {
      await failed(error, sent)
    } finally {
      saving.current = false
    }
  }

  useReconnect(status === 'offline', () => void save())

  async function saved(next: Model, sent: ModelDraft) {
    dispatchState({ type: 'saved', model: next, sent })
    setStatus('idle')
    setSavedAt(new Date())
    setRefused(null)
    setShowAll(false)
    toast.success(t('saved'))
    queryClient.setQueryData(modelQuery(p, a, next.uid).queryKey, next)
    void queryClient.invalidateQueries({ queryKey: modelsQuery(p, a).queryKey })
    // Lists and documents of this model are drawn from its fields.
    void queryClient.invalidateQueries({
      queryKey: modelQuery(p, a, next.uid).queryKey,
      predicate: (query) => query.queryKey.length > 6,
    })
    if (next.uid !== base.uid) {
      await navigate({
        to: '/$p/$a/$m/-/model',
        params: { p, a, m: next.uid },
        replace: true,
        ignoreBlocker: true,
      })
      queryClient.removeQueries({ queryKey: modelQuery(p, a, base.uid).queryKey })
    }
  }

  async function failed(error: unknown, sent: ModelDraft) {
    setStatus('failed')
    if (!(error instanceof ApiError)) throw error
    const losses = error.details.losses as Loss[] | undefined
    if (losses && losses.length > 0) {
      setStatus('idle')
      return setPending({ kind: 'losses', losses })
    }
    if (error.code === 'VersionConflict') {
      setStatus('conflict')
      return showConflict()
    }
    if (error.code === 'NetworkError') setStatus('offline')
    const issues = error.issues.map((issue) => placeIssue(issue, sent))
    if (error.code === 'ModelUidIsAlreadyInUse')
      issues.push({ key: null, property: 'uid', code: 'DuplicatedValue' })
    if (issues.length === 0) return toast.error(errorText(error))
    setRefused({ draft: sent, issues })
    setShowAll(true)
  }

  /** Somebody saved first: shows what the model is now. */
  async function showConflict() {
    try {
      const query = modelQuery(p, a, base.uid)
      setPending({ kind: 'conflict', model: await queryClient.fetchQuery({ ...query, staleTime: 0 }) })
    } catch (error) {
      toast.error(errorText(error))
    }
  }

  return {
    state,
    dispatch,
    save,
    issues,
    dirty: isDirty(state),
    status,
    savedAt,
    pending,
    closePending: () => {
      setPending(null)
      if (status === 'conflict') setStatus('idle')
    },
    showAll,
    load: (next: Model) => {
      setPending(null)
      setStatus('idle')
      setShowAll(false)
      dispatchState({ type: 'load', model: next })
    },
    overwrite,
  }
}

export type ModelEditorWork = ReturnType<typeof useModelEditor>
