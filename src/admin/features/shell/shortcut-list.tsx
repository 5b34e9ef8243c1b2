import { Group, Kbd, Stack, Text } from '@mantine/core'
import { modals } from '#admin/lib/modals.ts'
import { shortcutText, useShortcuts } from '#admin/lib/shortcuts.ts'

/** Opens a list of the shortcuts of the current page. */
export function openShortcutList(title: string): void {
  modals.open({ title, children: <ShortcutList /> })
}

function ShortcutList() {
  // If several shortcuts have equal keys, only the last one registered is listed, because it is the one that runs.
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
