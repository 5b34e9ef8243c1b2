import { countCodePoints } from '#shared/fields/field-type.ts'
import type { QueryParameter } from '#shared/identifiers.ts'
import { foldKana } from '#shared/unicode.ts'
import type { Format } from '../fields/field-type.ts'
import type { ContentModel } from '../model.ts'
import { normalizeText } from '../text.ts'
import { badQuery } from './bad-query.ts'
import { readFilter } from './filters.ts'
import { formatsOf, hasSeveral, isSortable, requireComparable, resolvePaths } from './paths.ts'
import { addSelection, emptySelection } from './selection.ts'
import { readQueryString, type Syntax } from './syntax.ts'
import { type Condition, isInner, type OrderKey, type ParsedQuery } from './tree.ts'
import { readWholeNumber } from './values.ts'

export const maximumLimit = 1000
export const maximumSkip = 1_000_000
export const maximumDepth = 5
/** Maximum number of references that a filter follows. */
const maximumSteps = 3
const maximumPredicates = 50
/**
 * Cost of a condition in addition to its base cost of 1: per reference followed, for a text search, and for
 * expanding nested values.
 */
const costs = { reference: 5, text: 3, inside: 1 }
const maximumCost = 200
/** Queries above this cost run with limited concurrency (lib/gate.ts). */
const expensiveFrom = 30
const maximumOrderKeys = 10
const maximumPattern = 200
const maximumSelected = 500

/** The parameters that a request accepts, and their defaults. */
export interface QueryOptions {
  /** Whether filters, `order`, `limit`, `skip` and `search` are accepted. */
  list: boolean
  /** Whether `select`, `depth` and `[fmt]` are accepted. */
  shape: boolean
  /** Whether `_sys.status`, `_sys.createdBy` and `_sys.updatedBy` are accepted. Only members may see them. */
  managed: boolean
  defaultOrder: '_sys.createdAt' | '_sys.updatedAt'
  defaultLimit: number
}

/**
 * The property of {@link QueryOptions} that allows each parameter. No field can have one of these names as its `uid`.
 */
const partOf: Record<QueryParameter, 'list' | 'shape'> = {
  limit: 'list',
  skip: 'list',
  order: 'list',
  search: 'list',
  depth: 'shape',
  select: 'shape',
}
const isParameter = (key: string): key is QueryParameter => Object.hasOwn(partOf, key)

/** Options for a list of the delivery API. */
export const deliveryList: QueryOptions = {
  list: true,
  shape: true,
  managed: false,
  defaultOrder: '_sys.createdAt',
  defaultLimit: 100,
}
/** Options for one content of the delivery API, or its preview: only `select`, `depth` and `[fmt]` are accepted. */
export const oneDocument: QueryOptions = { ...deliveryList, list: false }
/** Options for the document list of the management API: filters, `order`, `limit`, `skip`, `search`. */
export const managementList: QueryOptions = {
  list: true,
  shape: false,
  managed: true,
  defaultOrder: '_sys.updatedAt',
  defaultLimit: 50,
}

/**
 * Parses a raw query string (without `?`) against a model. Pure. A repeated filter is an additional condition, because
 * the client writes `and` in this form. Two equalities of a single value are rejected.
 *
 * Throws a 400 `InvalidQueryParameter` with the parameter's name for unknown fields and operators, malformed values,
 * exceeded limits, and parameters that are repeated. Throws 409 `FieldIsBeingConverted` for comparisons with values
 * that are being converted.
 */
export function parseQuery(raw: string, model: ContentModel, options: QueryOptions): ParsedQuery {
  return new QueryReader(model, options).read(readQueryString(raw))
}

/** Contents of the first line of a table: the names of fields, or their `uid`s. */
const headings = ['names', 'uids'] as const
export type Headings = (typeof headings)[number]

