import { useMemo } from 'react'
import { useTranslations } from 'use-intl'
import type { SortableLabels } from '#admin/ui/sortable.tsx'

/** Returns the labels and announcements for screen readers during sorting. */
export function useSortableLabels(): SortableLabels {
  const t = useTranslations('fields')
  return useMemo(
    () => ({
      instructions: t('drag.instructions'),
      handle: (name) => t('moveItem', { name }),
      pickedUp: (name) => t('drag.start', { name }),
      movedTo: (name, position, total) => t('drag.over', { name, position, total }),
      dropped: (name, position) => t('drag.end', { name, position }),
      cancelled: (name) => t('drag.cancel', { name }),
    }),
    [t],
  )
}
