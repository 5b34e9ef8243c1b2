import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText, issueText } from '#admin/lib/errors.ts'
import { readingOf } from '#admin/lib/use-reading.ts'
import type { Form } from '#shared/contract/forms.ts'
import type { FormFieldType } from '#shared/forms/fields.ts'
import { bodyWith } from '../form-body.ts'
import { formQuery, keepForm } from '../forms.queries.ts'
import {
  changeDraft,
  copyOf,
  draftsOf,
  type FieldDraft,
  type FieldPatch,
  findIssues,
  moveDraft,
  newDraft,
  type PlacedIssue,
  placeIssue,
} from './field-drafts.ts'

interface Refused {
  /** The drafts that were sent. The issues apply only to them. */
  drafts: readonly FieldDraft[]
  issues: PlacedIssue[]
}

/**
 * Returns the state of the fields of a form while they are edited. `form` may become newer during editing; without
 * unsaved changes, its fields are loaded.
 */
export function useFieldsEditor(p: string, form: Form) {
  const t = useTranslations('forms.fields')
  const queryClient = useQueryClient()
  const [base, setBase] = useState(form)
  const [drafts, setDrafts] = useState(() => draftsOf(form.fields))
  /** Inputs that the user has left, as `key.property`. Their issues are shown before the first attempt to save. */
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [wasSent, setWasSent] = useState(false)
  const [refused, setRefused] = useState<Refused | null>(null)
  const [problem, setProblem] = useState<{ text: string; isOutdated: boolean } | null>(null)
  const [saving, setSaving] = useState(false)
  const busy = useRef(false)

  const fields = drafts.map(({ field }) => field)
  const isDirty = JSON.stringify(fields) !== JSON.stringify(base.fields)
  const found = useMemo(() => findIssues(base, drafts), [base, drafts])
  const issues = refused?.drafts === drafts ? [...found, ...refused.issues] : found

  function load(next: Form) {
    setBase(next)
    setDrafts(draftsOf(next.fields))
    setLeft(new Set())
    setWasSent(false)
    setRefused(null)
    setProblem(null)
  }

  const latest = useRef(load)
  latest.current = load
  const isNewer = form.version > base.version && !isDirty && !saving
  useEffect(() => {
    if (isNewer) latest.current(form)
  }, [isNewer, form])

  /** Shows the first issue that belongs to no field, such as too many fields. */
  function showOthers(placed: readonly PlacedIssue[]) {
    const other = placed.find(({ key }) => key === null)
    if (other) setProblem({ text: issueText(other), isOutdated: false })
  }

  /** Saves the fields. Returns whether they were saved, and otherwise the field with the first issue. */
  async function save(): Promise<{ isSaved: boolean; broken: string | null }> {
    if (busy.current) return { isSaved: false, broken: null }
    setWasSent(true)
    setProblem(null)
    if (found.length > 0) {
      showOthers(found)
      return { isSaved: false, broken: brokenOf(found) }
    }
    busy.current = true
    setSaving(true)
    try {
      const { form: saved } = await api('PUT /api/project/{p}/form/{id}', {
        params: { p, id: base._id },
        body: bodyWith(base, { fields }),
      })
      setBase(saved)
      // The keys stay, so that an open drawer stays open.
      setDrafts((now) =>
        now === drafts
          ? saved.fields.map((field, index) => ({
              key: drafts[index]?.key ?? `saved-${index}`,
              followsLabel: false,
              savedName: field.name,
              field,
            }))
          : now,
      )
      setLeft(new Set())
      setWasSent(false)
      setRefused(null)
      await keepForm(queryClient, p, saved)
      return { isSaved: true, broken: null }
    } catch (error) {
      const placed = error instanceof ApiError ? error.issues.map((issue) => placeIssue(issue, drafts)) : []
      if (placed.length > 0) {
        setRefused({ drafts, issues: placed })
        showOthers(placed)
        return { isSaved: false, broken: brokenOf(placed) }
      }
      const isOutdated = error instanceof ApiError && error.code === 'VersionConflict'
      setProblem({ text: errorText(error, { VersionConflict: t('changedMeanwhile') }), isOutdated })
      return { isSaved: false, broken: null }
    } finally {
      busy.current = false
      setSaving(false)
    }
  }

  async function reload(): Promise<void> {
    try {
      load(await queryClient.fetchQuery({ ...formQuery(p, base._id), staleTime: 0 }))
    } catch (error) {
      setProblem({ text: errorText(error), isOutdated: true })
    }
  }

  return {
    drafts,
    saved: base,
    isDirty,
    saving,
    problem,
    /** Returns the issue of a property that should be shown now. */
    issueAt: (key: string, property: string): PlacedIssue | undefined =>
      issues.find(
        (issue) =>
          issue.key === key &&
          issue.property === property &&
          (wasSent || refused?.issues.includes(issue) || left.has(`${key}.${property}`)),
      ),
    /** Keys of the fields with issues that are shown now. */
    broken: new Set(
      issues.flatMap((issue) =>
        issue.key !== null && (wasSent || left.has(`${issue.key}.${issue.property}`)) ? [issue.key] : [],
      ),
    ),
    leave: (key: string, property: string) => setLeft((before) => new Set(before).add(`${key}.${property}`)),
    change: (key: string, patch: FieldPatch) =>
      setDrafts((before) => changeDraft(before, key, patch, readingOf)),
    move: (from: number, to: number) => setDrafts((before) => moveDraft(before, from, to)),
    /** Adds a field at the end, and returns its key. */
    add(type: FormFieldType): string {
      const added = newDraft(type, drafts)
      setDrafts([...drafts, added])
      return added.key
    },
    duplicate(key: string): string | null {
      const index = drafts.findIndex((draft) => draft.key === key)
      const original = drafts[index]
      if (!original) return null
      const copy = copyOf(original, drafts)
      setDrafts([...drafts.slice(0, index + 1), copy, ...drafts.slice(index + 1)])
      return copy.key
    },
    /** Removes a field. Returns a function that inserts it again; null if there is no such field. */
    remove(key: string): (() => void) | null {
      const index = drafts.findIndex((draft) => draft.key === key)
      const removed = drafts[index]
      if (!removed) return null
      setDrafts(drafts.filter((draft) => draft !== removed))
      return () =>
        setDrafts((now) =>
          now.includes(removed) ? now : [...now.slice(0, index), removed, ...now.slice(index)],
        )
    },
    discard: () => load(base),
    save,
    reload,
  }
}

const brokenOf = (issues: readonly PlacedIssue[]): string | null =>
  issues.find(({ key }) => key !== null)?.key ?? null
