import { targetQuery, titleOfDocument } from '#admin/fields/reference/reference-queries.ts'
import { modelQuery } from '#admin/lib/queries.ts'
import { queryClient } from '#admin/lib/query-client.ts'
import type { Model } from '#shared/contract/models.ts'
import type { ModelPlace } from '../documents.queries.ts'
import type { Values } from './values.ts'

/** Titles of the documents that these values refer to and that are not published: sites do not show them. */
export async function findDraftReferences(
  model: Pick<Model, 'fields'>,
  place: ModelPlace,
  values: Values,
): Promise<string[]> {
  const found = await Promise.all(
    model.fields.map(async (field) => {
      if (field.type !== 'REFERENCE') return []
      const ids = [values[field.uid]].flat().filter((id): id is string => typeof id === 'string' && id !== '')
      if (ids.length === 0) return []
      const [target, ...documents] = await Promise.all([
        queryClient.fetchQuery(modelQuery(place.p, place.a, field.modelUid)),
        ...ids.map((id) => queryClient.fetchQuery(targetQuery(place, field.modelUid, id))),
      ])
      return documents.flatMap((document) =>
        document?._sys.status === 'draft' ? [titleOfDocument(target, document)] : [],
      )
    }),
  )
  return [...new Set(found.flat())]
}
