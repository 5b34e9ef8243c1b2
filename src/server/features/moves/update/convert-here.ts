import { isRecord } from '#archive/shapes.ts'
import { over } from '#server/features/documents/followed-documents.service.ts'
import type { PlannedParts } from '#shared/contract/move-plans.ts'
import { isSameValue } from '#shared/fields/same-value.ts'
import type { Converted } from '../import/content-to-document.ts'
import type { ExistingValues } from '../store/existing.repository.ts'
import type { IncomingDocument } from './incoming-contents.ts'
import type { UpdatedModel } from './updated-models.ts'

/** `fields`: `_id`s of the fields that exist at the source. The other fields keep their values. */
export type ConvertedHere = Converted & { fields: ReadonlySet<string> }

/** Converts a document to the fields of its model in the app. */
export async function convertHere(
  content: IncomingDocument,
  updated: UpdatedModel,
  plan: PlannedParts,
): Promise<ConvertedHere> {
  const planned = plan.models.find((model) => model.from === updated.from)?.fields ?? []
  const known = new Set(planned.map((field) => field.from))
  const fromSource = updated.fields.filter(
    (field) => known.has(field.from) || Object.hasOwn(content.values, field.from),
  )
  return {
    ...(await content.convert(updated)),
    fields: new Set(fromSource.map(({ field }) => field._id)),
  }
}

/**
 * Returns whether importing the document would leave its values and its publication unchanged, apart from the `_id`s of
 * items.
 */
export function isSameHere({ document, fields }: ConvertedHere, here: ExistingValues): boolean {
  const { current, pub } = document
  const isSame = (ours: ExistingValues['current'], theirs: typeof current) =>
    isSameValue(withoutItemIds(over(ours, theirs, fields)), withoutItemIds(ours))
  if ((pub === null) !== (here.pub === null)) return false
  return isSame(here.current, current) && (!pub || !here.pub || isSame(here.pub, pub))
}

/** Removes the `_id`s of items. An item without an `_id` in the source gets a new one at every conversion. */
function withoutItemIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutItemIds)
  if (!isRecord(value)) return value
  const { _id, ...others } = value
  return Object.fromEntries(Object.entries(others).map(([key, inner]) => [key, withoutItemIds(inner)]))
}
