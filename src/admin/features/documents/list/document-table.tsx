// biome-ignore-all lint/a11y/useFocusableInteractive: the focus is on whole rows.
// biome-ignore-all lint/a11y/useSemanticElements: rows that are placed one by one are no table rows.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid hears the keys of its rows.
import { Checkbox, Skeleton, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useTranslations } from 'use-intl'
import { type Selection, selectRange, toggleAll, toggleRow } from '#admin/lib/selection.ts'
import type { Document } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import type { ModelPlace } from '../documents.queries.ts'
import { DocumentCard, DocumentRow } from './document-row.tsx'
import classes from './list.module.css'
import { type Column, type SystemColumn, systemKey } from './list-columns.ts'
import { isSortable } from './list-query.ts'
import type { useDocumentWindow } from './use-document-window.ts'

interface DocumentTableProps {
  model: Model
  place: ModelPlace
  columns: readonly Column[]
  rows: ReturnType<typeof useDocumentWindow>
  sort: string | undefined
  onSort: (sort: string | undefined) => void
  selection: Selection
  onSelection: (selection: Selection) => void
  onVisible: (from: number, to: number) => void
  /** Cards instead of rows. */
  compact: boolean
  /** How far it was scrolled when it was last seen, in pixels. */
  initialTop: number
  onScroll: (top: number) => void
  /** What scrolls when there are cards; rows scroll on their own below their header. */
  scroller: RefObject<HTMLDivElement | null>
  titleOf: (document: Document) => string
}

const rowHeight = 46
const cardHeight = 96
const checkWidth = 44
const titleWidth = 240
/** How far Page Up and Page Down go. */
const pageStep = 10