/**
 * Parses the query string of a table: filters, `order`, `search`, `select` and `_headings` (default: `names`). `select`
 * lists the columns in their order; `columns` is undefined without it. Throws the errors of {@link parseQuery}.
 */
export function parseTable(
  raw: string,
  model: ContentModel,
): { query: ParsedQuery; columns?: string[]; headings: Headings } {
  const parts = readQueryString(raw)
  const settings = parts.flatMap((part) => (part.kind === 'pair' ? [part] : []))
  const paging = settings.find(({ key }) => key === 'limit' || key === 'skip')
  if (paging) throw badQuery(paging.key, 'a table has all documents')
  const [select, again] = settings.filter(({ key }) => key === 'select')
  if (again) throw badQuery('select', 'is given more than once')
  const [heading, anotherHeading] = settings.filter(({ key }) => key === '_headings')
  if (anotherHeading) throw badQuery('_headings', 'is given more than once')
  const called = headings.find((one) => one === (heading?.value ?? 'names'))
  if (!called) throw badQuery('_headings', `is one of ${headings.join(', ')}`)
  const others = parts.filter((part) => part !== select && part !== heading)
  const query = new QueryReader(model, managementList).read(others)
  const columns = select?.value.split(',')
  if (columns && columns.length > maximumSelected)
    throw badQuery('select', `names more than ${maximumSelected} fields`)
  return { query, headings: called, ...(columns ? { columns } : {}) }
}

/** Checks whether this query could occupy the database for long. */
export const isExpensive = (query: ParsedQuery) => query.cost > expensiveFrom

class QueryReader {
  private readonly model: ContentModel
  private readonly options: QueryOptions
  private readonly seen = new Set<string>()
  private predicates = 0
  private readonly formats = new Map<string, Format>()
  private readonly query: ParsedQuery

  constructor(model: ContentModel, options: QueryOptions) {
    this.model = model
    this.options = options
    this.query = {
      where: { kind: 'and', items: [] },
      order: [],
      select: null,
      formats: this.formats,
      skip: 0,
      limit: options.defaultLimit,
      depth: 1,
      search: [],
      cost: 0,
    }
  }

  read(parts: Syntax[]): ParsedQuery {
    const conditions: Condition[] = []
    const equals = new Set<string>()
    for (const part of parts)
      if (part.kind === 'or' || !this.setting(part.key, part.value))
        conditions.push(this.condition(part, equals))
    this.query.where = { kind: 'and', items: conditions }
    if (this.query.order.length === 0)
      this.query.order = [{ leaf: { kind: 'system', name: this.options.defaultOrder }, descending: true }]
    return this.query
  }

  /** Reads a parameter that is not a filter. Returns false for a filter. */
  private setting(key: string, value: string): boolean {
    const { query, options } = this
    if (key.endsWith('[fmt]') && options.shape) {
      this.format(key.slice(0, -5), value, this.once(key))
      return true
    }
    if (!isParameter(key) || !options[partOf[key]]) return false
    this.once(key)
    switch (key) {
      case 'limit':
        query.limit = readWholeNumber(value, maximumLimit, key)
        break
      case 'skip':
        query.skip = readWholeNumber(value, maximumSkip, key)
        break
      case 'order':
        query.order = this.order(value, key)
        break
      case 'search':
        query.search = this.search(value, key)
        break
      case 'depth':
        query.depth = readWholeNumber(value, maximumDepth, key)
        break
      case 'select':
        this.select(value, key)
    }
    return true
  }

  private once(key: string): string {
    if (this.seen.has(key)) throw badQuery(key, 'is given more than once')
    this.seen.add(key)
    return key
  }

