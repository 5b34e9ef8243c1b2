import { itemsOf, uniqueValuesOf } from '#server/content/derived.ts'
import { checkWithPatterns } from '#server/content/text-work.ts'
import { hashUniqueValue, isUnique } from '#server/content/unique.ts'
import { checkValue, type StoredValues } from '#shared/fields/document.ts'
import { type Field, isMultiple, typeOf } from '#shared/fields/index.ts'
import { allFields, mapValue } from '#shared/fields/walk.ts'
import { shorten } from '#shared/unicode.ts'
import { findTaken } from '../store/referred.repository.ts'
import type { Session } from './write.ts'

/** The last number that is tried for a copy. The first one is 2. */
const maxNumber = 100

/** A longer title is cut before it gets a number. In UTF-16 units. */
const maxTitle = 1000

/** A text of letters, digits, `-`, `_` and `/`, such as the last part of a URL. */
const slug = /^[\p{L}\p{M}\p{N}_/-]{1,200}$/u

const keyOf = (field: Field, item: unknown) => `${field._id} ${hashUniqueValue(item).toString('hex')}`

/**
 * Returns the values for a copy. Unique values that another document has are replaced: a title gets a number
 * (`News (2)`), and so does a slug (`news-2`) if the result follows the rules of its field. Other values, multiple ones
 * and nested ones are omitted, because a number could change their meaning.
 */
export async function copyValues(session: Session, values: StoredValues): Promise<StoredValues> {
  const { ctx, model } = session
  const taken = await findTaken(ctx.db, model.scope, null, uniqueValuesOf(model.fields, values, null))
  if (taken.size === 0) return values
  const isTaken = (field: Field, item: unknown) => taken.has(keyOf(field, item))
  const numbered = await numberedValues(session, values, isTaken)
  const copy = { ...values }
  for (const field of model.fields) {
    if (!allFields([field]).some(isUnique)) continue
    const value =
      numbered.get(field._id) ??
      mapValue(field, values[field._id], (inner) =>
        isUnique(inner.field) ? freeItems(inner.value, (item) => !isTaken(inner.field, item)) : inner.value,
      )
    if (value === undefined) delete copy[field._id]
    else copy[field._id] = value
  }
  return copy
}

function freeItems(value: unknown, isFree: (item: unknown) => boolean): unknown {
  if (!Array.isArray(value)) return isFree(value) ? value : undefined
  const free = value.filter(isFree)
  return free.length > 0 ? free : undefined
}

/**
 * Returns the values with a number for the taken title and the taken slugs, by field `_id`. If no number is free, a
 * title stays unchanged, because a document needs one.
 */
async function numberedValues(
  { ctx, model }: Session,
  values: StoredValues,
  isTaken: (field: Field, item: unknown) => boolean,
): Promise<Map<string, unknown>> {
  const candidates = model.fields.flatMap((field) => {
    const [first] = itemsOf(values[field._id])
    if (!isUnique(field) || typeof first !== 'string' || !isTaken(field, first)) return []
    const isTitle = field._id === model.titleField
    // Dates are strings too, but must not get a number.
    const isSlug = typeOf(field).canBeTitle && !isMultiple(field) && slug.test(first)
    if (!isTitle && !isSlug) return []
    const numbers = Array.from({ length: maxNumber - 1 }, (_, index) => index + 2)
    const items = numbers.map((number) =>
      isTitle ? `${shorten(first, maxTitle)} (${number})` : `${first}-${number}`,
    )
    return [{ field, isTitle, first, items }]
  })
  const wanted = candidates.flatMap(({ field, items }) =>
    items.map((item) => ({ fieldId: field._id, hash: hashUniqueValue(item) })),
  )
  const taken = await findTaken(ctx.db, model.scope, null, wanted)
  const numbered = new Map<string, unknown>()
  for (const { field, isTitle, first, items } of candidates) {
    const free = items.find((item) => !taken.has(keyOf(field, item)))
    if (isTitle) numbered.set(field._id, isMultiple(field) ? [free ?? first] : (free ?? first))
    else if (free !== undefined && (await followsRules(field, free))) numbered.set(field._id, free)
  }
  return numbered
}

const followsRules = async (field: Field, value: string) =>
  (await checkWithPatterns((environment) => checkValue(field, value, environment))).length === 0
