import { Badge } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'

interface StateChipProps {
  color: string
  icon: Icon
  text: string
  /** An explanation, shown as a tooltip and used as the accessible description. */
  hint?: string | undefined
}

/** A state shown by text and icon. The colour adds no information. */
export function StateChip({ color, icon: Shape, text, hint }: StateChipProps) {
  return (
    <Badge
      variant="light"
      color={color}
      c="var(--mantine-color-text)"
      size="md"
      radius="sm"
      tt="none"
      fw={500}
      title={hint}
      // Centres the chip in the line instead of aligning it to the baseline.
      style={{ flex: '0 var(--imori-chip-shrink, 0) auto', maxWidth: '100%', verticalAlign: 'middle' }}
      leftSection={<Shape size={13} color={`var(--mantine-color-${color}-filled)`} aria-hidden="true" />}
      styles={{ label: { overflow: 'var(--imori-chip-overflow, visible)' } }}
    >
      {text}
    </Badge>
  )
}
