import { ActionIcon } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { SortableList } from '#admin/ui/sortable.tsx'
import classes from './fields.module.css'
import { useSortableLabels } from './sortable-labels.ts'

interface SortableItemsProps {
  keys: readonly string[]
  /** Names of the items for screen readers. */
  names: readonly string[]
  readOnly: boolean
  /** Whether the items cannot be sorted and therefore have no handles. */
  fixed?: boolean
  /** Returns true for an item without a remove button. */
  isKept?: (index: number) => boolean
  onMove: (from: number, to: number) => void
  onRemove: (index: number) => void
  children: (index: number) => ReactNode
}

/** A list whose items can be moved by a handle and removed by a button. */
export function SortableItems(props: SortableItemsProps) {
  const { keys, names, readOnly, fixed = false, isKept, onMove, onRemove, children } = props
  const t = useTranslations('fields')
  const labels = useSortableLabels()
  const nameOf = (index: number) => names[index] || t('item', { number: index + 1 })
  return (
    <SortableList
      items={keys}
      getId={(key) => key}
      getName={(_, index) => nameOf(index)}
      onMove={onMove}
      labels={labels}
      fixed={readOnly || fixed}
      className={classes.items ?? ''}
      renderItem={(_, index, handle) => (
        <div className={classes.item}>
          {handle}
          <div className={classes.itemBody}>{children(index)}</div>
          {!readOnly && !isKept?.(index) && (
            <ActionIcon
              variant="subtle"
              color="gray"
              onClick={() => onRemove(index)}
              aria-label={t('removeItem', { name: nameOf(index) })}
            >
              <IconX size={16} />
            </ActionIcon>
          )}
        </div>
      )}
    />
  )
}