/** The rows of a list, only those in sight in the page. Arrows move, Space chooses, Enter opens. */
export function DocumentTable(props: DocumentTableProps) {
  const { model, place, columns, rows, selection, onSelection, onVisible, compact, scroller, titleOf } = props
  const { initialTop, onScroll } = props
  const t = useTranslations('documents.list')
  const navigate = useNavigate()
  const grid = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState(0)
  const [margin, setMargin] = useState(0)
  /** The next render moves the focus to the active row. */
  const moving = useRef(false)

  const virtual = useVirtualizer({
    count: rows.count,
    getScrollElement: () => (compact ? scroller.current : grid.current),
    estimateSize: () => (compact ? cardHeight : rowHeight),
    overscan: 12,
    initialOffset: initialTop,
    // The sticky header is inside of what scrolls.
    scrollMargin: compact ? margin : rowHeight,
    scrollPaddingStart: compact ? 0 : rowHeight,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what comes back is where it was left.
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
  // What stands above the cards comes and goes (the bar of bulk actions, for one).
  useLayoutEffect(() => {
    const next = (grid.current?.offsetTop ?? 0) + rowHeight
    if (next !== margin) setMargin(next)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the size of a row changes with `compact`.
  useEffect(() => virtual.measure(), [compact])
  useEffect(() => {
    if (!moving.current) return
    const row = grid.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)
    if (!row) return
    moving.current = false
    row.focus({ preventScroll: true })
  })

  const loaded = rows.loaded.map((document) => ({ id: document._id, title: titleOf(document) }))
  const allLoaded = loaded.length > 0 && loaded.every((row) => selection.chosen.has(row.id))
  const someLoaded = loaded.some((row) => selection.chosen.has(row.id))

  function open(document: Document, event?: MouseEvent) {
    if (event && (event.metaKey || event.ctrlKey || event.button === 1)) {
      const path = ['', place.p, place.a, place.m, document._id].map(encodeURIComponent).join('/')
      window.open(path, '_blank', 'noopener')
      return
    }
    void navigate({ to: '/$p/$a/$m/$id', params: { ...place, id: document._id } })
  }

  function choose(document: Document, range: boolean) {
    const row = { id: document._id, title: titleOf(document) }
    onSelection(range ? selectRange(selection, loaded, row) : toggleRow(selection, row))
  }

  function goTo(index: number) {
    const next = Math.max(0, Math.min(rows.count - 1, index))
    moving.current = true
    setActive(next)
    virtual.scrollToIndex(next)
  }

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const onRow = (event.target as HTMLElement).getAttribute('role') === 'row'
    const document = rows.rowAt(active)
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
    } else if (event.key === ' ' && onRow && document) {
      event.preventDefault()
      choose(document, event.shiftKey)
    } else if (event.key === 'Enter' && onRow && document) {
      event.preventDefault()
      open(document)
    } else if (event.key === 'a' && (event.metaKey || event.ctrlKey) && onRow) {
      event.preventDefault()
      if (!allLoaded) onSelection(toggleAll(selection, loaded))
    } else if (event.key === 'Escape' && selection.chosen.size > 0) {
      onSelection({ chosen: new Map(), anchor: null })
    }
  }

  const template = [
    `${checkWidth}px`,
    `minmax(${titleWidth}px, 2fr)`,
    ...columns.map(({ width, grows }) => (grows ? `minmax(${width}px, 1fr)` : `${width}px`)),
  ].join(' ')
  const least = columns.reduce((sum, { width }) => sum + width, checkWidth + titleWidth)
  const Row = compact ? DocumentCard : DocumentRow
  return (
    <div
      ref={grid}
      className={classes.grid}
      data-compact={compact || undefined}
      data-stale={rows.stale || undefined}
      role="grid"
      aria-label={model.name}
      aria-rowcount={rows.count + 1}
      aria-multiselectable="true"
      aria-busy={rows.stale}
      onKeyDown={onKeyDown}
      style={{ '--list-columns': template, '--list-width': `${least}px` } as React.CSSProperties}
    >
      <div className={classes.head} role="row" aria-rowindex={1}>
        <div role="columnheader" className={classes.check} aria-label={t('selection')}>
          <Checkbox
            aria-label={t('selectShown', { count: loaded.length })}
            checked={allLoaded}
            indeterminate={someLoaded && !allLoaded}
            onChange={() => onSelection(toggleAll(selection, loaded))}
          />
        </div>
        {compact ? (
          <div role="columnheader">{t('selectShown', { count: loaded.length })}</div>
        ) : (
          <>
            <Head {...props} id={titleUid(model)} label={titleName(model) ?? t('columnNames.title')} />
            {columns.map((column) => (
              <Head
                key={column.id}
                {...props}
                id={column.id}
                label={column.field?.name ?? t(`columnNames.${systemKey(column.id as SystemColumn)}`)}
              />
            ))}
          </>
        )}
      </div>
      <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {items.map((item) => {
          const document = rows.rowAt(item.index)
          return (
            <div
              key={item.key}
              role="row"
              data-index={item.index}
              aria-rowindex={item.index + 2}
              aria-selected={document ? selection.chosen.has(document._id) : false}
              tabIndex={item.index === active ? 0 : -1}
              className={classes.row}
              style={{
                height: item.size,
                transform: `translateY(${item.start - virtual.options.scrollMargin}px)`,
              }}
              onFocus={() => setActive(item.index)}
              // A range of rows is no range of text.
              onMouseDown={(event) => event.shiftKey && event.preventDefault()}
              onAuxClick={(event) => document && event.button === 1 && open(document, event)}
              onClick={(event) => {
                if (!document) return
                if (event.shiftKey) {
                  choose(document, true)
                } else open(document, event)
              }}
            >
              <div
                role="gridcell"
                className={classes.check}
                // A click beside the small box is meant for the box.
                onClick={(event) => {
                  event.stopPropagation()
                  if (document) choose(document, event.shiftKey)
                }}
              >
                <Checkbox
                  tabIndex={-1}
                  readOnly
                  checked={document ? selection.chosen.has(document._id) : false}
                  aria-label={t('select', { title: (document && titleOf(document)) || t('untitled') })}
                  style={{ pointerEvents: 'none' }}
                />
              </div>
              {document ? (
                <Row document={document} title={titleOf(document)} columns={columns} place={place} />
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
  )
}

function titleUid(model: Model): string {
  return model.fields.find((field) => field._id === model.titleField)?.uid ?? ''
}

function titleName(model: Model): string | undefined {
  return model.fields.find((field) => field._id === model.titleField)?.name
}

/** A column's name; for those that sort, a button: ascending, descending, as usual. */
function Head({ model, sort, onSort, id, label }: DocumentTableProps & { id: string; label: string }) {
  const t = useTranslations('documents.list')
  // Without a choice the newest change is first.
  const current = sort ?? '-_sys.updatedAt'
  const direction = current === id ? 'ascending' : current === `-${id}` ? 'descending' : undefined
  if (!isSortable(model, id))
    return (
      <div role="columnheader" className={classes.headCell}>
        {label}
      </div>
    )
  const next =
    direction === 'ascending' ? `-${id}` : direction === 'descending' && sort !== undefined ? undefined : id
  return (
    <div role="columnheader" className={classes.headCell} {...(direction ? { 'aria-sort': direction } : {})}>
      <UnstyledButton
        className={classes.sort}
        onClick={() => onSort(next)}
        title={t('sortBy', { name: label })}
      >
        <span>{label}</span>
        {direction === 'ascending' && <IconArrowUp size={14} aria-hidden="true" />}
        {direction === 'descending' && <IconArrowDown size={14} aria-hidden="true" />}
      </UnstyledButton>
    </div>
  )
}
