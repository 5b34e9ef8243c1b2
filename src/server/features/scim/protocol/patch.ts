import { type Attribute, findAttribute, type ResourceKind, readBoolean } from './attributes.ts'
import { Effort } from './effort.ts'
import { type Filter, matches, type Path, parsePath } from './filter.ts'
import { refused } from './scim-error.ts'

/*
 * PATCH of RFC 7644 §3.5.2, including deviations of directories. Entra ID sends `Add`, booleans as text, paths as keys,
 * and removes members by `value`. Okta sends objects without a path that also contain `id`.
 */

export type Values = Record<string, unknown>

const mostOperations = 1000

const isRecord = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value under a name, ignoring case. A name in the same case takes precedence. */
export function valueUnder(body: Values, name: string): unknown {
  if (Object.hasOwn(body, name)) return body[name]
  const wanted = name.toLowerCase()
  return Object.entries(body).find(([key]) => key.toLowerCase() === wanted)?.[1]
}

/** Removes the URN of the resource's own schema from attribute names. Clients may prepend it (RFC 7644 §3.10). */
export function unqualified(values: Values, { schema }: ResourceKind): Values {
  const own = schema.toLowerCase()
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => {
      const name = key.toLowerCase()
      if (name === own && isRecord(value)) return Object.entries(value)
      return [[name.startsWith(`${own}:`) ? key.slice(own.length + 1) : key, value]]
    }),
  )
}

/**
 * Normalises a body or value: canonical attribute names, real booleans, without unsupported and read-only attributes.
 * Throws 400 `invalidValue`.
 */
export function readAttributes(body: Values, attributes: readonly Attribute[]): Values {
  const read: Values = {}
  for (const [key, value] of Object.entries(body)) {
    const attribute = findAttribute(attributes, key)
    if (attribute && attribute.mutability !== 'readOnly') {
      const found = readValue(attribute, value)
      if (found !== undefined) read[attribute.name] = found
    }
  }
  return read
}

function readValue(attribute: Attribute, value: unknown): unknown {
  if (value === null || value === undefined) return undefined
  if (attribute.multi) {
    const all = (Array.isArray(value) ? value : [value]).map((each) => readOne(attribute, each))
    return all.length === 0 ? undefined : all
  }
  return readOne(attribute, value)
}

function readOne(attribute: Attribute, value: unknown): unknown {
  const wrong = () => refused('invalidValue', `${attribute.name} has a value of another type`)
  if (attribute.type === 'complex') {
    if (isRecord(value)) return readAttributes(value, attribute.sub ?? [])
    if (attribute.multi && typeof value === 'string') return { value }
    throw wrong()
  }
  if (attribute.type === 'boolean') {
    const read = readBoolean(value)
    if (read === undefined) throw wrong()
    return read
  }
  if (typeof value !== 'string') throw wrong()
  return value
}

/** Reads the operations of a PATCH body. Throws 400 `invalidSyntax` or `invalidPath`. */
export function readOperations(body: unknown): { op: string; path: string | undefined; value: unknown }[] {
  const operations = isRecord(body) ? valueUnder(body, 'Operations') : undefined
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > mostOperations)
    throw refused('invalidSyntax', `Operations is a list of 1 to ${mostOperations}`)
  return operations.map((operation) => {
    const op = isRecord(operation) ? valueUnder(operation, 'op') : undefined
    const name = typeof op === 'string' ? op.toLowerCase() : ''
    if (!isRecord(operation) || !['add', 'remove', 'replace'].includes(name))
      throw refused('invalidSyntax', 'op is add, remove or replace')
    const path = valueUnder(operation, 'path')
    if (path !== undefined && path !== null && typeof path !== 'string')
      throw refused('invalidPath', 'A path is a text')
    return { op: name, path: path || undefined, value: valueUnder(operation, 'value') }
  })
}

/**
 * Returns a changed copy of the resource. Throws 400 for invalid operations, and `tooMany` if the work exceeds the
 * limit of a request.
 */
export async function applyPatch(resource: Values, body: unknown, kind: ResourceKind): Promise<Values> {
  const changed = structuredClone(resource)
  const effort = new Effort()
  for (const { op, path: given, value } of readOperations(body)) {
    await effort.giveWay()
    const common = { op, kind, effort }
    // The URN of the schema names the whole resource.
    const path = given?.toLowerCase() === kind.schema.toLowerCase() ? undefined : given
    if (path !== undefined) apply(changed, { ...common, path: parsePath(path, kind), isNamed: true }, value)
    else if (op === 'remove') throw refused('noTarget', 'What is removed is named by a path')
    else if (!isRecord(value)) throw refused('invalidValue', 'Without a path the value is an object')
    else
      for (const [key, inner] of Object.entries(unqualified(value, kind)))
        if (key.toLowerCase() !== 'schemas')
          apply(changed, { ...common, path: parsePath(key, kind), isNamed: false }, inner)
  }
  await effort.giveWay()
  return changed
}

