import { adminFieldType } from '#admin/fields/index.ts'
import { targetQuery, titleOfDocument } from '#admin/fields/reference/reference-queries.ts'
import { api } from '#admin/lib/api.ts'
import { modelsQuery } from '#admin/lib/queries.ts'
import { queryClient } from '#admin/lib/query-client.ts'
import type { Model } from '#shared/contract/models.ts'
import type { Issue } from '#shared/errors.ts'
import { resolveField } from '#shared/fields/custom-types.ts'
import { typeOf } from '#shared/fields/index.ts'
import { allFields } from '#shared/fields/walk.ts'
import { knownCustomTypes, type ModelPlace } from './documents.queries.ts'
import { sentValue } from './editor/values.ts'

/**
 * Returns the titles of unpublished documents that these values refer to. Sites do not show those documents. `besides`:
 * ids of documents that are published together with the values.
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

/**
 * Returns the issues of files in the trash or deleted files that these values show, as a value or inside of texts.
 * `id`: null for a new document.
 */
export async function findMissingAssets(
  model: Pick<Model, 'fields'>,
  place: ModelPlace,
  values: Readonly<Record<string, unknown>>,
  id: string | null,
): Promise<Issue[]> {
  if (!mayShowFiles(model, place)) return []
  const sent = Object.fromEntries(Object.entries(values).map(([uid, value]) => [uid, sentValue(value)]))
  const { warnings } = await api('POST /api/project/{p}/app/{a}/model/{m}/doc/validate', {
    params: place,
    body: { doc: { ...(id === null ? {} : { _id: id }), ...sent } },
  })
  return warnings.filter(({ code }) => code === 'MissingAsset')
}

/**
 * Returns whether values of the model can contain or refer to files. Ignores fields whose custom types are not cached.
 */
function mayShowFiles(model: Pick<Model, 'fields'>, place: ModelPlace): boolean {
  const fields = model.fields.flatMap((field) => resolveField(field, knownCustomTypes(place)) ?? [])
  return allFields(fields).some((field) => typeOf(field).assetIds)
}

/** Works like {@link findDraftReferences}, for documents that are published together. */
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

/** Maximum number of `_id`s that the server accepts in one request. */
const mostChecked = 200

/** Returns the documents that would show missing files once they are published, with the issues of their fields. */
export async function findMissingAssetsOfMany(
  model: Pick<Model, 'fields'>,
  place: ModelPlace,
  chosen: ReadonlySet<string>,
): Promise<{ _id: string; count: number; issues: Issue[] }[]> {
  if (!mayShowFiles(model, place)) return []
  const ids = [...chosen]
  const found: { _id: string; count: number; issues: Issue[] }[] = []
  for (let start = 0; start < ids.length; start += mostChecked) {
    const { documents } = await api('POST /api/project/{p}/app/{a}/model/{m}/doc/missingAssets', {
      params: { ...place },
      body: { documentIds: ids.slice(start, start + mostChecked) },
    })
    found.push(...documents)
  }
  return found
}

/** Maximum number of `_id`s per request (`batchSize`) and of documents per response (`answered`). */
const batchSize = 100
const answered = 100

/**
 * Returns the titles of documents in the app that refer to the chosen documents and are not chosen themselves. Only
 * reference fields of models are searched, not references inside of other values. If a query matches more documents
 * than it returns, `total` includes the rest, so some may be counted twice.
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
