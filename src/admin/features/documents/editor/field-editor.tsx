import { IconAlertTriangle } from '@tabler/icons-react'
import { memo, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { loadScript } from '#admin/base/reload-guard.ts'
import { FieldFrame } from '#admin/fields/field-frame.tsx'
import { FieldMarks } from '#admin/fields/field-marks.tsx'
import { adminFieldType } from '#admin/fields/index.ts'
import { afterPress } from '#admin/lib/after-press.ts'
import { api } from '#admin/lib/api.ts'
import type { Issue, IssueCode } from '#shared/errors.ts'
import type { Field } from '#shared/fields/index.ts'
import { knownCustomTypes } from '../documents.queries.ts'
import classes from './editor.module.css'
import { type EditorContextValue, useEditor, useIssues, useValue } from './editor-context.ts'

/** Pause in typing, in milliseconds, before a field that was already checked is checked again. */
const recheckDelay = 400

/** Returns the id of the element that a jump to the field focuses. */
export function fieldElementId(uid: string, { over }: Pick<EditorContextValue, 'over'>): string {
  return `field${over?.layer ?? ''}-${uid}`
}

/**
 * One field of the document: name, description, input and messages. Memoised, so that typing in one field does not
 * render the others.
 */
export const FieldEditor = memo(function FieldEditor({ field }: { field: Field }) {
  const t = useTranslations('documents.editor')
  const editor = useEditor()
  const value = useValue(field.uid)
  const issues = useIssues(field.uid)
  const check = useFieldCheck(field, editor)
  const isTitle = field._id === editor.model.titleField
  const isReadOnly = editor.readOnlyFields.has(field._id)

  return (
    <FieldFrame
      look={adminFieldType(field)}
      field={field}
      value={value}
      onChange={(next) => {
        editor.store.set(field.uid, next)
        check.changed()
      }}
      onBlur={check.left}
      readOnly={editor.readOnly || isReadOnly}
      issues={issues}
      id={fieldElementId(field.uid, editor)}
      place={editor.place}
      lookOf={adminFieldType}
      marks={
        <FieldMarks
          field={field}
          isRequired={field.required || isTitle}
          // If the whole document is read-only, the page shows one notice instead.
          isReadOnly={isReadOnly && !editor.readOnly}
        />
      }
      note={
        check.collides && (
          <div className={classes.warning}>
            <IconAlertTriangle size={14} aria-hidden />
            {t('duplicateDraft')}
          </div>
        )
      }
    />
  )
})

/**
 * Checks a field on blur. After the first blur, or if the field already has an issue, also checks it while the user
 * types. `collides`: another draft has the same value. That prevents neither saving nor publishing.
 */
function useFieldCheck(field: Field, { model, place, store, readOnly }: EditorContextValue) {
  const state = useRef<{ left: boolean; timer?: ReturnType<typeof setTimeout>; run: number }>({
    left: false,
    run: 0,
  })
  const [collides, setCollides] = useState(false)
  useEffect(() => () => clearTimeout(state.current.timer), [])

  async function check() {
    const run = ++state.current.run
    const value = store.get(field.uid)
    const current = () => run === state.current.run && store.get(field.uid) === value
    const show = (issues: readonly Issue[], { isCollision = false, byServer = false } = {}) =>
      afterPress(() => {
        if (!current()) return
        setCollides(isCollision)
        store.setIssues(field.uid, issues, byServer ? { value } : undefined)
      })
    try {
      const { fieldIssues, needsServerCheck } = await loadScript(() => import('./validation.ts'))
      if (!current()) return
      const types = knownCustomTypes(place)
      const issues = fieldIssues(model, field.uid, value, types)
      if (issues.length > 0 || !needsServerCheck(field, types) || value == null || value === '') {
        show(issues)
        return
      }
      const { path, code, params, blocksPublishing } = await api(
        'POST /api/project/{p}/app/{a}/model/{m}/doc/validateField',
        {
          params: { ...place },
          body: { value, field: field.uid, docId: store.document?.id ?? null },
        },
      )
      show(
        code && blocksPublishing
          ? [{ path: path ?? '', code: code as IssueCode, ...(params ? { params } : {}) }]
          : [],
        { isCollision: code !== null && !blocksPublishing, byServer: true },
      )
    } catch {
      // A failed check shows nothing. Saving and publishing check again.
    }
  }

  return {
    collides,
    left: () => {
      if (readOnly) return
      state.current.left = true
      clearTimeout(state.current.timer)
      void check()
    },
    changed: () => {
      // Invalidates a running check, because it checks older input.
      state.current.run++
      const known = collides || store.issuesOf(field.uid).length > 0
      if (!state.current.left && !known) return
      clearTimeout(state.current.timer)
      state.current.timer = setTimeout(() => void check(), recheckDelay)
    },
  }
}
