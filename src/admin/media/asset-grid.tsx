// biome-ignore-all lint/a11y/useFocusableInteractive: the cells receive the focus.
// biome-ignore-all lint/a11y/useSemanticElements: virtual tiles with individual positions are not table cells.
import { Skeleton } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { PageWindow } from '#admin/lib/use-page-window.ts'
import type { Asset } from '#shared/contract/assets.ts'
import classes from './asset-grid.module.css'
import { AssetLine, AssetTile } from './asset-tile.tsx'
import { arrowStep, type GridShape, gridShape } from './grid-shape.ts'

export type AssetView = 'grid' | 'list'

interface AssetGridProps {
  rows: PageWindow<Asset>
  view: AssetView
  label: string
  isChosen: (id: string) => boolean
  /** Called on Enter, and on a click that does not select the asset. */
  onOpen: (asset: Asset) => void
  /**
   * Called on Space, a click on a tile's mark, Ctrl-click, ⌘-click, Shift-click, and Shift with an arrow key. `range`
   * is true with Shift: the selection extends to this asset. Null: assets cannot be selected.
   */
  onChoose: ((asset: Asset, range: boolean) => void) | null
  /** Handles a key before the grid does. Returns true if it used the key. */
  onKey?: (event: KeyboardEvent, asset: Asset | undefined) => boolean
  /**
   * Called with the indexes of the first and last rendered asset. These include a few rows outside of the visible area.
   */
  onVisible: (from: number, to: number) => void
  /** Index of the tile that is active at first. */
  initialIndex?: number
  className?: string
}

/** A virtual grid or list of assets. Arrow keys move (with Shift they select), Space selects, Enter opens. */
export function AssetGrid(props: AssetGridProps) {
  const { rows, view, label, isChosen, onOpen, onChoose, onVisible, initialIndex = 0 } = props
  const { ref: measured, width } = useElementSize()
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState(initialIndex)
  /** Whether the focus moves to the active tile after the next render. */
  const moving = useRef(false)
  const shape = useMemo(() => gridShape(view, width), [view, width])
  const { columns, rowHeight } = shape

  const virtual = useVirtualizer({
    count: Math.ceil(rows.count / columns),
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 4,
  })
  const items = virtual.getVirtualItems()
  const from = (items[0]?.index ?? 0) * columns
  const to = Math.min(rows.count, ((items.at(-1)?.index ?? 0) + 1) * columns) - 1

  useEffect(() => onVisible(from, to), [from, to, onVisible])
  const seen = useKeptPlace(scroller, shape, width, initialIndex)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height of a row changes with the shape.
  useLayoutEffect(() => virtual.measure(), [rowHeight, columns])
  useEffect(() => {
    if (!moving.current) return
    const tile = scroller.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)
    if (!tile) return
    moving.current = false
    tile.focus({ preventScroll: true })
  })

  function goTo(index: number) {
    moving.current = true
    setActive(index)
    virtual.scrollToIndex(Math.floor(index / columns))
  }

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const asset = rows.rowAt(active)
    if (props.onKey?.(event, asset)) {
      event.preventDefault()
      return
    }
    if (event.altKey) return
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight)) * columns
    const step = arrowStep(event.key, active, { columns, page, count: rows.count })
    if (step !== undefined) {
      event.preventDefault()
      const next = rows.rowAt(step)
      if (event.shiftKey && asset && next && step !== active && onChoose) {
        if (!isChosen(asset._id)) onChoose(asset, false)
        onChoose(next, true)
      }
      goTo(step)
    } else if (event.key === ' ' && asset && onChoose) {
      event.preventDefault()
      onChoose(asset, event.shiftKey)
    } else if (event.key === 'Enter' && asset) {
      event.preventDefault()
      onOpen(asset)
    }
  }

  function onClick(event: MouseEvent, asset: Asset) {
    const isMark = event.target instanceof Element && event.target.closest('[data-mark]') !== null
    if (onChoose && event.shiftKey) onChoose(asset, true)
    else if (onChoose && (isMark || event.ctrlKey || event.metaKey)) onChoose(asset, false)
    else onOpen(asset)
  }

  const assetOf = (target: EventTarget): Asset | undefined => {
    const index = indexOf(target)
    return index === undefined ? undefined : rows.rowAt(index)
  }

  return (
    <div
      ref={scroller}
      className={`${classes.scroller} ${props.className ?? ''}`}
      data-stale={rows.stale || undefined}
      onScroll={seen}
    >
      <div
        ref={measured}
        role="grid"
        aria-label={label}
        aria-rowcount={Math.ceil(rows.count / columns)}
        aria-colcount={columns}
        aria-multiselectable={onChoose !== null}
        aria-busy={rows.stale}
        // One listener for all tiles, because scrolling adds and removes tiles.
        onKeyDown={onKeyDown}
        onFocus={(event) => setActive((before) => indexOf(event.target) ?? before)}
        // Shift-click selects tiles, not text.
        onMouseDown={(event) => event.shiftKey && event.preventDefault()}
        onClick={(event) => {
          const asset = assetOf(event.target)
          if (asset) onClick(event, asset)
        }}
        className={classes.grid}
        style={{ height: virtual.getTotalSize() }}
      >
        {width > 0 &&
          items.map(({ key, index, start }) => (
            <GridRow
              key={key}
              index={index}
              start={start}
              shape={shape}
              view={view}
              rows={rows}
              isChosen={onChoose && isChosen}
              active={Math.floor(active / columns) === index ? active : -1}
            />
          ))}
      </div>
    </div>
  )
}

