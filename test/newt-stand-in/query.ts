import type { Stored, StoredContent } from './space.ts'

export type View = 'api' | 'cdn'

export class BadQuery extends Error {}

export interface ListQuery {
  select: string[] | undefined
  order: string[]
  limit: number
  skip: number
  depth: number
  asText: Set<string>
  matches: (content: StoredContent, view: View) => boolean
  /** Whether `matches` accepts every content. */
  unfiltered: boolean
}

type Condition = (content: StoredContent, view: View) => boolean

const operators = new Set(['ne', 'match', 'in', 'nin', 'all', 'exists', 'lt', 'lte', 'gt', 'gte', 'fmt'])

/** Parses a query string as the delivery contract describes it. Throws `BadQuery`. */
export function parseQuery(search: string): ListQuery {
  const query: ListQuery = {
    select: undefined,
    order: ['-_sys.createdAt'],
    limit: 100,
    skip: 0,
    depth: 1,
    asText: new Set(),
    matches: () => true,
    unfiltered: true,
  }
  const conditions: Condition[] = []
  for (const pair of search.replace(/^\?/, '').split('&').filter(Boolean)) {
    const at = pair.indexOf('=')
    const key = decodeURIComponent(at < 0 ? pair : pair.slice(0, at))
    const rawValue = at < 0 ? '' : pair.slice(at + 1)
    if (key === '[or]') {
      conditions.push(parseOr(decodeURIComponent(rawValue.replaceAll('+', ' '))))
      continue
    }
    const value = decodeURIComponent(rawValue)
    if (key === 'select') query.select = value.split(',')
    else if (key === 'order') query.order = value.split(',')
    else if (key === 'limit') query.limit = whole(value, 'limit', 1, 1_000)
    else if (key === 'skip') query.skip = whole(value, 'skip', 0, Number.MAX_SAFE_INTEGER)
    else if (key === 'depth') query.depth = whole(value, 'depth', 0, 5)
    else if (key.endsWith('[fmt]')) query.asText.add(key.slice(0, -5))
    else conditions.push(parseCondition(key, value))
  }
  if (conditions.length > 0) {
    query.unfiltered = false
    query.matches = (content, view) => conditions.every((condition) => condition(content, view))
  }
  return query
}

/** Parses `(a=1;b[match]=x;[or]=(c=1;d=2))`. A branch may contain several conditions joined by `&`. */
function parseOr(text: string): Condition {
  if (!text.startsWith('(') || !text.endsWith(')')) throw new BadQuery('[or]')
  const branches = splitOutside(text.slice(1, -1), ';').map((branch) => {
    const conditions = splitOutside(branch, '&').map((part) => {
      if (part.startsWith('[or]=')) return parseOr(part.slice(5))
      const at = part.indexOf('=')
      if (at < 1) throw new BadQuery('[or]')
      return parseCondition(part.slice(0, at), part.slice(at + 1))
    })
    return (content: StoredContent, view: View) => conditions.every((condition) => condition(content, view))
  })
  return (content, view) => branches.some((branch) => branch(content, view))
}

function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth += 1
    else if (text[i] === ')') depth -= 1
    else if (text[i] === separator && depth === 0) {
      parts.push(text.slice(start, i))
      start = i + 1
    }
  }
  return [...parts, text.slice(start)]
}

function parseCondition(key: string, value: string): Condition {
  const [, path = '', operator = 'eq'] = /^([^[\]]+)(?:\[(\w+)\])?$/.exec(key) ?? []
  if (!path || (operator !== 'eq' && !operators.has(operator))) throw new BadQuery(key)
  const wanted = value.split(',')
  const first = value
  return (content, view) => {
    const found = valueAt(content, view, path)
    const values = (Array.isArray(found) ? found : [found]).filter((entry) => entry !== undefined)
    const equals = (operand: string) => values.some((entry) => compare(entry, operand) === 0)
    switch (operator) {
      case 'eq':
        return equals(first)
      case 'ne':
        return !equals(first)
      case 'in':
        return wanted.some(equals)
      case 'nin':
        return !wanted.some(equals)
      case 'all':
        return wanted.every(equals)
      case 'exists':
        return (values.some((entry) => entry !== null && entry !== '') ? 'true' : 'false') === first
      case 'match':
        return values.some((entry) => fold(String(entry)).includes(fold(first)))
      default: {
        const order = values.length === 1 && values[0] !== null ? compare(values[0], first) : undefined
        if (order === undefined) return false
        return { lt: order < 0, lte: order <= 0, gt: order > 0, gte: order >= 0 }[operator] ?? false
      }
    }
  }
}

/** Returns the plain value that a filter or order uses. */
export function valueAt(content: StoredContent, view: View, path: string): unknown {
  if (path === '_id') return content.id
  if (path.startsWith('_sys.')) return sysOf(content, view)[path.slice(5)]
  let value: unknown = view === 'api' ? content.draft : content.published
  for (const key of path.split('.')) value = (value as Record<string, unknown> | null)?.[key]
  return Array.isArray(value) ? value.map(plain) : plain(value)
}

function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { $ref, $asset, $html } = value as Record<string, unknown>
  return $ref ?? $asset ?? $html ?? value
}

function sysOf(content: StoredContent, view: View): Record<string, Stored | undefined> {
  const { createdAt, updatedAt, firstPublishedAt, publishedAt } = content
  return {
    createdAt: view === 'api' ? createdAt : firstPublishedAt,
    updatedAt: view === 'api' ? updatedAt : publishedAt,
    customOrder: content.customOrder,
    'raw.createdAt': createdAt,
    'raw.updatedAt': updatedAt,
    'raw.firstPublishedAt': firstPublishedAt,
    'raw.publishedAt': publishedAt,
  }
}

function compare(value: unknown, operand: string): number {
  if (typeof value === 'number') return value - Number(operand)
  const text = String(value)
  // Dates may be partial, such as `2023` or `2023-10`.
  const wanted = /^\d{4}-\d\d-\d\dT.*Z$/.test(text) ? isoOf(operand) : operand
  return text < wanted ? -1 : text > wanted ? 1 : 0
}

function isoOf(text: string): string {
  const time = Date.parse(text)
  return Number.isNaN(time) ? text : new Date(time).toISOString()
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

function whole(value: string, name: string, least: number, most: number): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < least || number > most) throw new BadQuery(name)
  return number
}
