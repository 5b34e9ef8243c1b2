import { Button, Text, Title } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import {
  IconFilterOff,
  IconLayoutList,
  IconPencilPlus,
  IconPlus,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { errorText, isOffline } from '#admin/lib/errors.ts'
import { nothingSelected, type Selection } from '#admin/lib/selection.ts'
import { useAccount } from '#admin/lib/session.ts'
import { useCanInApp } from '#admin/lib/use-can.ts'
import { useReconnect } from '#admin/lib/use-reconnect.ts'
import { ConversionNotice } from '#admin/ui/conversion-notice.tsx'
import { useDocumentTitle } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { Model } from '#shared/contract/models.ts'
import { documentsChanged, type ModelPlace } from '../documents.queries.ts'
import { BulkBar } from './bulk-bar.tsx'
import { DocumentTable } from './document-table.tsx'
import classes from './list.module.css'
import { useColumns } from './list-columns.ts'
import { listQuery, titleIn } from './list-query.ts'
import type { ListSearch } from './list-search.ts'
import { ListToolbar } from './list-toolbar.tsx'
import { readSeenList, writeSeenList } from './seen-list.ts'
import { useDocumentWindow } from './use-document-window.ts'

/** The documents of a model. What is searched, filtered and sorted stands in the address. */
export function DocumentList({ model, place }: { model: Model; place: ModelPlace }) {
  const t = useTranslations('documents.list')
  const account = useAccount()
  const can = useCanInApp(place.p, place.a)
  const navigate = useNavigate()
  const search = useSearch({ strict: false }) as ListSearch
  const columns = useColumns(place, model)
  const compact = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false }) ?? false
  const [selection, setSelection] = useState<Selection>(nothingSelected)
  const [visible, setVisible] = useState({ from: 0, to: 0 })
  const page = useRef<HTMLDivElement>(null)
  useDocumentTitle(model.name)
  // Read once: what is written meanwhile is this list itself.
  const [seen] = useState(() => readSeenList(place))

  const query = listQuery(model, search, account?._id)
  const rows = useDocumentWindow(place, query, visible)
  const sameAsSeen = seen !== null && seen.query === query
  const top = useRef(sameAsSeen ? seen.top : 0)
  const narrowed = query.replace(/(?:^|&)order=[^&]*/, '') !== ''
  const mayCreate = can('document.write.own')

  const onVisible = useCallback((from: number, to: number) => {
    setVisible((before) => (before.from === from && before.to === to ? before : { from, to }))
  }, [])

  function change(next: ListSearch) {
    // Typing in the search box or turning a filter is one step back, not twenty.
    void navigate({ to: '/$p/$a/$m', params: place, search: next, replace: true })
    // Another list begins at its beginning.
    top.current = 0
    setSelection(nothingSelected)
  }

  // For editors: the way back, and what comes before and after.
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

  useReconnect(isOffline(rows.error), rows.retry)

  /** How many there are; nothing where that is not known. */
  function totalText(): string {
    if (rows.pending || (rows.error && rows.count === 0)) return ''
    const total = narrowed ? t('matching', { total: rows.total }) : t('total', { total: rows.total })
    return rows.count < rows.total ? `${total} ${t('onlyFirst', { count: rows.count })}` : total
  }

  return (
    <div className={classes.page} ref={page}>
      <header className={classes.header}>
        <div className={classes.titles}>
          <Title order={1}>{model.name}</Title>
          {model.description && (
            <Text size="sm" c="dimmed">
              {model.description}
            </Text>
          )}
        </div>
        <div className={classes.actions}>
          {mayCreate && (
            <Button
              variant="default"
              leftSection={<IconTrash size={16} />}
              renderRoot={(props) => <Link {...props} to="/$p/$a/$m/-/trash" params={place} />}
            >
              {t('trash')}
            </Button>
          )}
          {can('model.manage') && (
            <Button
              variant="default"
              leftSection={<IconLayoutList size={16} />}
              renderRoot={(props) => <Link {...props} to="/$p/$a/$m/-/model" params={place} />}
            >
              {t('editModel')}
            </Button>
          )}
          {mayCreate && newButton}
        </div>
      </header>
      <ConversionNotice conversion={model.conversion} />
      <ListToolbar
        model={model}
        place={place}
        search={search}
        onChange={change}
        columns={columns}
        compact={compact}
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
      {rows.error && rows.count > 0 && (
        <div className={classes.problem} role="alert">
          {errorText(rows.error)}
          <Button variant="default" size="xs" leftSection={<IconRefresh size={14} />} onClick={rows.retry}>
            {t('retry')}
          </Button>
        </div>
      )}
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
              <Button variant="default" onClick={() => change(search.sort ? { sort: search.sort } : {})}>
                {t('clearFilters')}
              </Button>
            }
          />
        ) : (
          <EmptyState
            icon={<IconPencilPlus size={36} stroke={1.4} aria-hidden="true" />}
            title={t('empty')}
            text={mayCreate ? t('emptyText') : t('emptyTextReader')}
            action={mayCreate ? newButton : undefined}
          />
        )
      ) : (
        <DocumentTable
          model={model}
          place={place}
          columns={columns.shown}
          rows={rows}
          sort={search.sort}
          onSort={(sort) => change(sort === undefined ? omit(search, 'sort') : { ...search, sort })}
          selection={selection}
          onSelection={setSelection}
          onVisible={onVisible}
          compact={compact}
          scroller={page}
          initialTop={top.current}
          onScroll={(next) => {
            top.current = next
          }}
          titleOf={(document) => titleIn(model, document)}
        />
      )}
    </div>
  )
}

/** A search without one of its parts: a part that is left out is as usual. */
function omit(search: ListSearch, name: keyof ListSearch): ListSearch {
  const { [name]: _, ...rest } = search
  return rest
}
