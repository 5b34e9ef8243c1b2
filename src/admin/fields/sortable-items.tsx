import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import {
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable'
import { CSS } from '@dnd-kit/utilities'
import { ActionIcon } from '@mantine/core'
import { IconGripVertical, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import classes from './fields.module.css'

interface SortableItemsProps {
  /** A stable name for each item. */
  keys: readonly string[]
  /** What a screen reader calls each item. */
  names: readonly string[]
  readOnly: boolean
  /** Nothing to sort: no handles. */
  fixed?: boolean
  onMove: (from: number, to: number) => void
  onRemove: (index: number) => void
  children: (index: number) => ReactNode
}

/** A list whose items are moved by a handle (pointer, or Space and arrows) and removed by a button. */
export function SortableItems({
  keys,
  names,
  readOnly,
  fixed = false,
  onMove,
  onRemove,
  children,
}: SortableItemsProps) {
  const t = useTranslations('fields')
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  )
  const indexOf = (key: unknown) => keys.indexOf(String(key))
  const nameOf = (key: unknown) => names[indexOf(key)] || t('item', { number: indexOf(key) + 1 })

  function onDragEnd({ active, over }: DragEndEvent) {
    const [from, to] = [indexOf(active.id), indexOf(over?.id)]
    if (from >= 0 && to >= 0 && from !== to) onMove(from, to)
  }

  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={onDragEnd}
      accessibility={{
        screenReaderInstructions: { draggable: t('drag.instructions') },
        announcements: {
          onDragStart: ({ active }) => t('drag.start', { name: nameOf(active.id) }),
          onDragOver: ({ active, over }) =>
            over
              ? t('drag.over', {
                  name: nameOf(active.id),
                  position: indexOf(over.id) + 1,
                  total: keys.length,
                })
              : undefined,
          onDragEnd: ({ active, over }) =>
            t('drag.end', { name: nameOf(active.id), position: indexOf(over?.id) + 1 }),
          onDragCancel: ({ active }) => t('drag.cancel', { name: nameOf(active.id) }),
        },
      }}
    >
      <SortableContext items={[...keys]} strategy={verticalListSortingStrategy}>
        {keys.map((key, index) => (
          <SortableItem
            key={key}
            id={key}
            name={nameOf(key)}
            readOnly={readOnly}
            fixed={fixed}
            onRemove={() => onRemove(index)}
          >
            {children(index)}
          </SortableItem>
        ))}
      </SortableContext>
    </DndContext>
  )
}

interface SortableItemProps {
  id: string
  name: string
  readOnly: boolean
  fixed: boolean
  onRemove: () => void
  children: ReactNode
}

function SortableItem({ id, name, readOnly, fixed, onRemove, children }: SortableItemProps) {
  const t = useTranslations('fields')
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } =
    useSortable({ id, disabled: readOnly })
  return (
    <div
      ref={setNodeRef}
      className={classes.item}
      data-dragging={isDragging || undefined}
      style={{ transform: CSS.Translate.toString(transform), transition }}
    >
      {!readOnly && !fixed && (
        <ActionIcon
          ref={setActivatorNodeRef}
          variant="subtle"
          color="gray"
          className={classes.handle}
          {...attributes}
          {...listeners}
          aria-label={t('moveItem', { name })}
        >
          <IconGripVertical size={16} />
        </ActionIcon>
      )}
      <div className={classes.itemBody}>{children}</div>
      {!readOnly && (
        <ActionIcon variant="subtle" color="gray" onClick={onRemove} aria-label={t('removeItem', { name })}>
          <IconX size={16} />
        </ActionIcon>
      )}
    </div>
  )
}
