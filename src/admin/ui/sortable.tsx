import {
  type CollisionDetection,
  closestCenter,
  DndContext,
  type DragEndEvent,
  type KeyboardCoordinateGetter,
  KeyboardSensor,
  PointerSensor,
  type UniqueIdentifier,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import { SortableContext, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable'
import { CSS } from '@dnd-kit/utilities'
import { ActionIcon } from '@mantine/core'
import { IconGripVertical } from '@tabler/icons-react'
import { memo, type ReactNode, useMemo, useRef, useState } from 'react'
import classes from './sortable.module.css'

/** Texts for screen readers. Positions count from 1. */
export interface SortableLabels {
  /** Explains how to use a handle. */
  instructions: string
  handle: (name: string) => string
  pickedUp: (name: string, position: number, total: number) => string
  movedTo: (name: string, position: number, total: number) => string
  dropped: (name: string, position: number, total: number) => string
  cancelled: (name: string) => string
}

interface SortableListProps<Item> {
  items: readonly Item[]
  getId: (item: Item) => string
  /** The name of an item for screen readers. */
  getName: (item: Item, index: number) => string
  onMove: (from: number, to: number) => void
  /** Renders one item. `handle` is its drag handle; null while the list is fixed. */
  renderItem: (item: Item, index: number, handle: ReactNode) => ReactNode
  /** Must be a stable object. Otherwise every row renders again. */
  labels: SortableLabels
  /** Whether the items cannot be moved. */
  fixed?: boolean
  className?: string
}

const pointerOptions = { activationConstraint: { distance: 4 } }
/**
 * Only Space picks up an item, because Enter is used by shortcuts (⌘Enter publishes, also while a handle has the
 * focus).
 */
const keyboardCodes = { start: ['Space'], cancel: ['Escape'], end: ['Space', 'Enter', 'Tab'] }

/**
 * The position of an item that is moved by keyboard. Each arrow key moves the item by one position in the list order,
 * independently of row heights and scrolling.
 */
class KeyboardPlace {
  /** The id of the item whose position the moved item has taken; null while no item is moved by keyboard. */
  at: string | null = null
  ids: readonly string[] = []

  /**
   * Moves the item by one position on an arrow key. Returns the coordinates at which to render it; undefined for other
   * keys and beyond the ends of the list.
   */
  readonly step: KeyboardCoordinateGetter = (event, { context }) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.code]
    if (by === undefined || this.at === null) return undefined
    event.preventDefault()
    const next = this.ids[this.ids.indexOf(this.at) + by]
    if (next === undefined) return undefined
    this.at = next
    const { collisionRect, droppableRects, active } = context
    const rect = droppableRects.get(next)
    if (!rect || !collisionRect) return undefined
    const isBelow = this.ids.indexOf(next) > this.ids.indexOf(String(active?.id))
    return { x: rect.left, y: isBelow ? rect.bottom - collisionRect.height : rect.top }
  }

  readonly collide: CollisionDetection = (options) =>
    this.at === null ? closestCenter(options) : [{ id: this.at }]
}

/**
 * A list that is reordered with handles, by pointer or keyboard (Space, arrows, Space; Escape cancels). If one item
 * changes, the rows of the others do not render again, unless `renderItem` or `labels` changes.
 */
export function SortableList<Item>(props: SortableListProps<Item>) {
  const { items, getId, getName, onMove, renderItem, labels, fixed = false, className } = props
  const [place] = useState(() => new KeyboardPlace())
  // The library compares sensor options by identity, so new objects would render every row again.
  const [keyboardOptions] = useState({ coordinateGetter: place.step, keyboardCodes })
  const sensors = useSensors(
    useSensor(PointerSensor, pointerOptions),
    useSensor(KeyboardSensor, keyboardOptions),
  )
  /** Index of the position that was last announced; -1 if there is none. */
  const announced = useRef(-1)
  const joinedIds = items.map(getId).join('\n')
  const ids = useMemo(() => (joinedIds === '' ? [] : joinedIds.split('\n')), [joinedIds])
  place.ids = ids
  const total = items.length
  const indexOf = (id: UniqueIdentifier | undefined) => ids.indexOf(String(id))
  const nameOf = (id: UniqueIdentifier) => {
    const index = indexOf(id)
    const item = items[index]
    return item === undefined ? '' : getName(item, index)
  }

  function onDragEnd({ active, over }: DragEndEvent) {
    place.at = null
    const [from, to] = [indexOf(active.id), indexOf(over?.id)]
    if (from >= 0 && to >= 0 && from !== to) onMove(from, to)
  }

  return (
    <DndContext
      sensors={sensors}
      collisionDetection={place.collide}
      onDragStart={({ active, activatorEvent }) => {
        place.at = activatorEvent instanceof KeyboardEvent ? String(active.id) : null
      }}
      onDragEnd={onDragEnd}
      onDragCancel={() => {
        place.at = null
      }}
      accessibility={{
        screenReaderInstructions: { draggable: labels.instructions },
        announcements: {
          onDragStart: ({ active }) => {
            announced.current = indexOf(active.id)
            return labels.pickedUp(nameOf(active.id), announced.current + 1, total)
          },
          onDragOver: ({ active, over }) => {
            // On pick-up the library reports the item as over itself. An announcement of this would interrupt the first
            // one.
            if (!over || indexOf(over.id) === announced.current) return undefined
            announced.current = indexOf(over.id)
            return labels.movedTo(nameOf(active.id), announced.current + 1, total)
          },
          onDragEnd: ({ active, over }) =>
            labels.dropped(nameOf(active.id), indexOf((over ?? active).id) + 1, total),
          onDragCancel: ({ active }) => labels.cancelled(nameOf(active.id)),
        },
      }}
    >
      <SortableContext items={ids} strategy={verticalListSortingStrategy} disabled={fixed}>
        <ol className={className ? `${classes.list} ${className}` : classes.list}>
          {items.map((item, index) => (
            <SortableRow
              key={getId(item)}
              id={getId(item)}
              item={item}
              index={index}
              name={getName(item, index)}
              labels={labels}
              fixed={fixed}
              renderItem={renderItem}
            />
          ))}
        </ol>
      </SortableContext>
    </DndContext>
  )
}

interface SortableRowProps<Item> {
  id: string
  item: Item
  index: number
  name: string
  labels: SortableLabels
  fixed: boolean
  renderItem: SortableListProps<Item>['renderItem']
}

function Row<Item>({ id, item, index, name, labels, fixed, renderItem }: SortableRowProps<Item>) {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } =
    useSortable({ id, disabled: fixed })
  const handle = fixed ? null : (
    <ActionIcon
      ref={setActivatorNodeRef}
      variant="subtle"
      color="gray"
      className={classes.handle}
      {...attributes}
      {...listeners}
      aria-roledescription={undefined}
      aria-label={labels.handle(name)}
    >
      <IconGripVertical size={16} />
    </ActionIcon>
  )
  return (
    <li
      ref={setNodeRef}
      className={classes.row}
      data-dragging={isDragging || undefined}
      style={{ transform: CSS.Translate.toString(transform), transition }}
    >
      {renderItem(item, index, handle)}
    </li>
  )
}

// `memo` loses the type parameter of the component.
const SortableRow = memo(Row) as typeof Row
