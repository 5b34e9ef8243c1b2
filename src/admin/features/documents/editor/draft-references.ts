import { adminFieldType } from '#admin/fields/index.ts'
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
    model.fields.map((field) => adminFieldType(field).findDrafts?.(field, values[field.uid], place) ?? []),
  )
  return [...new Set(found.flat())]
}
