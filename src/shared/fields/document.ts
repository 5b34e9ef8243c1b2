import type { Issue } from '../errors.ts'
import { idPattern, newId } from '../identifiers.ts'
import { isShown } from './conditions.ts'
import type { Item, Nesting, RuleEnvironment } from './field-type.ts'
import { type Field, isMultiple, typeOf } from './index.ts'
import {
  isItem,
  isNothing,
  joinPath,
  openItems,
  type StoredValues,
  type WalkedField,
  walk,
  walkField,
} from './walk.ts'

export type { StoredValues } from './walk.ts'

export interface ValueModel {
  fields: Field[]
  /** `_id` of the title field, or null for a model without one. */
  titleField: string | null
}

/** Maximum number of items in one multiple field. */
const maximumItems = 10_000

/**
 * The result of reading a value. `value` is `undefined` if the value is empty or invalid. For a multiple field, it
 * contains the valid items. Issue paths are relative to the value.
 */
interface ReadValue {
  value: unknown
  issues: Issue[]
}

const unreadable = (...issues: Issue[]): ReadValue => ({ value: undefined, issues })

/**
 * Reads an untrusted value of one field. The paths in `issues` are relative to the field: `''`, the index of an item,
 * or a path inside an item.
 */
export function parseValue(field: Field, raw: unknown): ReadValue {
  if (!isMultiple(field)) return parseOne(field, raw)
  if (raw == null) return unreadable()
  if (!Array.isArray(raw)) return unreadable({ path: '', code: 'InvalidType' })
  if (raw.length > maximumItems)
    return unreadable({ path: '', code: 'TooManyItems', params: { maximum: maximumItems } })
  const { emptyItem } = typeOf(field)
  const values: unknown[] = []
  const issues: Issue[] = []
  const ids = new Set<unknown>()
  raw.forEach((item, index) => {
    const read = parseOne(field, item)
    for (const issue of read.issues) issues.push({ ...issue, path: joinPath(String(index), issue.path) })
    const kept = read.value ?? (read.issues.length === 0 ? emptyItem : undefined)
    if (kept === undefined) return
    values.push(kept)
    if (!isItem(read.value)) return
    const { _id } = read.value
    if (ids.has(_id)) issues.push({ path: `${index}._id`, code: 'DuplicatedValue' })
    ids.add(_id)
  })
  return { value: values.length > 0 ? values : undefined, issues }
}

function parseOne(field: Field, raw: unknown): ReadValue {
  const { nesting, parse } = typeOf(field)
  if (nesting && isItem(raw)) return parseItem(field, nesting, raw)
  const result = parse(raw, field)
  return result.ok
    ? { value: result.value, issues: [] }
    : { value: undefined, issues: [{ path: '', code: result.code }] }
}

function parseItem(field: Field, nesting: Nesting<object>, raw: Item): ReadValue {
  const read = nesting.read(raw, field)
  if ('code' in read) return unreadable(read)
  const { frame, places } = read
  const item: Item = { ...frame }
  const issues: Issue[] = []
  const known = new Set([...places.map(({ name }) => name), ...nesting.frameKeys])
  if (hasItemId(field, nesting)) {
    known.add('_id')
    item._id = raw._id ?? newId()
    if (typeof item._id !== 'string' || !idPattern.test(item._id))
      issues.push({ path: '_id', code: 'InvalidFormat' })
  }
  for (const name of Object.keys(raw))
    if (!known.has(name)) issues.push({ path: nameInPath(name), code: 'UnknownField' })
  for (const { key, name, field: inner } of places) {
    if (!Object.hasOwn(raw, name)) continue
    const { value, issues: found } = parseValue(inner as Field, raw[name])
    for (const issue of found) issues.push({ ...issue, path: joinPath(name, issue.path) })
    if (value !== undefined) item[key] = value
  }
  return { value: isNothing(item) ? undefined : item, issues }
}

function hasItemId(field: Field, { ids }: Nesting<object>): boolean {
  return ids === 'always' || isMultiple(field)
}

/** Shortens a property name from a client and makes it well-formed, for use in a path. */
const nameInPath = (name: string) => name.slice(0, 100).toWellFormed()

/**
 * Reads an untrusted document with values by field uid. Returns the values by field `_id`. Wrong types and unknown
 * fields are issues, which block every save.
 */
export function parseValues(
  model: ValueModel,
  raw: Record<string, unknown>,
): { values: StoredValues; issues: Issue[] } {
  const values: StoredValues = {}
  const issues: Issue[] = []
  const byUid = new Map(model.fields.map((field) => [field.uid, field]))
  for (const [uid, rawValue] of Object.entries(raw)) {
    const field = byUid.get(uid)
    if (!field) {
      issues.push({ path: nameInPath(uid), code: 'UnknownField' })
      continue
    }
    const result = parseValue(field, rawValue)
    for (const issue of result.issues) issues.push({ ...issue, path: joinPath(uid, issue.path) })
    if (result.value !== undefined) values[field._id] = result.value
  }
  return { values, issues }
}

