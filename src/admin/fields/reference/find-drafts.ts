import { modelQuery } from '#admin/lib/queries.ts'
import { queryClient } from '#admin/lib/query-client.ts'
import type { FieldOf, Place } from '../field-props.ts'
import { targetQuery, titleOfDocument } from './reference-queries.ts'

/** Titles of the documents that a value refers to and that are not published, nor `besides` with it. */
export async function findDrafts(
  field: FieldOf<'REFERENCE'>,
  value: unknown,
  place: Place,
  besides: ReadonlySet<string>,
): Promise<string[]> {
  const ids = [value].flat().filter((id): id is string => typeof id === 'string' && id !== '')
  if (ids.length === 0) return []
  const [target, ...documents] = await Promise.all([
    queryClient.fetchQuery(modelQuery(place.p, place.a, field.modelUid)),
    ...ids.map((id) => queryClient.fetchQuery(targetQuery(place, field.modelUid, id))),
  ])
  return documents.flatMap((document) =>
    document?._sys.status === 'draft' && !besides.has(document._id)
      ? [titleOfDocument(target, document)]
      : [],
  )
}
