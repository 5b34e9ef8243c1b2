import type { FilterOperator } from '#admin/fields/field-props.ts'

export type StatusFilter = 'draft' | 'published' | 'changed'

/** One condition of the filter builder. `field` is a field's uid, or a name below `_sys`. */
export interface Filter {
  field: string
  op: FilterOperator
  value: string
}

/** What the address of a list says. Everything left out is as usual. */
export interface ListSearch {
  q?: string
  /** Field uid or `_sys` name, `-` before it for descending. */
  sort?: string
  status?: StatusFilter
  /** Only documents that the caller made. */
  mine?: true
  filters?: Filter[]
}

const operators: readonly string[] = [
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
  'filled',
  'empty',
] satisfies FilterOperator[]

/** Reads a list's address that anybody may have written: what makes no sense is left out. */
export function readListSearch(search: Record<string, unknown>): ListSearch {
  const read: ListSearch = {}
  const { q, sort, status, mine } = search
  if (typeof q === 'string' && q.trim() !== '') read.q = q.slice(0, 200)
  if (typeof sort === 'string' && /^-?[\w.-]{1,80}$/.test(sort)) read.sort = sort
  if (status === 'draft' || status === 'published' || status === 'changed') read.status = status
  if (mine === true || mine === 'true') read.mine = true
  const filters = readFilters(search.filters)
  if (filters.length > 0) read.filters = filters
  return read
}

function readFilters(value: unknown): Filter[] {
  let list = value
  if (typeof value === 'string') {
    try {
      list = JSON.parse(value)
    } catch {
      return []
    }
  }
  if (!Array.isArray(list)) return []
  return list.slice(0, 20).flatMap((item: unknown) => {
    const { field, op, value: text } = (item ?? {}) as Record<string, unknown>
    if (typeof field !== 'string' || typeof op !== 'string' || !operators.includes(op)) return []
    return [{ field, op: op as FilterOperator, value: typeof text === 'string' ? text.slice(0, 200) : '' }]
  })
}
