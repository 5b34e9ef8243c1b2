/*
 * What views are made of, for the contract and for lists that do without Zod.
 */

/** How the documents of a model are looked at. */
export const viewTypes = ['TABLE', 'GALLERY', 'LIST', 'CALENDAR', 'SINGLETON'] as const
export type ViewType = (typeof viewTypes)[number]

/** What every document has that lists show. */
export const systemColumns = [
  '_sys.status',
  '_sys.updatedAt',
  '_sys.updatedBy',
  '_sys.createdAt',
  '_sys.createdBy',
  '_sys.publishedAt',
] as const
export type SystemColumn = (typeof systemColumns)[number]

/**
 * `filled` and `empty` take no value. `on`, `since` and `before` speak of days, `within` of a {@link periods period}.
 */
export const filterOperators = [
  'match',
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'on',
  'since',
  'before',
  'within',
  'filled',
  'empty',
] as const
export type FilterOperator = (typeof filterOperators)[number]

/** Spans of days around the day on which somebody looks. */
export const periods = [
  'today',
  'yesterday',
  'tomorrow',
  'last7Days',
  'last30Days',
  'next7Days',
  'next30Days',
  'thisMonth',
  'lastMonth',
  'nextMonth',
  'thisYear',
] as const
export type Period = (typeof periods)[number]

/** Stands for whoever looks, where a filter asks for a person. */
export const me = 'me'

export const coverAspects = ['landscape', 'square', 'portrait'] as const
export type CoverAspect = (typeof coverAspects)[number]
export const cardSizes = ['small', 'medium', 'large'] as const
export type CardSize = (typeof cardSizes)[number]

/** Widths of columns, in pixels. */
export const columnWidths = { least: 60, most: 1000 } as const
/** How many conditions or groups a list has, and conditions a group. */
export const maximumFilters = 20
