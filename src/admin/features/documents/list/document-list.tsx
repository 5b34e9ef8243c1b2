import { Button, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconFilterOff, IconPencilPlus, IconPlus } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { type MouseEvent, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { nothingSelected, type Selection, selectRange, toggleRow } from '#admin/lib/selection.ts'
import { useAccount } from '#admin/lib/session.ts'
import { useCanInModel } from '#admin/lib/use-can.ts'
import { useHighlight } from '#admin/lib/use-highlight.ts'
import { ConversionNotice } from '#admin/ui/conversion-notice.tsx'
import { useDocumentTitle } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, LoadProblem, SkeletonList } from '#admin/ui/states.tsx'
import type { Document } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import type { View, ViewSettings } from '#shared/contract/views.ts'
import { documentsChanged, type ModelPlace } from '../documents.queries.ts'
import { type ListState, searchOf } from '../views/view-state.ts'
import { ViewTabs } from '../views/view-tabs.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { DocumentTable } from './document-table.tsx'
import classes from './list.module.css'
import { useColumns } from './list-columns.ts'
import type { ListModel } from './list-fields.ts'
import { exportUrl } from './list-file.ts'
import { ListHeader } from './list-header.tsx'
import { listQuery, titleIn } from './list-query.ts'
import type { ListSearch } from './list-search.ts'
import { ListToolbar } from './list-toolbar.tsx'
import { readSeenList, writeSeenList } from './seen-list.ts'
import { useDocumentWindow } from './use-document-window.ts'

const Gallery = lazyPart(async () => (await import('../views/gallery.tsx')).Gallery)
const Calendar = lazyPart(async () => (await import('../views/calendar.tsx')).Calendar)

interface DocumentListProps {
  model: ListModel<Model>
  place: ModelPlace
  views: readonly View[]
  state: ListState
  search: ListSearch
}

