import { isDeepStrictEqual } from 'node:util'
import { namesIn, textRows, uniqueValuesOf } from '#server/content/derived.ts'
import { documentText, keptGrams } from '#server/content/text.ts'
import type { Database } from '#server/db/connection.ts'
import { appScope, modelScope, spaceScope } from '#server/db/scope.ts'
import type { EventPayload } from '#shared/events.ts'
import { fitValue } from '#shared/fields/convert.ts'
import { namesCustomTypes, resolveFields } from '#shared/fields/custom-types.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import type { Field } from '#shared/fields/index.ts'

/**
 * Recomputes the data that is derived from the documents of an installation. Returns the violations; `[]` if there are
 * none. Revisions are not converted when a model changes, so they are compared in the current shape, or not at all with
 * `typesChanged`.
 */
export async function findViolations(
  database: Database,
  { typesChanged = false }: { typesChanged?: boolean } = {},
): Promise<string[]> {
  const db = database.kysely
  const found: string[] = []
  const stored = await db.selectFrom('model').selectAll().execute()
  const types = await db.selectFrom('custom_type').selectAll().execute()
  const models = stored.flatMap((model) => {
    // The custom types of a deleted model may be deleted, because its documents are no longer read.
    if (model.deleted_at !== null && namesCustomTypes(model.fields)) return []
    const own = types.filter((type) => type.app_id === model.app_id)
    const customTypes = own.map(({ public_id: _id, uid, fields }) => ({ _id, uid, fields }))
    return [{ ...model, fields: resolveFields(model.fields, customTypes) }]
  })
  const everywhere = await db.selectFrom('document').select(['id', 'model_id']).execute()
  for (const model of models) {
    const scope = modelScope(appScope(spaceScope(model.space_id), model.app_id), model.id)
    const siblings = models.filter((other) => other.app_id === model.app_id && other.deleted_at === null)
    const targets = new Map(siblings.map((other) => [other.uid, other.id]))
    const derived = { fields: model.fields, targets }
    const at = (id: string, what: string) => found.push(`${model.uid} ${id}: ${what}`)

    const documents = await db.selectFrom('document').selectAll().where('model_id', '=', model.id).execute()
    const revisions = await db.selectFrom('revision').selectAll().where('model_id', '=', model.id).execute()
    const events = await db.selectFrom('event').selectAll().where('model_id', '=', model.id).execute()
    const texts = await db.selectFrom('document_text').selectAll().where('model_id', '=', model.id).execute()
    const references = await db
      .selectFrom('document_reference')
      .selectAll()
      .where('from_model_id', '=', model.id)
      .execute()
    const uses = await db.selectFrom('asset_reference').selectAll().where('model_id', '=', model.id).execute()
    const reserved = await db
      .selectFrom('document_unique')
      .selectAll()
      .where('model_id', '=', model.id)
      .execute()

    const imported = importedIn(events)
    for (const document of documents) {
      const { id } = document
      const current = document.draft ?? document.pub ?? {}
      const live = document.deleted_at === null
      const own = revisions.filter((revision) => revision.document_id === id)
      const versions = own.map((revision) => revision.version).sort((a, b) => a - b)
      // I1: each version has one revision, without gaps.
      if (
        !isDeepStrictEqual(
          versions,
          Array.from({ length: document.version }, (_, n) => n + 1),
        )
      )
        at(id, `versions ${versions} of ${document.version}`)
      const valuesOf = (version: number | null) =>
        own.find((revision) => revision.version === version)?.values
      // I2: the published state equals the revision of the published version.
      if (
        !typesChanged &&
        document.pub &&
        !same(model.fields, document.pub, valuesOf(document.published_version))
      )
        at(id, 'published values are not those of the published revision')
      // I3: the current state equals the newest revision.
      if (!typesChanged && !same(model.fields, current, valuesOf(document.version)))
        at(id, 'current values are not those of the newest revision')
      if (document.pub && isDeepStrictEqual(document.draft, document.pub)) at(id, 'a draft without a change')
      if (!live && document.pub) at(id, 'published in the trash')

      // I4, I5: each revision has one event. If the first revision is not of the kind `create`, it also has a `created`
      // event. The revisions of an imported document have the event of the import together.
      const fromImport = imported.get(id)
      if (
        fromImport &&
        fromImport.publishedVersion !== null &&
        valuesOf(fromImport.publishedVersion) === undefined
      )
        at(id, `imported as published in version ${fromImport.publishedVersion}, which does not exist`)
      const wanted = own
        .filter(({ version }) => version > (fromImport?.version ?? 0))
        .flatMap(({ version, kind }) =>
          version === 1 && kind !== 'create' ? [`1 create`, `1 ${kind}`] : [`${version} ${kind}`],
        )
        .sort()
      const told = events
        .filter((event) => event.document_id === id)
        .map((event) => `${event.payload.version} ${kindOf[event.type as keyof typeof kindOf]}`)
        .sort()
      if (!isDeepStrictEqual(told, wanted)) at(id, `events ${told} for ${wanted}`)

      // I6: the reserved values of unique fields are complete.
      const wantedValues = live ? uniqueValuesOf(model.fields, current, document.pub) : []
      const held = reserved.filter((row) => row.document_id === id)
      if (
        !isDeepStrictEqual(
          keys(wantedValues.map((item) => `${item.stage} ${item.fieldId} ${item.hash.toString('hex')}`)),
          keys(held.map((row) => `${row.stage} ${row.field_id} ${row.value_hash.toString('hex')}`)),
        )
      )
        at(id, `has ${held.length} unique values instead of ${wantedValues.length}`)

      // I10: references and uses of assets are recorded for the current and the published state, and the texts for each
      // of the two.
      const rows = textRows({ current, pub: document.pub && (document.draft ? document.pub : current) })
      const states = rows.map(([, values]) => values)
      const { references: wantedReferences, links, assetIds } = namesIn(derived, states)
      const linked = everywhere.filter(
        (target) => links.includes(target.id) && siblings.some((other) => other.id === target.model_id),
      )
      const expected = [
        ...wantedReferences.map((target) => `${target.modelId} ${target.id}`),
        ...linked.map((target) => `${target.model_id} ${target.id}`),
      ]
      const actual = references
        .filter((row) => row.from_id === id)
        .map((row) => `${row.to_model_id} ${row.to_id}`)
      if (!isDeepStrictEqual(keys([...new Set(expected)]), keys(actual))) at(id, 'references')
      const used = uses.filter((row) => row.document_id === id)
      if (!isDeepStrictEqual(keys(assetIds), keys(used.map((row) => row.asset_id)))) at(id, 'uses of assets')
      const kept = texts.filter((row) => row.document_id === id)
      const wantedTexts: object[] = []
      for (const [stage, values] of rows) {
        const text = await documentText(model, values)
        wantedTexts.push({ stage, texts: text.texts, grams: keptGrams(text, stage) })
      }
      const actualTexts = kept
        .map(({ stage, texts, grams }) => ({ stage, texts, grams }))
        .sort((a, b) => a.stage - b.stage)
      if (!isDeepStrictEqual(actualTexts, wantedTexts)) at(id, 'texts')
    }

    // I7: the counters are correct.
    const stat = await db
      .selectFrom('model_stat')
      .selectAll()
      .where('model_id', '=', scope.modelId)
      .executeTakeFirst()
    const live = documents.filter((document) => document.deleted_at === null)
    const published = live.filter((document) => document.pub !== null)
    if (stat?.documents !== live.length || stat.published !== published.length)
      at('', `counts ${stat?.documents}/${stat?.published} of ${live.length}/${published.length}`)
    // I11: no two documents have the same position.
    const ranks = live.map((document) => document.custom_order).filter((rank) => rank !== null)
    if (new Set(ranks).size !== ranks.length) at('', 'two documents have the same place')
    // All rows belong to existing documents.
    const ids = new Set(documents.map((document) => document.id))
    for (const row of [...texts, ...reserved, ...revisions, ...uses])
      if (!ids.has(row.document_id)) at(row.document_id, 'rows without a document')
    for (const { from_id } of references) if (!ids.has(from_id)) at(from_id, 'references without a document')
  }
  // I12: the totals of the libraries are correct.
  const assets = await db
    .selectFrom('asset')
    .select(['space_id', 'size'])
    .where('deleted_at', 'is', null)
    .execute()
  const totals = await db.selectFrom('asset_total').selectAll().execute()
  for (const id of new Set([...assets, ...totals].map(({ space_id }) => space_id))) {
    const own = assets.filter(({ space_id }) => space_id === id)
    const bytes = own.reduce((sum, { size }) => sum + size, 0)
    const total = totals.find(({ space_id }) => space_id === id)
    if ((total?.assets ?? 0) !== own.length || (total?.bytes ?? 0) !== bytes)
      found.push(`space ${id}: ${total?.assets}/${total?.bytes} of ${own.length} assets with ${bytes} bytes`)
  }
  return found
}

type ImportedDocuments = EventPayload<'documents.imported'>['documents']

/** Returns the documents that the events of a model report as imported, by `_id`. */
const importedIn = (events: { type: string; payload: Record<string, unknown> }[]) =>
  new Map(
    events
      .filter(({ type }) => type === 'documents.imported')
      .flatMap(({ payload }) => payload.documents as ImportedDocuments)
      .map((one) => [one.id, one]),
  )

const kindOf = {
  'document.created': 'create',
  'document.saved': 'save',
  'document.published': 'publish',
  'document.unpublished': 'unpublish',
  'document.deleted': 'delete',
  'document.restored': 'restore',
}

const keys = (values: string[]) => [...values].sort()

function same(fields: Field[], stored: StoredValues, written: StoredValues | undefined): boolean {
  if (written === undefined) return false
  return (
    isDeepStrictEqual(stored, written) || isDeepStrictEqual(fitted(fields, stored), fitted(fields, written))
  )
}

function fitted(fields: Field[], values: StoredValues): StoredValues {
  const result: StoredValues = {}
  for (const field of fields) {
    const value = fitValue(field, values[field._id])
    if (value !== undefined) result[field._id] = value
  }
  return result
}
