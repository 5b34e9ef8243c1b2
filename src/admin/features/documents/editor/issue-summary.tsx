import { Alert, Anchor } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useEffect, useMemo, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { fieldIssueText } from '#admin/fields/issue-text.ts'
import { describePath } from '#admin/fields/nested/items.ts'
import { reveal } from '#admin/fields/nested/reveal.ts'
import type { Issue } from '#shared/errors.ts'
import { resolveField } from '#shared/fields/custom-types.ts'
import { knownCustomTypes } from '../documents.queries.ts'
import { namedIssue } from '../named-issue.ts'
import { withTabOf } from './document-fields.tsx'
import { type EditorContextValue, useAllIssues, useEditor } from './editor-context.ts'
import { fieldElementId } from './field-editor.tsx'

/**
 * Names the broken fields; each name leads to its input. It comes into view with every refusal that somebody waits for: who has gone on
 * writing is told, and stays where they are.
 */
export function IssueSummary({ refusals, isAwaited }: { refusals: number; isAwaited: () => boolean }) {
  const t = useTranslations('documents.editor')
  const editor = useEditor()
  const issues = useAllIssues()
  const rows = useMemo(
    () => issues.map((issue) => ({ ...issue, ...nameOf(issue, editor) })),
    [issues, editor],
  )
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (refusals === 0) return
    const frame = requestAnimationFrame(() => {
      if (!isAwaited()) return
      box.current?.scrollIntoView({ block: 'center' })
      box.current?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  }, [refusals, isAwaited])
  if (rows.length === 0) return null
  return (
    <Alert
      ref={box}
      tabIndex={-1}
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={18} />}
      title={t('summary', { count: new Set(rows.map((row) => row.path)).size })}
      mb="lg"
    >
      <ul style={{ margin: 0, paddingLeft: '1.2em' }}>
        {rows.map((row) => (
          <li key={`${row.path} ${row.code}`}>
            <Anchor
              component="button"
              type="button"
              size="sm"
              c="var(--mantine-color-text)"
              td="underline"
              onClick={() => withTabOf(editor, row.uid, () => void jumpTo(row.path, editor))}
            >
              {row.name}
            </Anchor>
            {` ${row.text}`}
          </li>
        ))}
      </ul>
    </Alert>
  )
}

/** An issue by the names of what its path leads through, and what is to be done there. */
function nameOf(issue: Issue, { model, place, store }: EditorContextValue) {
  const named = namedIssue(model, issue)
  const field = model.fields.find(({ uid }) => uid === named.uid)
  const resolved = field && resolveField(field, knownCustomTypes(place))
  if (!resolved || !issue.path.includes('.')) return named
  const { way, field: innermost } = describePath(
    resolved,
    issue.path.slice(named.uid.length + 1),
    store.get(named.uid),
  )
  const name = [resolved.name, ...way].join(' › ')
  return innermost === resolved ? named : { uid: named.uid, name, text: fieldIssueText(innermost, issue) }
}

/** Brings the input that a path names into view and puts the focus on it. */
async function jumpTo(path: string, editor: EditorContextValue): Promise<void> {
  const [uid = '', ...inside] = path.split('.')
  const element = await reveal(fieldElementId(uid, editor), inside.join('.'))
  element?.scrollIntoView({ block: 'center' })
  element?.focus({ preventScroll: true })
}
