import { type Attribute, findAttribute, type ResourceKind, readBoolean } from './attributes.ts'
import type { Effort } from './effort.ts'
import { refused } from './scim-error.ts'

/*
 * The filter language of RFC 7644 §3.4.2.2, and the PATCH paths of §3.5.2, which use it. Filters are evaluated in
 * memory. PostgreSQL receives only their values, as bound parameters.
 */

type Operator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'
type Literal = string | number | boolean | null

export type Filter =
  | { kind: 'and' | 'or'; parts: Filter[] }
  | { kind: 'not'; of: Filter }
  | { kind: 'present'; path: string[] }
  | { kind: 'compare'; path: string[]; operator: Operator; value: Literal }
  /** Matches if `of` is true for at least one value of the attribute. */
  | { kind: 'values'; attribute: string; of: Filter }

/** The target of a PATCH operation. */
export interface Path {
  attribute: string
  filter?: Filter
  sub?: string
}

const longest = 10_000
const deepest = 20
const mostTerms = 200
const operators: ReadonlySet<string> = new Set(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'])
const token = /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|([^\s()[\]"]+))/y
const segment = /^\$?[A-Za-z][\w-]*$/

class Reader {
  private readonly tokens: string[] = []
  private at = 0
  private terms = 0
  private readonly schema: string

  constructor(text: string, schema: string) {
    this.schema = schema
    if (text.length > longest) throw new SyntaxError('It is too long')
    token.lastIndex = 0
    const whole = text.trimEnd()
    while (token.lastIndex < whole.length) {
      const [, bracket, quoted, word] = token.exec(whole) ?? []
      const found = bracket ?? quoted ?? word
      if (found === undefined) throw new SyntaxError('A text is not ended')
      this.tokens.push(found)
    }
  }

  /** Throws a `SyntaxError` if there are tokens left. */
  end(): void {
    if (this.at < this.tokens.length) throw new SyntaxError(`Unexpected ${this.tokens[this.at]}`)
  }

  filter(depth = 0): Filter {
    if (depth > deepest) throw new SyntaxError('It is nested too deeply')
    return this.joined('or', () => this.joined('and', () => this.term(depth)))
  }

  path(): Path {
    const [attribute = '', sub, more] = this.names(this.next())
    if (more !== undefined) throw new SyntaxError('A path has too many parts')
    if (!this.takes('[')) return sub === undefined ? { attribute } : { attribute, sub }
    if (sub !== undefined) throw new SyntaxError('Unexpected [')
    const filter = this.filter()
    this.expect(']')
    const behind = this.subAttribute()
    return behind === undefined ? { attribute, filter } : { attribute, filter, sub: behind }
  }

  /**
   * Reads the sub-attribute after a filter in brackets (`.value`). Returns `undefined` without consuming a token if
   * another token follows.
   */
  private subAttribute(): string | undefined {
    const text = this.tokens[this.at]
    if (!text?.startsWith('.') || !segment.test(text.slice(1))) return undefined
    this.at++
    return text.slice(1)
  }

  private joined(kind: 'and' | 'or', part: () => Filter): Filter {
    const parts = [part()]
    while (this.takes(kind)) parts.push(part())
    return parts.length === 1 && parts[0] ? parts[0] : { kind, parts }
  }

  private term(depth: number): Filter {
    if (++this.terms > mostTerms) throw new SyntaxError('It asks for too much')
    if (this.takes('(')) return this.closed(depth, ')')
    const name = this.next()
    if (name.toLowerCase() === 'not' && this.takes('(')) return { kind: 'not', of: this.closed(depth, ')') }
    const path = this.names(name)
    if (this.takes('[')) {
      if (path.length !== 1) throw new SyntaxError('Unexpected [')
      const of = this.closed(depth, ']')
      const values = { kind: 'values', attribute: path[0] ?? '' } as const
      const sub = this.subAttribute()
      if (sub === undefined) return { ...values, of }
      // The notation of Entra ID, `emails[type eq "work"].value eq "x"`: one value must match both conditions.
      return { ...values, of: { kind: 'and', parts: [of, this.condition([sub])] } }
    }
    return this.condition(path)
  }

  /** Parses the operator and operand after an attribute. */
  private condition(path: string[]): Filter {
    const operator = this.next().toLowerCase()
    if (operator === 'pr') return { kind: 'present', path }
    if (!operators.has(operator)) throw new SyntaxError(`There is no operator ${operator}`)
    return { kind: 'compare', path, operator: operator as Operator, value: this.literal() }
  }

  private closed(depth: number, bracket: ')' | ']'): Filter {
    const inner = this.filter(depth + 1)
    this.expect(bracket)
    return inner
  }

  private literal(): Literal {
    const text = this.next()
    let value: unknown
    try {
      value = JSON.parse(/^(?:true|false|null)$/i.test(text) ? text.toLowerCase() : text)
    } catch {
      throw new SyntaxError(`${text} is no value`)
    }
    if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value as Literal
    throw new SyntaxError(`${text} is no value`)
  }

  /** Parses `urn:…:User:name.familyName` to `['name', 'familyName']`. */
  private names(text: string): string[] {
    const colon = text.lastIndexOf(':')
    const isOwn = colon >= 0 && text.slice(0, colon).toLowerCase() === this.schema.toLowerCase()
    // An attribute of an unknown schema has no values, so its name is not split.
    const names = (isOwn ? text.slice(colon + 1) : text).split('.')
    if (!isOwn && /^urn:/i.test(text)) return [text.toLowerCase()]
    if (names.length > 2 || !names.every((name) => segment.test(name)))
      throw new SyntaxError(`${text} is no attribute`)
    return names
  }

  private next(): string {
    const found = this.tokens[this.at++]
    if (found === undefined) throw new SyntaxError('It ends too early')
    return found
  }

  private takes(word: string): boolean {
    if (this.tokens[this.at]?.toLowerCase() !== word) return false
    this.at++
    return true
  }

  private expect(word: string): void {
    if (!this.takes(word)) throw new SyntaxError(`Expected ${word}`)
  }
}

/** Parses a filter. Throws 400 `invalidFilter` if the filter is invalid or too long. */
export function parseFilter(text: string, { schema }: ResourceKind): Filter {
  try {
    const reader = new Reader(text, schema)
    const filter = reader.filter()
    reader.end()
    return filter
  } catch (error) {
    throw refused('invalidFilter', `The filter cannot be read: ${(error as Error).message}`)
  }
}

/** Parses a PATCH path. Throws 400 `invalidPath` if the path is invalid or too long. */
export function parsePath(text: string, { schema }: ResourceKind): Path {
  try {
    const reader = new Reader(text, schema)
    const path = reader.path()
    reader.end()
    return path
  } catch (error) {
    throw refused('invalidPath', `The path cannot be read: ${(error as Error).message}`)
  }
}

type Values = Record<string, unknown>

const isRecord = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Returns whether the filter matches this resource, or this value of a multi-valued attribute. Throws 400
 * `invalidFilter` if a comparison is not possible, and `tooMany` if a limit of `effort` is exceeded.
 */
export function matches(
  filter: Filter,
  resource: Values,
  attributes: readonly Attribute[],
  effort: Effort,
): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => matches(part, resource, attributes, effort))
    case 'or':
      return filter.parts.some((part) => matches(part, resource, attributes, effort))
    case 'not':
      return !matches(filter.of, resource, attributes, effort)
    case 'present':
      return valuesAt(resource, filter.path, attributes, effort).values.some(isPresent)
    case 'values': {
      const attribute = findAttribute(attributes, filter.attribute)
      const inside = attribute && resource[attribute.name]
      const all = Array.isArray(inside) ? inside : inside === undefined ? [] : [inside]
      return all.some((value) => isRecord(value) && matches(filter.of, value, attribute?.sub ?? [], effort))
    }
    case 'compare': {
      const { values, attribute } = valuesAt(resource, filter.path, attributes, effort)
      const is = (operator: Operator) =>
        values.some((value) => compare(value, operator, filter.value, attribute))
      if (filter.value === null && filter.operator === 'eq') return !values.some(isPresent)
      if (filter.value === null && filter.operator === 'ne') return values.some(isPresent)
      return filter.operator === 'ne' ? !is('eq') : is(filter.operator)
    }
  }
}

