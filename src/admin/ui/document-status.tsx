import { IconCircleCheck, IconCircleDashed, IconCircleDot, IconTrash } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { StateChip } from './state-chip.tsx'

export type DocumentStatus = 'draft' | 'published' | 'changed' | 'deleted'

const looks = {
  draft: { color: 'gray', icon: IconCircleDashed },
  published: { color: 'mizu', icon: IconCircleCheck },
  changed: { color: 'orange', icon: IconCircleDot },
  deleted: { color: 'red', icon: IconTrash },
} as const

/** Shows whether a document is a draft, published, changed since its publication, or deleted. */
export function DocumentStatusChip({ status }: { status: DocumentStatus }) {
  const t = useTranslations('documents')
  const hint = status === 'changed' ? t('statusHint.changed') : undefined
  return <StateChip {...looks[status]} text={t(`status.${status}`)} hint={hint} />
}
