import { Badge } from '@mantine/core'
import { IconCircleCheck, IconCircleDashed, IconCircleDot, IconTrash } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'

export type DocumentStatus = 'draft' | 'published' | 'changed' | 'deleted'

const looks = {
  draft: { color: 'gray', Icon: IconCircleDashed },
  published: { color: 'mizu', Icon: IconCircleCheck },
  changed: { color: 'orange', Icon: IconCircleDot },
  deleted: { color: 'red', Icon: IconTrash },
} as const

/** Whether readers see the document: said in words and by a shape, the colour only repeats it. */
export function DocumentStatusChip({ status }: { status: DocumentStatus }) {
  const t = useTranslations('documents.status')
  const { color, Icon } = looks[status]
  return (
    <Badge
      variant="light"
      color={color}
      c="var(--mantine-color-text)"
      size="md"
      radius="sm"
      tt="none"
      fw={500}
      // In the middle of the line, not on its baseline.
      style={{ flex: 'none', verticalAlign: 'middle' }}
      leftSection={<Icon size={13} color={`var(--mantine-color-${color}-filled)`} aria-hidden="true" />}
      styles={{ label: { overflow: 'visible' } }}
    >
      {t(status)}
    </Badge>
  )
}
