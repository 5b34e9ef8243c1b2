import { isDeepStrictEqual } from 'node:util'
import { AppError } from '#shared/errors.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import type { Field } from '#shared/fields/index.ts'
import type { Session } from './write.ts'

/** Checks whether the value equals the value of an untouched form field. */
const isUnset = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)

/** Checks whether a new document may have this value in a field that is read-only for its author. */
const isInitial = (field: Field, value: unknown) =>
  isUnset(value) || ('defaultValue' in field && isDeepStrictEqual(value, field.defaultValue))

/**
 * Throws `Forbidden` with the changed fields that are read-only for the caller. `before`: null for a new document.
 * `published`: values that the fields may also have, because another user published them.
 */
export function checkReadOnly(
  { ctx, model }: Session,
  before: StoredValues | null,
  next: StoredValues,
  published: StoredValues | null = null,
): void {
  const { readOnly } = ctx.grants
  if (readOnly.size === 0) return
  const stays = (field: Field) =>
    before === null
      ? isInitial(field, next[field._id])
      : [before, published].some((own) => own && isDeepStrictEqual(own[field._id], next[field._id]))
  const changed = model.fields.filter((field) => readOnly.has(field._id) && !stays(field))
  if (changed.length > 0)
    throw new AppError('Forbidden', { issues: changed.map(({ uid }) => ({ path: uid, code: 'ReadOnly' })) })
}

/** Removes the values of fields that are read-only for the caller, for a copy. */
export function withoutReadOnly({ ctx }: Session, values: StoredValues): StoredValues {
  const { readOnly } = ctx.grants
  return readOnly.size === 0
    ? values
    : Object.fromEntries(Object.entries(values).filter(([id]) => !readOnly.has(id)))
}