/** The documents of a model in one of its views. Search, filters and order are in the URL. */
export function DocumentList({ model, place, views, state, search }: DocumentListProps) {
  const t = useTranslations('documents.list')
  const account = useAccount()
  const mayWrite = useCanInModel(place.p, place.a, model._id)('document.write.own')
  const navigate = useNavigate()
  const { view, settings } = state
  const type = view?.type ?? 'TABLE'
  const compact = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false }) ?? false
  const [selection, setSelection] = useState<Selection>(nothingSelected)
  const [visible, setVisible] = useState({ from: 0, to: 0 })
  const page = useRef<HTMLDivElement>(null)
  useDocumentTitle(model.name)
  useHighlight(page, '[role="gridcell"]', settings.q)
  // Read only once, because later writes come from this list.
  const [seen] = useState(() => readSeenList(place))

  const query = listQuery(model, settings, account?._id)
  const rows = useDocumentWindow(place, query, visible)
  const sameAsSeen = seen !== null && seen.query === query
  const top = useRef(sameAsSeen ? seen.top : 0)
  const narrowed = query.replace(/(?:^|&)order=[^&]*/, '') !== ''

  const onVisible = useCallback((from: number, to: number) => {
    setVisible((before) => (before.from === from && before.to === to ? before : { from, to }))
  }, [])

  const go = (next: ListSearch) =>
    // Replaces the history entry, so that one step back leaves the list even after a search or a change of filters.
    void navigate({ to: '/$p/$a/$m', params: place, search: next, replace: true })

  function change(next: ViewSettings) {
    go({ ...searchOf(view, next, views.length > 0), ...(search.month ? { month: search.month } : {}) })
    // A different list starts at the top.
    top.current = 0
    setSelection(nothingSelected)
  }

  const columns = useColumns(
    place,
    model,
    settings,
    view && ((chosen) => change(chosen ? { ...settings, columns: chosen } : without(settings, 'columns'))),
  )

  const titleOf = useCallback((document: Document) => titleIn(model, document), [model])

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
    const loaded = rows.loaded.map((one) => ({ id: one._id, title: titleOf(one) }))
    setSelection(range ? selectRange(selection, loaded, row) : toggleRow(selection, row))
  }

  const layout = {
    model,
    place,
    settings,
    rows,
    onVisible,
    titleOf,
    isChosen: (id: string) => selection.chosen.has(id),
    // Every bulk action requires at least this right.
    onChoose: mayWrite ? choose : null,
    onOpen: open,
  }

  // Stores the list in this tab, for the editor's link back and its links to the previous and next document.
  useEffect(() => {
    if (rows.pending || rows.stale) return
    const write = () => {
      const run = rows.runAround(visible.from)
      writeSeenList(place, {
        search,
        query,
        top: top.current,
        total: rows.count,
        first: run.first,
        ids: run.rows.map(({ _id }) => _id),
      })
    }
    write()
    return write
  })

  const newButton = (
    <Button
      leftSection={<IconPlus size={16} />}
      renderRoot={(props) => <Link {...props} to="/$p/$a/$m/new" params={place} />}
    >
      {t('new')}
    </Button>
  )

  /** Returns the text for the number of documents. Empty while the number is unknown. */
  function totalText(): string {
    if (rows.pending || (rows.error && (rows.stale || rows.count === 0))) return ''
    if (rows.isMore) return t('matchingMore', { total: rows.total })
    const total = narrowed ? t('matching', { total: rows.total }) : t('total', { total: rows.total })
    return rows.count < rows.total ? `${total} ${t('onlyFirst', { count: rows.count })}` : total
  }

  return (
    <div className={classes.page} ref={page}>
      <ListHeader model={model} place={place} newButton={mayWrite ? newButton : null} />
      <ConversionNotice conversion={model.conversion} />
      <ViewTabs model={model} place={place} views={views} state={state} />
      <ListToolbar
        model={model}
        place={place}
        type={type}
        settings={settings}
        onChange={change}
        columns={columns}
        compact={compact}
        exportUrl={(file) => exportUrl(file, { model, place, type, settings, query, columns })}
      />
      <div className={classes.strip} data-chosen={selection.chosen.size > 0 || undefined}>
        {selection.chosen.size === 0 && (
          <Text size="sm" c="dimmed" role="status">
            {totalText()}
          </Text>
        )}
        {selection.chosen.size > 0 && (
          <BulkBar
            model={model}
            place={place}
            query={query}
            total={rows.total}
            selection={selection}
            onSelection={setSelection}
            onDone={() => documentsChanged(place)}
          />
        )}
      </div>
      {rows.count > 0 && <LoadProblem error={rows.error} retry={rows.retry} />}
      {rows.pending ? (
        <SkeletonList rows={8} height={compact ? 84 : 42} />
      ) : rows.error && rows.count === 0 ? (
        <ErrorState error={rows.error} retry={rows.retry} />
      ) : rows.count === 0 ? (
        narrowed ? (
          <EmptyState
            icon={<IconFilterOff size={36} stroke={1.4} aria-hidden="true" />}
            title={t('noMatch')}
            text={t('noMatchText')}
            action={
              <Button variant="default" onClick={() => change(withoutFilters(settings))}>
                {t('clearFilters')}
              </Button>
            }
          />
        ) : (
          <EmptyState
            icon={<IconPencilPlus size={36} stroke={1.4} aria-hidden="true" />}
            title={t('empty')}
            text={mayWrite ? t('emptyText') : t('emptyTextReader')}
            action={mayWrite ? newButton : undefined}
          />
        )
      ) : type === 'CALENDAR' ? (
        <Suspense fallback={<SkeletonList rows={8} />}>
          <Calendar
            {...layout}
            query={query}
            month={search.month}
            onMonth={(month) => go({ ...search, ...(view ? { view: view.uid } : {}), month })}
          />
        </Suspense>
      ) : type === 'GALLERY' ? (
        <Suspense fallback={<SkeletonList rows={8} />}>
          <Gallery {...layout} />
        </Suspense>
      ) : (
        <DocumentTable
          {...layout}
          columns={columns}
          onSort={(sort) => change(sort === undefined ? without(settings, 'sort') : { ...settings, sort })}
          selection={selection}
          onSelection={setSelection}
          cards={compact || type === 'LIST'}
          compact={compact}
          scroller={page}
          initialTop={top.current}
          onScroll={(next) => {
            top.current = next
          }}
        />
      )}
    </div>
  )
}

/** Returns the settings without one property, which resets it to the default. */
function without(settings: ViewSettings, name: keyof ViewSettings): ViewSettings {
  const { [name]: _, ...rest } = settings
  return rest
}

function withoutFilters({ q, status, mine, any, filters, ...rest }: ViewSettings): ViewSettings {
  return rest
}
