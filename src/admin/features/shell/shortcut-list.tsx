import { Group, Kbd, Stack, Text } from '@mantine/core'
import { modals } from '#admin/lib/modals.ts'
import { shortcutText, useShortcuts } from '#admin/lib/shortcuts.ts'

/** Opens a list of the shortcuts of the current page. */
export function openShortcutList(title: string): void {
  modals.open({ title, children: <ShortcutList /> })
}

function ShortcutList() {
  // Of shortcuts with the same keys, the last one registered runs.
  const shortcuts = new Map(useShortcuts().map((shortcut) => [shortcut.keys, shortcut.label]))
  return (
    <Stack gap="xs">
      {[...shortcuts].map(([keys, label]) => (
        <Group key={keys} justify="space-between" wrap="nowrap">
          <Text size="sm">{label}</Text>
          <Kbd>{shortcutText(keys)}</Kbd>
        </Group>
      ))}
    </Stack>
  )
}
