import { Alert, Anchor } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { type Ref, useMemo } from 'react'
import { useTranslations } from 'use-intl'
import { namedIssue } from '../named-issue.ts'
import { useAllIssues, useEditor } from './editor-context.ts'
import { fieldElementId } from './field-editor.tsx'

/** Names the broken fields; each name leads to its input. */
export function IssueSummary({ ref }: { ref: Ref<HTMLDivElement> }) {
  const t = useTranslations('documents.editor')
  const { model } = useEditor()
  const issues = useAllIssues()
  const rows = useMemo(
    () => issues.map((issue) => ({ ...issue, ...namedIssue(model, issue) })),
    [issues, model],
  )
  if (rows.length === 0) return null
  return (
    <Alert
      ref={ref}
      tabIndex={-1}
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={18} />}
      title={t('summary', { count: new Set(rows.map((row) => row.uid)).size })}
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
              onClick={() => jumpTo(row.uid, row.item)}
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

/** Brings an input into view and puts the focus on it. */
export function jumpTo(uid: string, item?: string): void {
  const id = fieldElementId(uid)
  const element =
    (item !== undefined && item !== '0' ? document.getElementById(`${id}-${item}`) : null) ??
    document.getElementById(id)
  if (!element) return
  element.scrollIntoView({ block: 'center' })
  element.focus({ preventScroll: true })
}
