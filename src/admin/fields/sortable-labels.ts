import { useTranslations } from 'use-intl'
import type { SortableLabels } from '#admin/ui/sortable.tsx'

/** What a screen reader hears while a list is put in order. */
export function useSortableLabels(): SortableLabels {
  const t = useTranslations('models.sort')
  return {
    instructions: t('instructions'),
    handle: (name) => t('handle', { name }),
    pickedUp: (name, position, total) => t('pickedUp', { name, position, total }),
    movedTo: (name, position, total) => t('movedTo', { name, position, total }),
    dropped: (name, position, total) => t('dropped', { name, position, total }),
    cancelled: (name) => t('cancelled', { name }),
  }
}
