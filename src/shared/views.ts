/* The types of views. This module does not import Zod, so that lists need not load it. */

export const viewTypes = ['TABLE', 'GALLERY', 'LIST', 'CALENDAR', 'SINGLETON'] as const
export type ViewType = (typeof viewTypes)[number]

/** Columns for properties that every document has. */
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
 * Operators of filters. `filled` and `empty` take no value. `on`, `since` and `before` compare days, `within` takes a
 * {@link periods period}.
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

/** Periods relative to the current day in the time zone of the space. */
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

/** Placeholder for the user who opens the view, in filters by person. */
export const me = 'me'

export const coverAspects = ['landscape', 'square', 'portrait'] as const
export type CoverAspect = (typeof coverAspects)[number]
export const cardSizes = ['small', 'medium', 'large'] as const
export type CardSize = (typeof cardSizes)[number]

/** Minimum and maximum width of a column, in px. */
export const columnWidths = { least: 60, most: 1000 } as const
/** Maximum number of conditions and groups in a list of filters, and of conditions in a group. */
export const maximumFilters = 20
