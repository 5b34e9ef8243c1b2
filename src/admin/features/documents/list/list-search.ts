import type { ViewCondition, ViewGroup, ViewSettings } from '#shared/contract/views.ts'
import {
  cardSizes,
  columnWidths,
  coverAspects,
  type FilterOperator,
  filterOperators,
  maximumFilters,
} from '#shared/views.ts'

export type StatusFilter = NonNullable<ViewSettings['status']>

/** One condition of the filter builder. `field`: a field path or a name below `_sys`. */
export type Filter = ViewCondition
/** A condition, or a group whose conditions are joined by the other operator. */
export type FilterNode = ViewCondition | ViewGroup

/** The value of `view` for the list without a view, if there are views. */
export const withoutView = 'all'

/** The URL state of a list. Omitted properties have their defaults. */
export interface ListSearch extends ViewSettings {
  /** uid of the view, or {@link withoutView}. */
  view?: string
  /** Whether the URL's other settings replace the view's settings. */
  edited?: true
  /** For calendars: the shown month, `2026-11`. */
  month?: string
}

const path = /^[A-Za-z_][\w-]*(?:\.[\w-]+)*$/
const sortBy = /^-?[A-Za-z_][\w.-]{0,400}$/

/** Parses a list's URL, which may contain anything: invalid parts are ignored. */
export function readListSearch(search: Record<string, unknown>): ListSearch {
  const read: ListSearch = {}
  const { q, sort, status, mine, any, view, edited, month, cover, date } = search
  if (typeof q === 'string' && q.trim() !== '') read.q = q.slice(0, 200)
  if (typeof sort === 'string' && sortBy.test(sort)) read.sort = sort
  if (status === 'draft' || status === 'published' || status === 'changed') read.status = status
  if (isTrue(mine)) read.mine = true
  if (isTrue(any)) read.any = true
  const filters = readFilters(search.filters)
  if (filters.length > 0) read.filters = filters
  const columns = readColumns(search.columns)
  if (columns) read.columns = columns
  if (isPath(cover)) read.cover = cover
  if (isPath(date)) read.date = date
  const aspect = coverAspects.find((one) => one === search.aspect)
  if (aspect) read.aspect = aspect
  const size = cardSizes.find((one) => one === search.size)
  if (size) read.size = size
  if (typeof view === 'string' && /^(?:all|[0-9a-f]{24})$/.test(view)) read.view = view
  if (isTrue(edited)) read.edited = true
  if (typeof month === 'string' && /^\d{4}-(?:0[1-9]|1[0-2])$/.test(month)) read.month = month
  return read
}

const isTrue = (value: unknown) => value === true || value === 'true'
const isPath = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 400 && path.test(value)

/** Reads a list from the URL, as JSON or already parsed. */
function readList(value: unknown): unknown[] | undefined {
  let list = value
  if (typeof value === 'string') {
    try {
      list = JSON.parse(value)
    } catch {
      return undefined
    }
  }
  return Array.isArray(list) ? list : undefined
}

function readFilters(value: unknown): FilterNode[] {
  return (readList(value) ?? []).slice(0, maximumFilters).flatMap((item): FilterNode[] => {
    const { group } = (item ?? {}) as Record<string, unknown>
    if (!Array.isArray(group)) return readCondition(item)
    const conditions = group.slice(0, maximumFilters).flatMap(readCondition)
    return conditions.length > 0 ? [{ group: conditions }] : []
  })
}

function readCondition(item: unknown): Filter[] {
  const { field, op, value } = (item ?? {}) as Record<string, unknown>
  if (!isPath(field) || !(filterOperators as readonly unknown[]).includes(op)) return []
  return [{ field, op: op as FilterOperator, value: typeof value === 'string' ? value.slice(0, 200) : '' }]
}

function readColumns(value: unknown): ViewSettings['columns'] {
  return readList(value)
    ?.slice(0, 100)
    .flatMap((item) => {
      const { id, width, sticky } = (item ?? {}) as Record<string, unknown>
      if (!isPath(id)) return []
      return [
        {
          id,
          ...(typeof width === 'number' ? { width: columnWidth(width) } : {}),
          ...(sticky === true ? { sticky } : {}),
        },
      ]
    })
}

/** Clamps a column width, in pixels. */
export const columnWidth = (width: number) =>
  Math.round(Math.max(columnWidths.least, Math.min(columnWidths.most, width)))
