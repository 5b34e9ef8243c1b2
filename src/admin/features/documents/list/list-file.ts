import type { Model } from '#shared/contract/models.ts'
import type { ViewSettings } from '#shared/contract/views.ts'
import type { ViewType } from '#shared/views.ts'
import type { ModelPlace } from '../documents.queries.ts'
import { calendarDay } from '../views/day-sources.ts'
import type { Columns } from './list-columns.ts'
import { queryName } from './list-query.ts'

/** Formats of an exported list: CSV with names or with uids of fields in its first line, or JSON. */
export type ListFile = 'csv' | 'csvWithUids' | 'json'

interface ExportedList {
  model: Pick<Model, 'fields' | 'titleField'>
  place: ModelPlace
  type: ViewType
  settings: ViewSettings
  /** The query of the list, as sent to the server ({@link listQuery}). */
  query: string
  columns: Pick<Columns, 'all' | 'shown'>
}

const dateOperators: ReadonlySet<string> = new Set(['on', 'since', 'before', 'within'])

/**
 * Returns the URL that exports the list as a file. The file has the title, the list's columns, and the fields that sort
 * the list. It also has the date fields that filter the list or that a calendar uses.
 */
export function exportUrl(file: ListFile, list: ExportedList): string {
  const { model, place, type, settings, columns } = list
  const format = file === 'json' ? 'json' : 'csv'
  const path = ['', 'api', 'project', place.p, 'app', place.a, 'model', place.m, 'doc', `export.${format}`]
  const day = type === 'CALENDAR' ? calendarDay(model, settings).name : undefined
  const sort = settings.sort?.replace(/^-/, '')
  const conditions = settings.filters?.flatMap((one) => ('group' in one ? one.group : [one])) ?? []
  const filtered = conditions.filter(({ op }) => dateOperators.has(op)).map(({ field }) => field)
  const asked = [day, sort, ...filtered]
  const besides = columns.all.filter(({ id }) => asked.includes(id)).map(({ id }) => id)
  const title = model.fields.find(({ _id }) => _id === model.titleField)
  const names = new Set([...(title ? [title.uid] : []), ...columns.shown.map(({ id }) => id), ...besides])
  const query = new URLSearchParams(list.query)
  if (day !== undefined && !query.has('order')) query.set('order', queryName(day))
  query.set('select', [...names].join(','))
  if (file === 'csvWithUids') query.set('_headings', 'uids')
  return `${path.map(encodeURIComponent).join('/')}?${query.toString().replaceAll('+', '%20')}`
}