/**
 * Checks the rules of one field and of all nested fields on its stored value (`undefined` if empty). Paths are relative
 * to the field.
 */
export function checkValue(field: Field, value: unknown, environment: RuleEnvironment): Issue[] {
  const issues: Issue[] = []
  walkField(field, value, '', (visited) => issues.push(...ownIssues(visited, environment)))
  return issues
}

/** Returns the broken rules of a document's stored values, with paths by field uid. */
export function checkValues(model: ValueModel, values: StoredValues, environment: RuleEnvironment): Issue[] {
  const issues: Issue[] = []
  walk(model, values, (visited) => issues.push(...ownIssues(visited, environment)))
  return issues
}

/** Returns the issues of one field. Hidden fields are not checked, because editors could not correct their values. */
function ownIssues({ path, field, value, shown }: WalkedField, environment: RuleEnvironment): Issue[] {
  if (!shown) return []
  return ruleIssues(field, value, environment).map((issue) => ({
    ...issue,
    path: joinPath(path, issue.path),
  }))
}

/** Returns the issues of the field's own rules, without nested fields. */
function ruleIssues(field: Field, value: unknown, environment: RuleEnvironment): Issue[] {
  const type = typeOf(field)
  if (value === undefined || type.isEmpty?.(value))
    return field.required ? [{ path: '', code: 'Required' }] : []
  if (!isMultiple(field))
    return type.rules(value, field, environment).map((issue) => ({ path: '', ...issue }))
  const items = Array.isArray(value) ? value : [value]
  const filled = items.filter((item) => item !== type.emptyItem).length
  if (filled === 0 && field.required) return [{ path: '', code: 'Required' }]
  const issues: Issue[] = []
  if (field.maxItems != null && items.length > field.maxItems)
    issues.push({ path: '', code: 'TooManyItems', params: { maximum: field.maxItems } })
  if (field.minItems != null && filled < field.minItems)
    issues.push({ path: '', code: 'TooFewItems', params: { minimum: field.minItems } })
  items.forEach((item, index) => {
    if (item === type.emptyItem) return
    for (const issue of type.rules(item, field, environment)) issues.push({ path: String(index), ...issue })
  })
  return issues
}

/** A visible character: neither white space nor a character without a glyph. */
const visible = /[^\s\p{Default_Ignorable_Code_Point}]/u

/**
 * Checks that a document has a visible title. Other rules block only publishing, but a missing title
 * also blocks saving. A hidden title field is not checked.
 */
export function checkTitle(model: ValueModel, values: StoredValues): Issue[] {
  const field = model.fields.find((candidate) => candidate._id === model.titleField)
  if (!field || !isShown(field, model.fields, ({ _id }) => values[_id])) return []
  return visible.test(titleOf(model, values)) ? [] : [{ path: field.uid, code: 'Required' }]
}

/** Returns a document's title as text, for lists and references. `''` without a title. */
export function titleOf(model: ValueModel, values: StoredValues): string {
  const field = model.fields.find((candidate) => candidate._id === model.titleField)
  const value = field && values[field._id]
  if (!field || value === undefined) return ''
  const { text, emptyItem } = typeOf(field)
  const first = Array.isArray(value) ? value.find((item) => item !== emptyItem) : value
  return first === undefined ? '' : text(first)
}

/** Converts stored values back to values by field uid, as the management API returns them. Empty values are omitted. */
export function valuesByUid(model: ValueModel, values: StoredValues): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const field of model.fields) {
    const value = sentValue(field, values[field._id])
    if (value !== undefined) result[field.uid] = value
  }
  return result
}

function sentValue(field: Field, value: unknown): unknown {
  const { nesting } = typeOf(field)
  if (!nesting || value === undefined) return value
  const items = openItems(field, value).map(({ item, frame, places }) => {
    const inner = places.flatMap(({ key, name, field: at }) => {
      const sent = sentValue(at, item[key])
      return sent === undefined ? [] : [[name, sent] as [string, unknown]]
    })
    return Object.fromEntries(sentEntries<unknown>(nesting, item._id, Object.entries(frame), inner))
  })
  return isMultiple(field) ? items : items[0]
}

/**
 * Returns the entries of an item in the order in which they are sent. If `ids` is `always`, the `_id` precedes the
 * frame and the inner values, otherwise it follows them.
 */
export function sentEntries<Value>(
  { ids }: Pick<Nesting<object>, 'ids'>,
  id: Value | undefined,
  frame: [string, Value][],
  inner: [string, Value][],
): [string, Value][] {
  const own: [string, Value][] = id === undefined ? [] : [['_id', id]]
  return ids === 'always' ? [...own, ...frame, ...inner] : [...frame, ...inner, ...own]
}

/** Adapts a stored value to the field after `multiple` was switched on or off. */
export function fitMultiple(field: Field, value: unknown): unknown {
  if (value === undefined) return undefined
  if (isMultiple(field)) return Array.isArray(value) ? value : [value]
  return Array.isArray(value) ? value[0] : value
}
