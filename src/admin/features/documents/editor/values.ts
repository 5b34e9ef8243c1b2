import { adminFieldType, isMultipleField } from '#admin/fields/index.ts'
import type { Document } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import { isSameValue } from '#shared/fields/same-value.ts'
import { readIsoDay } from '../list/periods.ts'

/** Values by field uid, as shown in the form. */
export type Values = Record<string, unknown>

/**
 * Returns whether two values look equal to a user. undefined, null, `''` and `[]` are equal, empty entries at the end
 * of lists are ignored, and an untouched checkbox equals an unticked one.
 */
export function sameValue(left: unknown, right: unknown): boolean {
  return isSameValue(normal(left), normal(right))
}

function normal(value: unknown): unknown {
  if (value === null || value === '' || value === false) return undefined
  if (!Array.isArray(value)) return value
  const items = withoutEmptyEnd(value)
  return items.length === 0 ? undefined : items
}

/** Returns the values of a document that belong to fields of the model. */
export function valuesOf(model: Pick<Model, 'fields'>, document: Document): Values {
  const values: Values = {}
  for (const field of model.fields)
    if (document[field.uid] !== undefined) values[field.uid] = document[field.uid]
  return values
}

/** Returns the initial values of a new document. */
export function defaultValues(model: Pick<Model, 'fields'>): Values {
  const values: Values = {}
  for (const field of model.fields) {
    const value = adminFieldType(field).initial?.(field)
    if (value !== undefined && value !== null && value !== '') values[field.uid] = value
  }
  return values
}

/**
 * Returns the value that sets the field with this uid to a day. Empty if the field does not exist or cannot be set to a
 * day, or if the day is invalid.
 */
export function valueOfDay(
  { fields }: Pick<Model, 'fields'>,
  { field: uid, day }: { field?: unknown; day?: unknown } = {},
): Values {
  const field = fields.find((one) => one.uid === uid)
  const days = field && !isMultipleField(field) ? adminFieldType(field).day?.(field) : null
  if (!field || !days || typeof day !== 'string' || !readIsoDay(day)) return {}
  return { [field.uid]: days.on(undefined, day) ?? undefined }
}

function withoutEmptyEnd(list: readonly unknown[]): unknown[] {
  return list.slice(0, list.findLastIndex((item) => item !== '' && item != null) + 1)
}

/**
 * Returns a value for a request body: null clears a field. Lists, including nested ones, lose empty entries at their
 * end.
 */
export function sentValue(value: unknown): unknown {
  if (value === undefined || value === '') return null
  return withoutEmptyEnds(value)
}

function withoutEmptyEnds(value: unknown): unknown {
  if (Array.isArray(value)) return withoutEmptyEnd(value).map(withoutEmptyEnds)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutEmptyEnds(inner)]))
}
