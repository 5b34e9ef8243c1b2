import type { Issue } from '../errors.ts'
import type { RuleEnvironment } from './field-type.ts'
import { type Field, isMultiple, typeOf } from './index.ts'

/** A document's values as they are stored: keyed by the field's `_id`, empty ones left out. */
export type StoredValues = Record<string, unknown>

/** As much of a model as values need. */
export interface ValueModel {
  fields: Field[]
  /** `_id` of the title field, or null for a model without one. */
  titleField: string | null
}

/** No document holds more items than this in one multiple field. */
const maximumItems = 10_000

/** Reads one field's value from outside. `issues` paths are relative to the field: `''` or an item's index. */
export function parseValue(field: Field, raw: unknown): { value: unknown; issues: Issue[] } {
  const type = typeOf(field)
  if (!isMultiple(field)) {
    const result = type.parse(raw, field)
    return result.ok
      ? { value: result.value, issues: [] }
      : { value: undefined, issues: [{ path: '', code: result.code }] }
  }
  if (raw == null) return { value: undefined, issues: [] }
  if (!Array.isArray(raw)) return { value: undefined, issues: [{ path: '', code: 'InvalidType' }] }
  if (raw.length > maximumItems)
    return {
      value: undefined,
      issues: [{ path: '', code: 'TooManyItems', params: { maximum: maximumItems } }],
    }
  const values: unknown[] = []
  const issues: Issue[] = []
  raw.forEach((item, index) => {
    const result = type.parse(item, field)
    if (!result.ok) issues.push({ path: String(index), code: result.code })
    else if (result.value !== undefined) values.push(result.value)
  })
  return { value: values.length > 0 ? values : undefined, issues }
}

/**
 * Reads a whole document from outside: values by field uid in, values by field `_id` out. Values of the wrong type
 * and fields the model does not name are issues here and refuse any save.
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
      issues.push({ path: uid.slice(0, 100).toWellFormed(), code: 'UnknownField' })
      continue
    }
    const result = parseValue(field, rawValue)
    for (const issue of result.issues) issues.push({ ...issue, path: joinPath(uid, issue.path) })
    if (result.value !== undefined) values[field._id] = result.value
  }
  return { values, issues }
}

/** The rules of one field on its stored value (`undefined` when empty). Paths are relative to the field. */
export function checkValue(field: Field, value: unknown, environment: RuleEnvironment): Issue[] {
  const type = typeOf(field)
  if (value === undefined || type.isEmpty?.(value))
    return field.required ? [{ path: '', code: 'Required' }] : []
  if (!isMultiple(field))
    return type.rules(value, field, environment).map((issue) => ({ path: '', ...issue }))
  const items = Array.isArray(value) ? value : [value]
  const issues: Issue[] = []
  if (field.maxItems != null && items.length > field.maxItems)
    issues.push({ path: '', code: 'TooManyItems', params: { maximum: field.maxItems } })
  if (field.minItems != null && items.length < field.minItems)
    issues.push({ path: '', code: 'TooFewItems', params: { minimum: field.minItems } })
  items.forEach((item, index) => {
    for (const issue of type.rules(item, field, environment)) issues.push({ path: String(index), ...issue })
  })
  return issues
}

/** Every broken rule of stored values, with paths by field uid: what blocks publishing. */
export function checkValues(model: ValueModel, values: StoredValues, environment: RuleEnvironment): Issue[] {
  return model.fields.flatMap((field) =>
    checkValue(field, values[field._id], environment).map((issue) => ({
      ...issue,
      path: joinPath(field.uid, issue.path),
    })),
  )
}

/** Something that can be seen: neither a space of any width nor a character without a shape. */
const visible = /[^\s\p{Default_Ignorable_Code_Point}]/u

/** The one rule that blocks a save: a document has a title that can be seen (decisions §4). */
export function checkTitle(model: ValueModel, values: StoredValues): Issue[] {
  const field = model.fields.find((candidate) => candidate._id === model.titleField)
  return field && !visible.test(titleOf(model, values)) ? [{ path: field.uid, code: 'Required' }] : []
}

/** A document's title as text, for lists and references. `''` when there is none. */
export function titleOf(model: ValueModel, values: StoredValues): string {
  const field = model.fields.find((candidate) => candidate._id === model.titleField)
  const value = field && values[field._id]
  if (!field || value === undefined) return ''
  return typeOf(field).text(Array.isArray(value) ? value[0] : value)
}

/** Stored values back to values by field uid, as the management API answers them. Empty ones are left out. */
export function valuesByUid(model: ValueModel, values: StoredValues): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const field of model.fields) if (values[field._id] !== undefined) result[field.uid] = values[field._id]
  return result
}

/** A stored value in the shape its field has now, after `multiple` was switched on or off. */
export function fitMultiple(field: Field, value: unknown): unknown {
  if (value === undefined) return undefined
  if (isMultiple(field)) return Array.isArray(value) ? value : [value]
  return Array.isArray(value) ? value[0] : value
}

function joinPath(head: string, tail: string): string {
  return tail === '' ? head : `${head}.${tail}`
}
