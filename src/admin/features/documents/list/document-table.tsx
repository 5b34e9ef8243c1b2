// biome-ignore-all lint/a11y/useFocusableInteractive: the focus is on whole rows.
// biome-ignore-all lint/a11y/useSemanticElements: rows positioned one by one are no table rows.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid handles the keys of its rows.
import { Checkbox, Skeleton } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { type Selection, toggleAll } from '#admin/lib/selection.ts'
import type { SystemColumn } from '#shared/views.ts'
import { CellEditingContext } from './cell-editing.ts'
import { ColumnHead } from './column-head.tsx'
import { DocumentCard, DocumentRow } from './document-row.tsx'
import type { LayoutProps } from './layouts.ts'
import classes from './list.module.css'
import { type Columns, stickyOffsets, systemKey } from './list-columns.ts'
import { useCells } from './use-cells.ts'

interface DocumentTableProps extends LayoutProps {
  columns: Columns
  onSort: (sort: string | undefined) => void
  selection: Selection
  onSelection: (selection: Selection) => void
  /** Whether documents are shown as cards instead of rows. */
  cards: boolean
  /** Whether the screen is small: then the page scrolls, not the list. */
  compact: boolean
  /** The last scroll position, in pixels. */
  initialTop: number
  onScroll: (top: number) => void
  /** The scrolling element on a small screen. On larger screens, rows scroll below their header. */
  scroller: RefObject<HTMLDivElement | null>
}

const rowHeight = 46
const cardHeight = 96
const boxWidth = 44
const titleWidth = 240
/** Number of rows that Page Up and Page Down move. */
const pageStep = 10

