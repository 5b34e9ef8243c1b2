import { isAsset, isContent, isRecord } from '#archive/shapes.ts'
import { readFieldValue } from '#server/features/documents/documents.service.ts'
import type { Field } from '#shared/fields/index.ts'

/** A value as it came, as the field stores it. `complete`: nothing of it was left out. */
export async function readReceived(
  field: Field,
  raw: unknown,
): Promise<{ value: unknown; complete: boolean }> {
  const { value, issues } = await readFieldValue(field, plain(raw))
  return { value, complete: issues.length === 0 }
}

/** Contents and files as their `_id`s. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (isContent(value) || isAsset(value)) return value._id
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]))
}
