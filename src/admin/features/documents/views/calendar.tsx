import { ActionIcon, Anchor, Button, Text, Title, UnstyledButton } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconPlus } from '@tabler/icons-react'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { type DateTimeFormatOptions, useFormatter, useLocale, useTranslations } from 'use-intl'
import { spaceZone } from '#admin/base/space-zone.ts'
import { dayOf, localDay } from '#admin/fields/date/date-values.ts'
import { documentsKey } from '#admin/fields/reference/reference-queries.ts'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { DocumentStatusChip } from '#admin/ui/document-status.tsx'
import { ErrorState } from '#admin/ui/states.tsx'
import type { Document } from '#shared/contract/documents.ts'
import type { ViewSettings } from '#shared/contract/views.ts'
import { documentsChanged, type ModelPlace } from '../documents.queries.ts'
import type { LayoutProps } from '../list/layouts.ts'
import { hasDaysInUtc, queryName } from '../list/list-query.ts'
import { type ListSearch, withoutView } from '../list/list-search.ts'
import { readIsoDay, startOf } from '../list/periods.ts'
import { useDocumentRights } from '../use-document-rights.ts'
import classes from './calendar.module.css'
import { calendarDay, type DaySource, valueIn } from './day-sources.ts'
import { holidayOn } from './holidays.ts'
import { laterDay, laterMonth, type Month, monthOf, weeksOf } from './month.ts'

interface CalendarProps extends Pick<LayoutProps, 'model' | 'place' | 'settings' | 'titleOf' | 'onOpen'> {
  /** The list's query. */
  query: string
  /** undefined: the current month. */
  month: Month | undefined
  onMonth: (month: Month) => void
}

/** Maximum number of documents shown per month. */
const maximumShown = 500
/** Number of documents shown per day before expanding. */
const shownOfDay = 4

const monthQuery = (place: ModelPlace, query: string) =>
  queryOptions({
    queryKey: [...documentsKey(place, place.m), 'month', query],
    queryFn: ({ signal }) =>
      api('GET /api/project/{p}/app/{a}/model/{m}/doc', {
        params: { ...place },
        query: `${query}&limit=${maximumShown}`,
        signal,
      }),
    placeholderData: (before) => before,
  })

/** Restricts the list's query to days from `from` up to, but not including, `to`. */
function between(query: string, source: DaySource, from: string, to: string): string {
  const search = new URLSearchParams(query)
  const name = queryName(source.name)
  const start = (day: string) => {
    const read = readIsoDay(day)
    return read ? startOf(read, hasDaysInUtc(source.field)) : ''
  }
  search.append(`${name}[gte]`, start(from))
  search.append(`${name}[lt]`, start(to))
  if (!search.has('order')) search.set('order', name)
  return search.toString().replaceAll('+', '%20')
}

/** Loads the number of the list's documents without a value in the field. */
const undatedQuery = (place: ModelPlace, query: string, uid: string) =>
  queryOptions({
    queryKey: [...documentsKey(place, place.m), 'undated', query, uid],
    queryFn: async ({ signal }) => {
      const search = new URLSearchParams(query)
      search.delete('order')
      search.append(`${uid}[exists]`, 'false')
      search.set('limit', '1')
      const { total } = await api('GET /api/project/{p}/app/{a}/model/{m}/doc', {
        params: { ...place },
        query: search.toString().replaceAll('+', '%20'),
        signal,
      })
      return total
    },
  })

/**
 * Returns the URL state of a list of documents without a value in the field. Keeps the current search and filters,
 * except groups when conditions are joined by OR.
 */
function searchOfUndated({ q, status, mine, any, filters = [] }: ViewSettings, field: string): ListSearch {
  const others =
    any && filters.length > 0 ? [{ group: filters.flatMap((one) => ('group' in one ? [] : one)) }] : filters
  return {
    view: withoutView,
    ...(q ? { q } : {}),
    ...(status ? { status } : {}),
    ...(mine ? { mine } : {}),
    filters: [{ field, op: 'empty', value: '' }, ...others],
  }
}

const dayIn = (source: DaySource, document: Document): string | null => {
  const value = valueIn(source, document)
  return source.field ? source.day.of(value) : dayOf(value, 'datetime')
}

/**
 * A month with documents on their days. In the calendar of a date field, users with the edit right can move a document
 * by dragging it, or with Alt and an arrow key.
 */