interface Change {
  op: string
  path: Path
  kind: ResourceKind
  /** Whether `path` is the path of an operation, and not a key of its value. */
  isNamed: boolean
  effort: Effort
}

function apply(resource: Values, { op, path, kind, isNamed, effort }: Change, value: unknown): void {
  const attribute = findAttribute(kind.all, path.attribute)
  // Directories often send unsupported attributes, which are ignored.
  if (!attribute) return
  if (attribute.mutability === 'readOnly') {
    if (isNamed) throw refused('mutability', `${attribute.name} cannot be changed`)
    return
  }
  const sub = path.sub === undefined ? undefined : findAttribute(attribute.sub, path.sub)
  if (path.sub !== undefined && (!sub || sub.mutability === 'readOnly')) return
  if (path.filter && !attribute.multi) throw refused('invalidPath', `${attribute.name} has one value only`)
  if (attribute.multi) applyToValues(resource, op, { attribute, sub, filter: path.filter, effort }, value)
  else if (sub) {
    const before = resource[attribute.name]
    resource[attribute.name] = set(isRecord(before) ? before : {}, op, sub, value)
  } else if (attribute.type === 'complex' && op !== 'remove' && value !== null) {
    const before = resource[attribute.name]
    const read = readValue(attribute, value)
    resource[attribute.name] = { ...(isRecord(before) ? before : {}), ...(isRecord(read) ? read : {}) }
  } else set(resource, op, attribute, value)
}

/**
 * Sets or removes one attribute of `target` and returns `target`. Throws 400 `invalidValue` if a required attribute
 * would be removed.
 */
function set(target: Values, op: string, attribute: Attribute, value: unknown): Values {
  const read = op === 'remove' ? undefined : readValue(attribute, value)
  if (read === undefined && attribute.required)
    throw refused('invalidValue', `${attribute.name} cannot be without a value`)
  if (read === undefined) delete target[attribute.name]
  else target[attribute.name] = read
  return target
}

interface Target {
  attribute: Attribute
  sub: Attribute | undefined
  filter: Filter | undefined
  effort: Effort
}

function applyToValues(
  resource: Values,
  op: string,
  { attribute, sub, filter, effort }: Target,
  value: unknown,
): void {
  const before = (resource[attribute.name] ?? []) as Values[]
  effort.take(before.length)
  const within = attribute.sub ?? []
  const isMeant = (each: Values) => filter === undefined || matches(filter, each, within, effort)
  let after: Values[]
  if (op === 'remove') {
    // Directories such as Entra ID identify members to remove by `value` instead of by a filter in the path.
    const named = filter || sub || value === undefined ? undefined : readValues(attribute, value)
    const values = named && new Set(named.map((each) => each.value))
    const isNamed = (each: Values) => values === undefined || values.has(each.value)
    after = sub
      ? before.map((each) => (isMeant(each) ? set({ ...each }, op, sub, undefined) : each))
      : before.filter((each) => !isMeant(each) || !isNamed(each))
  } else if (sub || filter) {
    const found = before.some(isMeant)
    const change = (each: Values): Values => {
      if (sub) return set({ ...each }, op, sub, value)
      const read = readOne(attribute, Array.isArray(value) ? value[0] : value)
      return { ...each, ...(isRecord(read) ? read : {}) }
    }
    // Entra ID sets the work address even if the user has none yet.
    const made = found ? undefined : filter ? described(filter, within) : {}
    if (made === undefined && !found)
      throw refused('noTarget', `None of the values of ${attribute.name} is meant`)
    after = found
      ? before.map((each) => (isMeant(each) ? change(each) : each))
      : [...before, change(made ?? {})]
  } else {
    const added = readValues(attribute, value)
    const known = new Map((op === 'replace' ? [] : before).map((each) => [each.value, each]))
    for (const each of added) known.set(each.value, { ...known.get(each.value), ...each })
    after = [...known.values()]
    // Only one value can be primary: the last one that the operation marks as primary.
    const primary = added.findLast((each) => each.primary === true)
    if (primary)
      after = after.map((each) =>
        each.primary === true && each.value !== primary.value ? { ...each, primary: false } : each,
      )
  }
  if (after.length === 0) delete resource[attribute.name]
  else resource[attribute.name] = after
}

const readValues = (attribute: Attribute, value: unknown) => (readValue(attribute, value) ?? []) as Values[]

/**
 * Returns the value that a filter describes: `{ type: 'work' }` for `type eq "work"`. `undefined` if the filter is not
 * a conjunction of equalities.
 */
function described(filter: Filter, within: readonly Attribute[]): Values | undefined {
  if (filter.kind === 'and') {
    const parts = filter.parts.map((part) => described(part, within))
    return parts.includes(undefined) ? undefined : Object.assign({}, ...parts)
  }
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || filter.path.length !== 1) return undefined
  const attribute = findAttribute(within, filter.path[0] ?? '')
  return attribute && attribute.mutability !== 'readOnly'
    ? { [attribute.name]: readOne(attribute, filter.value) }
    : undefined
}
