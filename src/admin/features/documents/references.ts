import { adminFieldType } from '#admin/fields/index.ts'
import { targetQuery, titleOfDocument } from '#admin/fields/reference/reference-queries.ts'
import { api } from '#admin/lib/api.ts'
import { modelsQuery } from '#admin/lib/queries.ts'
import { queryClient } from '#admin/lib/query-client.ts'
import type { Model } from '#shared/contract/models.ts'
import type { ModelPlace } from './documents.queries.ts'

/**
 * Titles of the documents that these values refer to and that are not published: sites do not show them. `besides`
 * are published along with them.
 */
export async function findDraftReferences(
  model: Pick<Model, 'fields'>,
  place: ModelPlace,
  values: Readonly<Record<string, unknown>>,
  besides: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const found = await Promise.all(
    model.fields.map(
      (field) => adminFieldType(field).findDrafts?.(field, values[field.uid], place, besides) ?? [],
    ),
  )
  return [...new Set(found.flat())]
}

/** The same for documents that are published together. */
export async function findDraftReferencesOfMany(
  model: Model,
  place: ModelPlace,
  chosen: ReadonlySet<string>,
): Promise<string[]> {
  if (!model.fields.some((field) => adminFieldType(field).findDrafts)) return []
  const found = await Promise.all(
    [...chosen].map(async (id) => {
      const document = await queryClient.fetchQuery(targetQuery(place, place.m, id))
      return document ? findDraftReferences(model, place, document, chosen) : []
    }),
  )
  return [...new Set(found.flat())]
}

/** How many `_id`s one question names, and how many documents it is answered with. */
const batchSize = 100
const answered = 100

/**
 * Titles of the documents of the app that refer to these and are not among them. Where one question finds more than it
 * is answered with, `total` counts the others without knowing them: some may be counted twice.
 */
export async function findReferrers(
  place: ModelPlace,
  chosen: ReadonlySet<string>,
): Promise<{ titles: string[]; total: number }> {
  const models = await queryClient.fetchQuery(modelsQuery(place.p, place.a))
  const ids = [...chosen]
  const titles = new Map<string, string>()
  let untold = 0
  for (const model of models)
    for (const field of model.fields) {
      if (!adminFieldType(field).targets?.(field).includes(place.m)) continue
      for (let start = 0; start < ids.length; start += batchSize) {
        const { documents, total } = await api('GET /api/project/{p}/app/{a}/model/{m}/doc', {
          params: { ...place, m: model.uid },
          query: new URLSearchParams({
            [`${field.uid}[in]`]: ids.slice(start, start + batchSize).join(','),
            limit: String(answered),
          }),
        })
        for (const document of documents)
          if (!chosen.has(document._id)) titles.set(document._id, titleOfDocument(model, document))
        untold += total - documents.length
      }
    }
  return { titles: [...titles.values()], total: titles.size + untold }
}
