import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { RunWindow } from '#admin/ui/run-window.tsx'
import { maxBulkSubmissions, type Submission } from '#shared/contract/form-submissions.ts'
import type { Form } from '#shared/contract/forms.ts'
import { type SubmissionState, submissionStates } from '#shared/forms/fields.ts'
import { keepChange, reloadInbox } from './inbox.queries.ts'
import { useSummary } from './submission-words.ts'

/** A change of submissions: to another state, into the trash, or out of it. */
export type InboxAction = SubmissionState | 'trash' | 'restore'

interface Result {
  _id: string
  success: boolean
  code?: string | undefined
}

interface Run {
  total: number
  done: number
  /** Set when the run has ended and some submissions failed. */
  failed: { submission: Submission; code: string | undefined }[] | null
}

/** Performs one action on at most `maxBulkSubmissions` submissions. */
async function send(p: string, id: string, action: InboxAction, ids: string[]): Promise<Result[]> {
  const params = { p, id }
  if (action === 'trash')
    return (await api('POST /api/project/{p}/form/{id}/message:bulkDelete', { params, body: { ids } }))
      .results
  if (action === 'restore')
    return (await api('POST /api/project/{p}/form/{id}/message:bulkRestore', { params, body: { ids } }))
      .results
  const body = { ids, data: { state: action } }
  return (await api('POST /api/project/{p}/form/{id}/message:bulkUpdate', { params, body })).results
}

/** Performs one action on submissions. Never throws: submissions of a failed request get its error code. */
async function runAll(
  p: string,
  id: string,
  action: InboxAction,
  submissions: readonly Submission[],
  onProgress: (done: number) => void,
): Promise<Result[]> {
  const results: Result[] = []
  for (let start = 0; start < submissions.length; start += maxBulkSubmissions) {
    const ids = submissions.slice(start, start + maxBulkSubmissions).map(({ _id }) => _id)
    try {
      results.push(...(await send(p, id, action, ids)))
    } catch (error) {
      const code = error instanceof ApiError ? error.code : 'InternalServerError'
      results.push(...ids.map((_id) => ({ _id, success: false, code })))
    }
    onProgress(results.length)
  }
  return results
}

const changeOf = (action: InboxAction) =>
  action === 'trash'
    ? { deletedAt: new Date().toISOString() }
    : action === 'restore'
      ? { deletedAt: null }
      : { state: action }

/**
 * Returns a function that changes submissions of a form, and a window with the progress and the failures. A toast
 * offers to undo the change.
 */
export function useInboxActions(p: string, { _id: id, fields }: Form) {
  const summaryOf = useSummary(fields)
  const t = useTranslations('forms.inbox.actions')
  const queryClient = useQueryClient()
  const [run, setRun] = useState<Run | null>(null)
  /** Whether an action is running. A repeated key must not change the same submissions again. */
  const busy = useRef(false)

  /** Returns the submissions that were changed. */
  async function perform(action: InboxAction, submissions: readonly Submission[]): Promise<Submission[]> {
    const begun: Run = { total: submissions.length, done: 0, failed: null }
    // One request ends soon, so that its window would only flash.
    if (submissions.length > maxBulkSubmissions) setRun(begun)
    const results = await runAll(p, id, action, submissions, (done) =>
      setRun((now) => now && { ...begun, done }),
    )
    const byId = new Map(submissions.map((submission) => [submission._id, submission]))
    const done = results.flatMap(({ _id, success }) => (success ? (byId.get(_id) ?? []) : []))
    keepChange(
      queryClient,
      p,
      id,
      new Map(done.map((submission) => [submission._id, submission])),
      changeOf(action),
    )
    const failed = results.flatMap(({ _id, success, code }) => {
      const submission = byId.get(_id)
      return !success && submission ? [{ submission, code }] : []
    })
    const [only] = failed
    if (failed.length === 1 && submissions.length === 1 && only) {
      setRun(null)
      toast.error(errorText(new ApiError(400, { code: only.code ?? 'undefined' })))
    } else setRun(failed.length > 0 ? { ...begun, done: results.length, failed } : null)
    return done
  }

  async function undo(action: InboxAction, done: readonly Submission[]): Promise<void> {
    if (action === 'trash') await perform('restore', done)
    else
      for (const state of submissionStates) {
        const before = done.filter((one) => one.state === state)
        if (before.length > 0) await perform(state, before)
      }
    toast.success(t('undone'))
    // Rows that the change had removed are in no cached page.
    await reloadInbox(queryClient, p, id)
  }

  /** Performs an action. Returns the `_id`s of the submissions that failed. */
  async function act(action: InboxAction, submissions: readonly Submission[]): Promise<string[]> {
    const concerned = submissions.filter(({ state, deletedAt }) =>
      action === 'trash' || action === 'restore'
        ? (deletedAt === null) === (action === 'trash')
        : state !== action,
    )
    if (busy.current || concerned.length === 0) return []
    busy.current = true
    try {
      const done = await perform(action, concerned)
      if (done.length > 0)
        toast.success(
          t(`done.${action}`, { count: done.length }),
          action === 'restore' ? undefined : { label: t('undo'), run: () => void undo(action, done) },
        )
      const changed = new Set(done.map(({ _id }) => _id))
      return concerned.flatMap(({ _id }) => (changed.has(_id) ? [] : [_id]))
    } finally {
      busy.current = false
    }
  }

  const progress: ReactNode = run && (
    <RunWindow
      title={t('running')}
      done={run.done}
      total={run.total}
      onClose={() => setRun(null)}
      outcome={
        run.failed && {
          title: t('failedTitle'),
          text: t('failedText', { success: run.total - run.failed.length, failed: run.failed.length }),
          failed: run.failed.map(({ submission, code }) => ({
            id: submission._id,
            name: summaryOf(submission).title || submission._id,
            reason: <div>{errorText(new ApiError(400, { code: code ?? 'undefined' }))}</div>,
          })),
        }
      }
    />
  )
  return { act, progress }
}
