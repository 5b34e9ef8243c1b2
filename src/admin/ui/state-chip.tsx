import { Badge } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'

interface StateChipProps {
  color: string
  icon: Icon
  text: string
}

/** A state shown by text and icon; the colour only repeats it. */
export function StateChip({ color, icon: Shape, text }: StateChipProps) {
  return (
    <Badge
      variant="light"
      color={color}
      c="var(--mantine-color-text)"
      size="md"
      radius="sm"
      tt="none"
      fw={500}
      // Centred in the line, not aligned to the baseline.
      style={{ flex: 'none', verticalAlign: 'middle' }}
      leftSection={<Shape size={13} color={`var(--mantine-color-${color}-filled)`} aria-hidden="true" />}
      styles={{ label: { overflow: 'var(--imori-chip-overflow, visible)' } }}
    >
      {text}
    </Badge>
  )
}
