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

/** What a screen reader hears. Positions count from 1. */
export interface SortableLabels {
  /** How a handle works. */
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
  /** What a screen reader calls an item. */
  getName: (item: Item, index: number) => string
  onMove: (from: number, to: number) => void
  /** Draws one item; `handle` is what it is moved by (null while the list is fixed). */
  renderItem: (item: Item, index: number, handle: ReactNode) => ReactNode
  /** The same object always, or every row is drawn again. */
  labels: SortableLabels
  /** The items stay where they are. */
  fixed?: boolean
  className?: string
}

const pointerOptions = { activationConstraint: { distance: 4 } }
/** Space alone picks up: Enter belongs to the shortcuts (⌘Enter publishes, also from a handle). */
const keyboardCodes = { start: ['Space'], cancel: ['Escape'], end: ['Space', 'Enter', 'Tab'] }

/**
 * Where an item is that the keyboard moves: at one place further for every arrow, however high the others are by then
 * and wherever the page has scrolled to. The item on the screen follows.
 */
class KeyboardPlace {
  /** In whose place it is; null while no item is moved by the keyboard. */
  at: string | null = null
  ids: readonly string[] = []

  /** Moves by an arrow, and says where the item is to be drawn. */
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
 * A list that is put in order by handles: with the pointer or the keyboard (Space, arrows, Space; Escape leaves it
 * as it was). A row is drawn again when its item, its place or `renderItem` changes. The only place that knows the
 * drag-and-drop library.
 */
export function SortableList<Item>(props: SortableListProps<Item>) {
  const { items, getId, getName, onMove, renderItem, labels, fixed = false, className } = props
  const [place] = useState(() => new KeyboardPlace())
  // Of sensors, options are compared by identity: new ones would draw every row again.
  const [keyboardOptions] = useState({ coordinateGetter: place.step, keyboardCodes })
  const sensors = useSensors(
    useSensor(PointerSensor, pointerOptions),
    useSensor(KeyboardSensor, keyboardOptions),
  )
  /** The place that a screen reader heard of last. */
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
            // The item is over itself as soon as it is picked up: that must not drown the first announcement.
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

// `memo` forgets type parameters.
const SortableRow = memo(Row) as typeof Row