  private order(value: string, parameter: string): OrderKey[] {
    const names = value.split(',')
    if (names.length > maximumOrderKeys) throw badQuery(parameter, `has more than ${maximumOrderKeys} fields`)
    const used = new Set<string>()
    return names.map((name) => {
      const descending = name.startsWith('-')
      const path = descending ? name.slice(1) : name
      const at = `${parameter}=${name}`
      const [found, another] = resolvePaths(path, this.model, {
        parameter: at,
        maximumSteps: 0,
        managed: this.options.managed,
      })
      if (!found || another || !isSortable(found.leaf)) throw badQuery(at, 'cannot be sorted by')
      if (used.has(path)) throw badQuery(at, 'is given more than once')
      requireComparable(found, this.model, at)
      used.add(path)
      return { leaf: found.leaf, descending }
    })
  }

  private search(value: string, parameter: string): string[] {
    if (countCodePoints(value) > maximumPattern)
      throw badQuery(parameter, `is longer than ${maximumPattern} characters`)
    const words = foldKana(normalizeText(value)).split(/\s+/).filter(Boolean)
    for (const _ of words) this.count(parameter, 1 + costs.text)
    return [...new Set(words)]
  }

  private select(value: string, parameter: string): void {
    const paths = value.split(',')
    if (paths.length > maximumSelected) throw badQuery(parameter, `names more than ${maximumSelected} fields`)
    const selection = emptySelection()
    for (const path of paths) addSelection(selection, path, this.model, `${parameter}=${path}`, maximumDepth)
    this.query.select = selection
  }

  private format(path: string, value: string, parameter: string): void {
    const found = resolvePaths(path, this.model, { parameter, maximumSteps: maximumDepth, ofAny: true })
    const known = found.flatMap(({ leaf }) => formatsOf(leaf))
    if (known.length === 0) throw badQuery(parameter, 'values of this field have no other format')
    const format = known.find((name) => name === value)
    if (!format) throw badQuery(parameter, `knows only “${known.join('”, “')}”`)
    this.formats.set(path, format)
  }

  /** Converts a filter or a group of alternatives. `equals`: paths that already have an equality in the same branch. */
  private condition(part: Syntax, equals: Set<string>): Condition {
    if (part.kind === 'or') {
      if (!this.options.list) throw badQuery('[or]', 'this request takes no filters')
      const items = part.branches.map((branch): Condition => {
        const inBranch = new Set<string>()
        const conditions = branch.map((item) => this.condition(item, inBranch))
        return conditions.length === 1 && conditions[0] ? conditions[0] : { kind: 'and', items: conditions }
      })
      return items.length === 1 && items[0] ? items[0] : { kind: 'or', items }
    }
    const match = /^([^[\]]+)(?:\[([^[\]]*)\])?$/.exec(part.key)
    if (!match?.[1]) throw badQuery(part.key, 'is no parameter')
    if (!this.options.list) throw badQuery(part.key, 'this request takes no filters')
    const [, path, operator = 'eq'] = match
    const found = resolvePaths(path, this.model, {
      parameter: part.key,
      maximumSteps,
      managed: this.options.managed,
    })
    let cost = 0
    for (const one of found) {
      requireComparable(one, this.model, part.key)
      const inside = isInner(one.leaf) ? costs.inside : 0
      const text = operator === 'match' ? costs.text : 0
      cost = 1 + one.via.length * costs.reference + inside + text
      this.count(part.key, cost)
    }
    if (operator === 'eq' && found.length === 1 && !found.some(hasSeveral)) {
      if (equals.has(path)) throw badQuery(part.key, 'one value cannot equal two')
      equals.add(path)
    }
    return readFilter(found, operator, part.value, part.key, () => this.count(part.key, cost))
  }

  private count(parameter: string, cost: number): void {
    if (++this.predicates > maximumPredicates)
      throw badQuery(parameter, `there are more than ${maximumPredicates} conditions`)
    this.query.cost += cost
    if (this.query.cost > maximumCost)
      throw badQuery(
        parameter,
        `all conditions together cost more than ${maximumCost}: each costs 1, and ${costs.reference} for every` +
          ` reference it goes through, and ${costs.text} if it searches in text`,
      )
  }
}
