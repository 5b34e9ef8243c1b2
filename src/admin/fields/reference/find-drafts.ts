import type { FieldOf, Place } from '../field-props.ts'
import { findTarget, titleOfDocument } from './reference-queries.ts'
import { targetUids } from './target-uids.ts'

/** Returns the titles of the referenced documents that are not published, except those in `besides`. */
export async function findDrafts(
  field: FieldOf<'REFERENCE'>,
  value: unknown,
  place: Place,
  besides: ReadonlySet<string>,
): Promise<string[]> {
  const ids = [value].flat().filter((id): id is string => typeof id === 'string' && id !== '')
  const found = await Promise.all(ids.map((id) => findTarget(place, targetUids(field), id)))
  return found.flatMap((target) =>
    target?.document._sys.status === 'draft' && !besides.has(target.document._id)
      ? [titleOfDocument(target.model, target.document)]
      : [],
  )
}
