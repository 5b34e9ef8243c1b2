import { itemsOf } from '#server/content/derived.ts'
import { hashUniqueValue, isUnique } from '#server/content/unique.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import { allFields, mapValue } from '#shared/fields/walk.ts'
import type { Session } from './documents.write.ts'
import { findTaken } from './referred.repository.ts'

/** Returns the values for a copy, without values of unique fields at any depth. A unique title gets a number. */
export async function copyValues({ ctx, model }: Session, values: StoredValues): Promise<StoredValues> {
  const copy = { ...values }
  for (const field of model.fields) {
    if (!allFields([field]).some(isUnique)) continue
    const [first] = itemsOf(copy[field._id])
    copy[field._id] = mapValue(field, copy[field._id], (inner) =>
      isUnique(inner.field) ? undefined : inner.value,
    )
    if (copy[field._id] === undefined) delete copy[field._id]
    if (field._id !== model.titleField || first === undefined) continue
    const titles = Array.from({ length: 200 }, (_, index) => `${first} (${index + 2})`)
    const wanted = titles.map((title) => ({ fieldId: field._id, hash: hashUniqueValue(title) }))
    const taken = await findTaken(ctx.db, model.scope, null, wanted)
    const free = titles.find((_, index) => {
      const hash = wanted[index]?.hash.toString('hex')
      return !taken.has(`${field._id} ${hash}`)
    })
    copy[field._id] = field.multiple ? [free ?? first] : (free ?? first)
  }
  return copy
}