export function Calendar({ model, place, settings, titleOf, onOpen, query, month, onMonth }: CalendarProps) {
  const t = useTranslations('views.calendar')
  const format = useFormatter()
  const holidays = useTranslations('views.holidays')
  const hasHolidays = useLocale() === 'ja' || spaceZone() === 'Asia/Tokyo'
  const rights = useDocumentRights(place)
  const today = localDay(new Date())
  const shown = month ?? monthOf(today)
  const weeks = weeksOf(shown)
  const source = calendarDay(model, settings)
  const first = weeks[0]?.[0] ?? today
  const found = useQuery(monthQuery(place, between(query, source, first, laterDay(first, weeks.length * 7))))
  const undated = useQuery({
    ...undatedQuery(place, query, source.field?.uid ?? ''),
    enabled: source.field !== undefined,
  })
  const mayCreate = source.field !== undefined && rights(null).create
  /** The day under the dragged document. `moved` below: the document moved last, which takes the focus. */
  const [target, setTarget] = useState<string | null>(null)
  const [open, setOpen] = useState<string | null>(null)
  const dragged = useRef<Document | null>(null)
  const moved = useRef<{ id: string; day: string } | null>(null)
  const table = useRef<HTMLTableElement>(null)

  const byDay = new Map<string, Document[]>()
  for (const document of found.data?.documents ?? []) {
    const day = dayIn(source, document)
    if (day) byDay.set(day, [...(byDay.get(day) ?? []), document])
  }
  const named = (day: string, options: DateTimeFormatOptions) =>
    format.dateTime(new Date(`${day}T00:00:00Z`), { ...options, timeZone: 'UTC' })
  const isMovable = (document: Document) => source.field !== undefined && rights({ sys: document._sys }).edit

  useEffect(() => {
    if (!moved.current) return
    const { id, day } = moved.current
    const entry = table.current?.querySelector<HTMLElement>(`[data-day="${day}"] [data-id="${id}"]`)
    if (!entry) return
    moved.current = null
    entry.focus()
  })

  async function put(document: Document, value: unknown): Promise<Document | undefined> {
    if (!source.field) return undefined
    const answer = await api('PUT /api/project/{p}/app/{a}/model/{m}/doc/{id}', {
      params: { ...place, id: document._id },
      body: { doc: { [source.field.uid]: value }, type: 'SAVE' },
      headers: { 'if-match': `"${document._sys.version}"` },
    })
    documentsChanged(place, answer.document)
    return answer.document
  }

  async function move(document: Document, day: string) {
    const before = valueIn(source, document)
    const value = source.field ? source.day.on(before, day) : null
    if (value == null || day === dayIn(source, document)) return
    try {
      moved.current = { id: document._id, day }
      const saved = await put(document, value)
      toast.success(t('moved', { title: titleOf(document), day: named(day, { dateStyle: 'medium' }) }), {
        label: t('undo'),
        run: () => {
          if (saved) void put(saved, before).catch((error: unknown) => toast.error(errorText(error)))
        },
      })
    } catch (error) {
      toast.error(errorText(error))
    }
  }

  function onKeyDown(event: KeyboardEvent, document: Document, day: string) {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }
    const step = steps[event.key]
    if (!event.altKey || step === undefined || !isMovable(document)) return
    event.preventDefault()
    const to = laterDay(day, step)
    // The month is switched, so that the moved document stays visible.
    if (!weeks.flat().includes(to)) onMonth(monthOf(to))
    void move(document, to)
  }

  const drop = (day: string) => ({
    onDragOver: (event: DragEvent) => {
      if (!dragged.current) return
      event.preventDefault()
      if (target !== day) setTarget(day)
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setTarget(null)
      if (dragged.current) void move(dragged.current, day)
    },
  })

  if (found.error && !found.data) return <ErrorState error={found.error} retry={() => void found.refetch()} />
  return (
    <div className={classes.calendar} aria-busy={found.isFetching}>
      <div className={classes.head}>
        <ActionIcon
          variant="default"
          aria-label={t('previous')}
          onClick={() => onMonth(laterMonth(shown, -1))}
        >
          <IconChevronLeft size={16} />
        </ActionIcon>
        <ActionIcon variant="default" aria-label={t('next')} onClick={() => onMonth(laterMonth(shown, 1))}>
          <IconChevronRight size={16} />
        </ActionIcon>
        <Button variant="default" size="xs" onClick={() => onMonth(monthOf(today))}>
          {t('today')}
        </Button>
        <Title order={2} size="h4" aria-live="polite">
          {named(`${shown}-01`, { year: 'numeric', month: 'long' })}
        </Title>
        {source.field && (undated.data ?? 0) > 0 && (
          <Text size="sm" c="dimmed" ml="auto">
            {t('undated', { field: source.field.name, count: undated.data ?? 0 })}{' '}
            <Anchor
              renderRoot={(props) => (
                <Link
                  {...props}
                  to="/$p/$a/$m"
                  params={place}
                  search={searchOfUndated(settings, source.name)}
                />
              )}
            >
              {t('showUndated')}
            </Anchor>
          </Text>
        )}
        {(found.data?.total ?? 0) > maximumShown && (
          <Text size="sm" c="dimmed">
            {t('onlyFirst', { count: maximumShown })}
          </Text>
        )}
      </div>
      <table ref={table} className={classes.month}>
        <caption className={classes.hint}>
          {source.field && (
            <>
              <span className={classes.withPointer}>{t('hint')}</span>
              <span className={classes.withTouch}>{t('hintTouch')}</span>
            </>
          )}
        </caption>
        <thead>
          <tr>
            {weeks[0]?.map((day, weekday) => (
              <th key={day} scope="col" data-rest={restOf(weekday)} abbr={named(day, { weekday: 'long' })}>
                {named(day, { weekday: 'short' })}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((day, weekday) => {
                const holiday = hasHolidays ? holidayOn(day) : undefined
                const documents = byDay.get(day) ?? []
                const visible = open === day ? documents : documents.slice(0, shownOfDay)
                return (
                  <td
                    key={day}
                    className={classes.day}
                    data-day={day}
                    data-empty={documents.length === 0 || undefined}
                    data-other={monthOf(day) !== shown || undefined}
                    data-target={target === day || undefined}
                    data-rest={holiday ? 'holiday' : restOf(weekday)}
                    {...drop(day)}
                  >
                    <div className={classes.top}>
                      <time
                        dateTime={day}
                        className={classes.date}
                        aria-current={day === today ? 'date' : undefined}
                      >
                        <span className={classes.long}>
                          {named(day, { month: 'short', day: 'numeric', weekday: 'short' })}
                        </span>
                        <span className={classes.short}>{Number(day.slice(8))}</span>
                      </time>
                      {holiday && (
                        <span className={classes.holiday} title={holidays(holiday)}>
                          {holidays(holiday)}
                        </span>
                      )}
                      {mayCreate && (
                        <ActionIcon
                          className={classes.add ?? ''}
                          variant="subtle"
                          size="xs"
                          aria-label={t('newOn', { day: named(day, { month: 'long', day: 'numeric' }) })}
                          renderRoot={(props) => (
                            <Link
                              {...props}
                              to="/$p/$a/$m/new"
                              params={place}
                              search={{ field: source.name, day }}
                            />
                          )}
                        >
                          <IconPlus size={14} />
                        </ActionIcon>
                      )}
                    </div>
                    {visible.map((document) => (
                      <UnstyledButton
                        key={document._id}
                        data-id={document._id}
                        className={classes.entry}
                        draggable={isMovable(document)}
                        onDragStart={(event) => {
                          dragged.current = document
                          event.dataTransfer.effectAllowed = 'move'
                          event.dataTransfer.setData('text/plain', titleOf(document))
                        }}
                        onDragEnd={() => {
                          dragged.current = null
                          setTarget(null)
                        }}
                        onKeyDown={(event) => onKeyDown(event, document, day)}
                        onClick={(event) => onOpen(document, event)}
                      >
                        <span className={classes.title}>{titleOf(document) || t('untitled')}</span>
                        <DocumentStatusChip status={document._sys.status} />
                      </UnstyledButton>
                    ))}
                    {documents.length > visible.length && (
                      <UnstyledButton className={classes.more} onClick={() => setOpen(day)}>
                        {t('more', { count: documents.length - visible.length })}
                      </UnstyledButton>
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Returns the name of a weekend day. Columns run from Sunday (0) to Saturday (6). */
const restOf = (weekday: number) => ({ 0: 'sunday', 6: 'saturday' })[weekday]