function indexOf(target: EventTarget): number | undefined {
  const index = target instanceof Element && target.closest<HTMLElement>('[data-index]')?.dataset.index
  return index ? Number(index) : undefined
}

interface GridRowProps extends Pick<AssetGridProps, 'rows' | 'view'> {
  /** Null: assets cannot be selected. */
  isChosen: ((id: string) => boolean) | null
  index: number
  /** Distance from the top in pixels. */
  start: number
  shape: GridShape
  /** Index of the active tile; -1 if it is in another row. */
  active: number
}

/** Memoised, so that scrolling does not render a row again. */
const GridRow = memo(function GridRow(props: GridRowProps) {
  const { index: row, start, shape, view, rows, isChosen, active } = props
  const { columns, rowHeight } = shape
  const Cell = view === 'grid' ? AssetTile : AssetLine
  return (
    <div
      role="row"
      aria-rowindex={row + 1}
      className={classes.row}
      data-view={view}
      style={{
        height: rowHeight,
        transform: `translateY(${start}px)`,
        gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
      }}
    >
      {Array.from({ length: Math.min(columns, rows.count - row * columns) }, (_, column) => {
        const index = row * columns + column
        const asset = rows.rowAt(index)
        return (
          <div
            key={asset?._id ?? index}
            role="gridcell"
            data-index={index}
            aria-colindex={column + 1}
            aria-selected={isChosen ? asset !== undefined && isChosen(asset._id) : undefined}
            tabIndex={index === active ? 0 : -1}
            className={classes.cell}
          >
            {asset ? <Cell asset={asset} /> : <Skeleton height="100%" radius="md" />}
          </div>
        )
      })}
    </div>
  )
})

/** Keeps the first visible tile in view when the shape changes. The returned function must be called on scrolling. */
function useKeptPlace(
  scroller: React.RefObject<HTMLDivElement | null>,
  { columns, rowHeight }: GridShape,
  width: number,
  initialIndex: number,
): () => void {
  const first = useRef(initialIndex)
  const isReady = width > 0
  useLayoutEffect(() => {
    if (isReady && scroller.current)
      scroller.current.scrollTop = Math.floor(first.current / columns) * rowHeight
  }, [isReady, columns, rowHeight, scroller])
  return () => {
    first.current = Math.floor((scroller.current?.scrollTop ?? 0) / rowHeight) * columns
  }
}
