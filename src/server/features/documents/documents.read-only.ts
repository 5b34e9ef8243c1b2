import { isDeepStrictEqual } from 'node:util'
import { AppError } from '#shared/errors.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import type { Field } from '#shared/fields/index.ts'
import type { Session } from './documents.write.ts'

/** Values as good as none: what a form sends of a field that nobody has touched. */
const isUnset = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)

/** What a new document may have in a field that its writer cannot change. */
const isInitial = (field: Field, value: unknown) =>
  isUnset(value) || ('defaultValue' in field && isDeepStrictEqual(value, field.defaultValue))

/**
 * Throws `Forbidden` naming the fields that the caller's role lets them only read and that would not stay as they are.
 * `before`: null for a document that is being made.
 */
export function checkReadOnly(
  { ctx, model }: Session,
  before: StoredValues | null,
  next: StoredValues,
): void {
  const { readOnly } = ctx.grants
  if (readOnly.size === 0) return
  const stays = (field: Field) =>
    before === null
      ? isInitial(field, next[field._id])
      : isDeepStrictEqual(before[field._id], next[field._id])
  const changed = model.fields.filter((field) => readOnly.has(field._id) && !stays(field))
  if (changed.length > 0)
    throw new AppError('Forbidden', { issues: changed.map(({ uid }) => ({ path: uid, code: 'ReadOnly' })) })
}

/** Without the values that the caller could not have written: for a copy that is theirs. */
export function withoutReadOnly({ ctx }: Session, values: StoredValues): StoredValues {
  const { readOnly } = ctx.grants
  return readOnly.size === 0
    ? values
    : Object.fromEntries(Object.entries(values).filter(([id]) => !readOnly.has(id)))
}
