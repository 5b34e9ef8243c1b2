import { Group, Kbd, Stack, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { shortcutText } from '#admin/lib/shortcuts.ts'
import { Dialog } from '#admin/ui/dialog.tsx'
import { fullScreenKeys } from '../full-screen.tsx'
import { toolKeys } from './tool-keys.ts'

/** A dialog that lists the keyboard shortcuts of the editor. */
export function ShortcutList({ onClose }: { onClose: () => void }) {
  const t = useTranslations('fields.richText')
  const screen = useTranslations('fields.fullScreen')
  return (
    <Dialog onClose={onClose} title={t('tools.shortcuts')}>
      <Stack gap="xs">
        {Object.entries(toolKeys).map(([id, keys]) => (
          <Group key={id} justify="space-between" wrap="nowrap">
            <Text size="sm">{t(`tools.${id as keyof typeof toolKeys}`)}</Text>
            <Kbd>{shortcutText(keys)}</Kbd>
          </Group>
        ))}
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm">{t('insert')}</Text>
          <Kbd>/</Kbd>
        </Group>
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm">{screen('enter')}</Text>
          <Kbd>{shortcutText(fullScreenKeys)}</Kbd>
        </Group>
      </Stack>
    </Dialog>
  )
}
