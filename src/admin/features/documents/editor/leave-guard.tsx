import { Button, Group, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Dialog } from '#admin/ui/dialog.tsx'
import { useEditor } from './editor-context.ts'

interface LeaveGuardProps {
  /** Saves; true when it went well. */
  save: () => Promise<boolean>
  /** What was typed is given up. */
  discard: () => void
}

/** Asks before unsaved changes are left behind, by a link, by Back, or by closing the tab. */
export function LeaveGuard({ save, discard }: LeaveGuardProps) {
  const t = useTranslations('documents.leave')
  const { store } = useEditor()
  const [saving, setSaving] = useState(false)
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => store.hasUnsaved() && current.pathname !== next.pathname,
    enableBeforeUnload: () => store.hasUnsaved(),
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  const { proceed, reset } = blocker

  async function saveAndLeave() {
    setSaving(true)
    const saved = await save()
    setSaving(false)
    if (saved) proceed()
    else reset()
  }

  return (
    <Dialog onClose={reset} title={t('title')} size="lg">
      <Stack>
        <Text size="sm">{t('text')}</Text>
        <Group justify="flex-end" gap="sm">
          <Button
            variant="subtle"
            color="red.8"
            c="var(--mantine-color-error)"
            mr="auto"
            onClick={() => {
              discard()
              proceed()
            }}
          >
            {t('discard')}
          </Button>
          <Button variant="default" onClick={reset}>
            {t('stay')}
          </Button>
          <Button data-autofocus loading={saving} onClick={() => void saveAndLeave()}>
            {t('save')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