/** A virtual table of documents. Arrow keys move, Space selects, Enter opens. */
export function DocumentTable(props: DocumentTableProps) {
  const { model, place, columns, rows, selection, onSelection, onVisible, compact, cards, scroller } = props
  const { initialTop, onScroll, titleOf, isChosen, onChoose, onOpen } = props
  const hasHead = !cards || onChoose !== null
  const headHeight = hasHead ? rowHeight : 0
  const checkWidth = onChoose ? boxWidth : 0
  const t = useTranslations('documents.list')
  const grid = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState(0)
  const [margin, setMargin] = useState(0)
  /** Whether the next render moves the focus to the active row. */
  const moving = useRef(false)

  const virtual = useVirtualizer({
    count: rows.count,
    getScrollElement: () => (compact ? scroller.current : grid.current),
    estimateSize: () => (cards ? cardHeight : rowHeight),
    overscan: 12,
    initialOffset: initialTop,
    // The sticky header is inside the scrolling element, so the rows begin below it.
    scrollMargin: compact ? margin : headHeight,
    scrollPaddingStart: compact ? 0 : headHeight,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scroll position is restored only on mount.
  useLayoutEffect(() => {
    const scrolled = compact ? scroller.current : grid.current
    if (!scrolled) return
    if (initialTop > 0) scrolled.scrollTop = initialTop
    const tell = () => onScroll(scrolled.scrollTop)
    scrolled.addEventListener('scroll', tell, { passive: true })
    return () => scrolled.removeEventListener('scroll', tell)
  }, [compact])
  const items = virtual.getVirtualItems()
  const from = items[0]?.index ?? 0
  const to = items.at(-1)?.index ?? 0

  useEffect(() => onVisible(from, to), [from, to, onVisible])
  // Content above the cards can appear and disappear, for example the bar of bulk actions. So the margin is measured
  // after every render.
  useLayoutEffect(() => {
    const next = (grid.current?.offsetTop ?? 0) + headHeight
    if (next !== margin) setMargin(next)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the size of a row changes with `cards`.
  useEffect(() => virtual.measure(), [cards, compact])
  useEffect(() => {
    if (!moving.current) return
    const row = grid.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)
    if (!row) return
    moving.current = false
    row.focus({ preventScroll: true })
  })

  const { shown } = columns
  const titleField = model.fields.find(({ _id }) => _id === model.titleField)
  const cells = useCells({ model, place, rows, shown, grid })

  const loaded = rows.loaded.map((document) => ({ id: document._id, title: titleOf(document) }))
  const allLoaded = loaded.length > 0 && loaded.every((row) => selection.chosen.has(row.id))
  const someLoaded = loaded.some((row) => selection.chosen.has(row.id))

  function goTo(index: number) {
    const next = Math.max(0, Math.min(rows.count - 1, index))
    moving.current = true
    setActive(next)
    virtual.scrollToIndex(next)
  }

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const onRow = (event.target as HTMLElement).getAttribute('role') === 'row'
    const document = rows.rowAt(active)
    if (document && !cards && cells.onKeyDown(event, document)) return
    const steps: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + pageStep,
      PageUp: active - pageStep,
      Home: 0,
      End: rows.count - 1,
    }
    const step = steps[event.key]
    if (step !== undefined && onRow && !event.altKey) {
      event.preventDefault()
      goTo(step)
    } else if (event.key === ' ' && onRow && document && onChoose) {
      event.preventDefault()
      onChoose(document, event.shiftKey)
    } else if (event.key === 'Enter' && onRow && document) {
      event.preventDefault()
      onOpen(document)
    } else if (event.key === 'a' && (event.metaKey || event.ctrlKey) && onRow && onChoose) {
      event.preventDefault()
      if (!allLoaded) onSelection(toggleAll(selection, loaded))
    } else if (
      event.key === 'Escape' &&
      selection.chosen.size > 0 &&
      // React also bubbles keys from a row's menu or dialog, whose elements are not inside the table.
      event.currentTarget.contains(event.target as Node)
    ) {
      onSelection({ chosen: new Map(), anchor: null })
    }
  }

  // If any column is sticky, the title is sticky too and has a fixed width.
  const sticks = shown.some(({ sticky }) => sticky)
  const template = [
    ...(onChoose ? [`${checkWidth}px`] : []),
    sticks ? `${titleWidth}px` : `minmax(${titleWidth}px, 2fr)`,
    ...shown.map(({ width, grows, sticky }) => (grows && !sticky ? `minmax(${width}px, 1fr)` : `${width}px`)),
  ].join(' ')
  const least = shown.reduce((sum, { width }) => sum + width, checkWidth + titleWidth)
  const sticky = stickyOffsets(shown, checkWidth, titleWidth)
  const heads = { model, columns, sort: props.settings.sort, onSort: props.onSort }
  const Row = cards ? DocumentCard : DocumentRow
  return (
    <CellEditingContext value={cards ? null : cells.editing}>
      <div
        ref={grid}
        className={classes.grid}
        data-cards={cards || undefined}
        data-choice={onChoose !== null || undefined}
        data-sticks={sticks || undefined}
        data-stale={rows.stale || undefined}
        role="grid"
        aria-label={model.name}
        aria-rowcount={rows.count + (hasHead ? 1 : 0)}
        aria-multiselectable={onChoose !== null}
        aria-busy={rows.stale}
        onKeyDown={onKeyDown}
        style={{ '--list-columns': template, '--list-width': `${least}px` } as React.CSSProperties}
      >
        {hasHead && (
          <div className={classes.head} role="row" aria-rowindex={1}>
            {onChoose && (
              <div role="columnheader" className={classes.check} aria-label={t('selection')}>
                <Checkbox
                  aria-label={t('selectShown', { count: loaded.length })}
                  checked={allLoaded}
                  indeterminate={someLoaded && !allLoaded}
                  onChange={() => onSelection(toggleAll(selection, loaded))}
                />
              </div>
            )}
            {cards ? (
              <div role="columnheader">{t('selectShown', { count: loaded.length })}</div>
            ) : (
              <>
                <ColumnHead
                  {...heads}
                  id={titleField?.uid ?? ''}
                  label={titleField?.name ?? t('columnNames.title')}
                  style={sticky.title}
                />
                {shown.map((column) => (
                  <ColumnHead
                    key={column.id}
                    {...heads}
                    id={column.id}
                    label={
                      column.innerName ??
                      column.field?.name ??
                      t(`columnNames.${systemKey(column.id as SystemColumn)}`)
                    }
                    column={column}
                    style={sticky.columns.get(column.id)}
                  />
                ))}
              </>
            )}
          </div>
        )}
        <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {items.map((item) => {
            const document = rows.rowAt(item.index)
            return (
              <div
                key={item.key}
                role="row"
                data-index={item.index}
                data-id={document?._id}
                aria-rowindex={item.index + (hasHead ? 2 : 1)}
                aria-selected={onChoose ? document !== undefined && isChosen(document._id) : undefined}
                tabIndex={item.index === active ? 0 : -1}
                className={classes.row}
                style={{
                  height: item.size,
                  transform: `translateY(${item.start - virtual.options.scrollMargin}px)`,
                }}
                onFocus={() => setActive(item.index)}
                // Shift-click selects rows, not text.
                onMouseDown={(event) => event.shiftKey && event.preventDefault()}
                onAuxClick={(event) => document && event.button === 1 && onOpen(document, event)}
                onClick={(event) => {
                  if (!document) return
                  if (event.shiftKey && onChoose) onChoose(document, true)
                  else onOpen(document, event)
                }}
              >
                {onChoose && (
                  <div
                    role="gridcell"
                    className={classes.check}
                    // A click next to the small checkbox also selects the row.
                    onClick={(event) => {
                      event.stopPropagation()
                      if (document) onChoose(document, event.shiftKey)
                    }}
                  >
                    <Checkbox
                      tabIndex={-1}
                      readOnly
                      checked={document ? isChosen(document._id) : false}
                      aria-label={t('select', { title: (document && titleOf(document)) || t('untitled') })}
                      style={{ pointerEvents: 'none' }}
                    />
                  </div>
                )}
                {document ? (
                  <Row
                    document={document}
                    title={titleOf(document)}
                    titleField={titleField}
                    columns={shown}
                    place={place}
                    sticky={sticky}
                    isActive={item.index === active}
                  />
                ) : (
                  <div role="gridcell" className={classes.cell}>
                    <Skeleton height={14} />
                  </div>
                )}
              </div>
            )
          })}
        </div>
      </div>
    </CellEditingContext>
  )
}
