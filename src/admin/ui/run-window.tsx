import { Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { Dialog } from './dialog.tsx'
import classes from './run-window.module.css'

interface RunWindowProps {
  /** Description of the operation, such as 削除しています… */
  title: string
  done: number
  total: number
  /** Set when the run has finished and some items failed: a summary, and the reason for each failed item. */
  outcome: {
    title: string
    text: string
    failed: { id: string; name: ReactNode; reason: ReactNode }[]
  } | null
  onClose: () => void
}

/**
 * Shows the progress of a bulk operation, then the failed items with their reasons. The window cannot be closed during
 * the operation.
 */
export function RunWindow({ title, done, total, outcome, onClose }: RunWindowProps) {
  const common = useTranslations('common')
  return (
    <Dialog
      onClose={outcome ? onClose : () => undefined}
      withCloseButton={outcome !== null}
      title={outcome ? outcome.title : title}
      size="lg"
    >
      {outcome === null ? (
        <Stack gap="xs" role="status">
          <progress className={classes.progress} value={done} max={total} aria-label={title} />
          <Text size="sm">{common('progress', { done, total })}</Text>
        </Stack>
      ) : (
        <Stack>
          <Text size="sm">{outcome.text}</Text>
          <ul className={classes.results}>
            {outcome.failed.map(({ id, name, reason }) => (
              <li key={id}>
                {name}
                {reason}
              </li>
            ))}
          </ul>
          <Group justify="flex-end">
            <Button autoFocus onClick={onClose}>
              {common('close')}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}
