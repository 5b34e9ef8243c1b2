import { Button, Group, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { Dialog } from './dialog.tsx'

interface UnsavedGuardProps {
  when: boolean
  /** Whether a change of the query string loses nothing. */
  ignoresSearch?: boolean
  /** Replaces the texts about unsaved input. */
  texts?: { title: string; text: string; stay: string; leave: string }
}

/** Asks for confirmation before unsaved input is lost by a link, by Back, or by closing the tab. */
export function UnsavedGuard({ when, ignoresSearch = false, texts }: UnsavedGuardProps) {
  const t = useTranslations('common.leave')
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => when && !(ignoresSearch && current.pathname === next.pathname),
    enableBeforeUnload: () => when,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog onClose={blocker.reset} title={texts?.title ?? t('title')}>
      <Text size="sm" mb="md">
        {texts?.text ?? t('text')}
      </Text>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={blocker.reset} data-autofocus>
          {texts?.stay ?? t('stay')}
        </Button>
        <Button color="red.8" onClick={blocker.proceed}>
          {texts?.leave ?? t('leave')}
        </Button>
      </Group>
    </Dialog>
  )
}