const isPresent = (value: unknown) =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)

/**
 * Returns the values at a path. If the path ends at a complex attribute whose values have a `value`, such as `emails`,
 * returns each `value`.
 */
function valuesAt(
  resource: Values,
  [first = '', second]: string[],
  attributes: readonly Attribute[],
  effort: Effort,
): { values: unknown[]; attribute: Attribute | undefined } {
  const outer = findAttribute(attributes, first)
  const found = outer && resource[outer.name]
  const all = Array.isArray(found) ? found : found === undefined ? [] : [found]
  effort.take(all.length + 1)
  const inner = findAttribute(outer?.sub, second ?? 'value')
  if (!inner) return { values: second === undefined ? all : [], attribute: outer }
  return { values: all.map((value) => (isRecord(value) ? value[inner.name] : undefined)), attribute: inner }
}

function compare(
  value: unknown,
  operator: Operator,
  wanted: Literal,
  attribute: Attribute | undefined,
): boolean {
  if (!isPresent(value) || attribute === undefined) return false
  if (attribute.type === 'boolean') {
    if (operator !== 'eq') throw refused('invalidFilter', `${attribute.name} is true or false`)
    return readBoolean(value) === readBoolean(wanted)
  }
  if (attribute.type === 'dateTime') {
    const [is, than] = [Date.parse(String(value)), Date.parse(String(wanted))]
    if (Number.isNaN(than)) throw refused('invalidFilter', `${attribute.name} is compared with a time`)
    return inOrder(is, operator, than)
  }
  if (typeof value !== 'string' || wanted === null) return false
  const fold = (text: string) => (attribute.caseExact ? text : text.toLowerCase())
  const [is, than] = [fold(value), fold(String(wanted))]
  if (operator === 'co') return is.includes(than)
  if (operator === 'sw') return is.startsWith(than)
  if (operator === 'ew') return is.endsWith(than)
  return inOrder(is, operator, than)
}

function inOrder<T extends string | number>(is: T, operator: Operator, than: T): boolean {
  if (operator === 'gt') return is > than
  if (operator === 'ge') return is >= than
  if (operator === 'lt') return is < than
  if (operator === 'le') return is <= than
  return operator === 'eq' && is === than
}

/**
 * Returns values that attributes must have for the filter to match, by lower-case path (`username`, `emails.value`).
 * Other conditions of the filter are not included.
 */
export function requiredValues(filter: Filter): Map<string, string> {
  const found = new Map<string, string>()
  const look = (part: Filter) => {
    if (part.kind === 'and') for (const each of part.parts) look(each)
    else if (part.kind === 'compare' && part.operator === 'eq' && typeof part.value === 'string')
      found.set(part.path.join('.').toLowerCase(), part.value)
  }
  look(filter)
  return found
}
