import { Button, Group, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { Dialog } from './dialog.tsx'

/** Asks for confirmation before unsaved input is lost by a link, by Back, or by closing the tab. */
export function UnsavedGuard({ when }: { when: boolean }) {
  const t = useTranslations('common.leave')
  const blocker = useBlocker({
    shouldBlockFn: () => when,
    enableBeforeUnload: () => when,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog onClose={blocker.reset} title={t('title')}>
      <Text size="sm" mb="md">
        {t('text')}
      </Text>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={blocker.reset} data-autofocus>
          {t('stay')}
        </Button>
        <Button color="red.8" onClick={blocker.proceed}>
          {t('leave')}
        </Button>
      </Group>
    </Dialog>
  )
}
