import { Alert, Anchor } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useEffect, useMemo, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { useAllIssues, useEditor } from './editor-context.ts'
import { issueInForm } from './issue-in-form.ts'
import { jumpTo } from './jump-to.ts'

/**
 * Lists the fields with issues, each linked to its input. After a refused save it takes the focus if the user is
 * waiting for the result.
 */
export function IssueSummary({ refusals, isAwaited }: { refusals: number; isAwaited: () => boolean }) {
  const t = useTranslations('documents.editor')
  const editor = useEditor()
  const issues = useAllIssues()
  const rows = useMemo(
    () => issues.map((issue) => ({ ...issue, ...issueInForm(issue, editor) })),
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
              onClick={() => jumpTo(row.path, editor)}
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
