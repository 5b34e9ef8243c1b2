import { Button, Group, Text } from '@mantine/core'
import { type KeyboardEvent, type SyntheticEvent, useEffect, useId, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { FieldFrame } from '#admin/fields/field-frame.tsx'
import { adminFieldType } from '#admin/fields/index.ts'
import { ApiError, api } from '#admin/lib/api.ts'
import { isComposing } from '#admin/lib/composing.ts'
import { errorText, issueText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import type { Document } from '#shared/contract/documents.ts'
import type { Issue, IssueCode } from '#shared/errors.ts'
import type { Field } from '#shared/fields/index.ts'
import { type ModelPlace, rowChanged } from '../documents.queries.ts'
import { fieldIssues, needsServerCheck } from '../editor/validation.ts'
import { sameValue, sentValue } from '../editor/values.ts'
import { useCellEditing } from './cell-editing.ts'
import classes from './list.module.css'

interface CellEditorProps {
  document: Document
  field: Field
  place: ModelPlace
  title: string
}

/** Saves one field of a document, based on `version`. Throws `ApiError`, for example `VersionConflict`. */
async function saveField(place: ModelPlace, id: string, field: Field, value: unknown, version: number) {
  const { document } = await api('PUT /api/project/{p}/app/{a}/model/{m}/doc/{id}', {
    params: { ...place, id },
    body: { doc: { [field.uid]: sentValue(value) }, type: 'SAVE' },
    headers: { 'if-match': `"${version}"` },
  })
  rowChanged(place, document)
  return document
}

/**
 * The inline editor of a cell. Enter saves (in a text area, Ctrl or ⌘ with Enter), Escape cancels. Tab on the last
 * control, or Shift and Tab on the first one, saves and moves to the neighbouring cell.
 */
export function CellEditor({ document, field, place, title }: CellEditorProps) {
  const t = useTranslations('documents.list.cell')
  const conflictText = useTranslations('documents.conflict')
  const list = useTranslations('documents.list')
  const editing = useCellEditing()
  const panel = useRef<HTMLDivElement>(null)
  const id = useId()
  /** The value and version that the edit is based on. After a conflict, they come from the other user's change. */
  const [base, setBase] = useState({ value: document[field.uid], version: document._sys.version })
  const [value, setValue] = useState(base.value)
  const [issues, setIssues] = useState<readonly Issue[]>([])
  const [problem, setProblem] = useState<string | null>(null)
  const [isConflict, setConflict] = useState(false)
  const saving = useRef(false)
  const name = title || list('untitled')

  // The input may still be loading, so the focus waits for it.
  useEffect(() => {
    const first = () => panel.current?.querySelector<HTMLElement>(focusable)
    const focus = () => {
      const input = first()
      input?.focus()
      if (input instanceof HTMLInputElement && input.type === 'text') input.select()
      return input != null
    }
    if (focus() || !panel.current) return
    const observer = new MutationObserver(() => focus() && observer.disconnect())
    observer.observe(panel.current, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [])

  /** Returns the issues that prevent saving, including issues that only the server can find. */
  async function check(): Promise<Issue[]> {
    const found = editing ? fieldIssues(editing.model, field.uid, value) : []
    if (found.length > 0 || value == null || value === '') return found
    if (!needsServerCheck(field)) return []
    const { path, code, params, blocksPublishing } = await api(
      'POST /api/project/{p}/app/{a}/model/{m}/doc/validateField',
      {
        params: { ...place },
        body: { value, field: field.uid, docId: document._id },
      },
    )
    if (!code || !blocksPublishing) return []
    return [{ path: path ?? '', code: code as IssueCode, ...(params ? { params } : {}) }]
  }

  async function save(direction?: 'next' | 'previous') {
    if (saving.current) return
    if (sameValue(value, base.value)) {
      editing?.end(direction)
      return
    }
    saving.current = true
    setProblem(null)
    try {
      const found = await check()
      // The document form accepts a duplicate in a draft. In a list it would stay unnoticed until publishing, so it is
      // refused.
      const repeated = found.find(({ code }) => code === 'DuplicatedValue')
      if (repeated) setProblem(issueText(repeated))
      setIssues(repeated ? [] : found)
      if (found.length > 0) return
      const saved = await saveField(place, document._id, field, value, base.version)
      editing?.end(direction)
      toast.success(t('saved', { title: name, field: field.name }), {
        label: t('undo'),
        run: () => void undo(saved),
      })
    } catch (error) {
      if (error instanceof ApiError && error.code === 'VersionConflict') {
        await showTheirs(error).catch((second: unknown) => setProblem(errorText(second)))
      } else if (error instanceof ApiError && error.issues.length > 0) {
        setIssues(error.issues.map((issue) => ({ ...issue, path: issue.path.replace(/^[^.]+\.?/, '') })))
      } else setProblem(errorText(error))
    } finally {
      saving.current = false
    }
  }

  /**
   * Shows the other user's value in the row after a conflict. The input is kept: saving it again overwrites that value.
   */
  async function showTheirs(error: ApiError) {
    const by = (error.details.by as { name?: string } | null)?.name
    setProblem(t('conflict', { name: by ? conflictText('person', { name: by }) : conflictText('somebody') }))
    const params = { ...place, id: document._id }
    const { document: theirs } = await api('GET /api/project/{p}/app/{a}/model/{m}/doc/{id}', { params })
    rowChanged(place, theirs)
    setBase({ value: theirs[field.uid], version: theirs._sys.version })
    setConflict(true)
  }

  async function undo(saved: Document) {
    try {
      await saveField(place, document._id, field, base.value, saved._sys.version)
      toast.success(t('undone', { title: name, field: field.name }))
    } catch (error) {
      toast.error(errorText(error))
    }
  }

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    // Keys in the editor must not reach the row.
    event.stopPropagation()
    const target = event.target as HTMLElement
    const isBusy = isComposing(event) || target.getAttribute('aria-expanded') === 'true'
    if (isBusy || event.defaultPrevented) return
    if (event.key === 'Escape') editing?.end()
    else if (event.key === 'Enter') {
      const isLines = target instanceof HTMLTextAreaElement
      if (isLines ? !(event.ctrlKey || event.metaKey) : target instanceof HTMLButtonElement) return
      void save()
    } else if (event.key === 'Tab') {
      const parts = [...(panel.current?.querySelectorAll<HTMLElement>(focusable) ?? [])]
      if (target !== (event.shiftKey ? parts[0] : parts.at(-1))) return
      void save(event.shiftKey ? 'previous' : 'next')
    } else return
    event.preventDefault()
  }

  const hasLines = 'inputType' in field && field.inputType === 'textarea'
  const stop = (event: SyntheticEvent) => event.stopPropagation()
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: events of the editor must not reach the row.
    <div onKeyDown={onKeyDown} onClick={stop} onDoubleClick={stop} onMouseDown={stop} onAuxClick={stop}>
      <div ref={panel}>
        <FieldFrame
          look={adminFieldType(field)}
          nameless
          field={field}
          value={value}
          onChange={(next) => {
            setValue(next)
            setIssues([])
          }}
          onBlur={() => undefined}
          readOnly={false}
          issues={issues}
          id={id}
          place={place}
          lookOf={adminFieldType}
        />
      </div>
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" mb={8}>
          {problem}
        </Text>
      )}
      <Group gap={8} wrap="nowrap">
        <Button size="compact-sm" onClick={() => void save()}>
          {isConflict ? t('overwrite') : t('save')}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => editing?.end()}>
          {t('cancel')}
        </Button>
      </Group>
      <Text size="xs" c="dimmed" mt={6} className={classes.cellHint ?? ''}>
        {hasLines ? t('hintLines') : t('hint')}
      </Text>
    </div>
  )
}

const focusable =
  'input:not([type="hidden"], [tabindex="-1"], :disabled), textarea, select, button:not([tabindex="-1"], :disabled), [contenteditable="true"]'
