import { isDeepStrictEqual } from 'node:util'
import { type SqlBool, sql } from 'kysely'
import { convertWithMarkdown } from '#server/content/text-work.ts'
import { isUnique } from '#server/content/unique.ts'
import type { Db, ModelScope } from '#server/db/scope.ts'
import {
  type DerivedModel,
  insertUniqueValues,
  type StageChange,
  uniqueValuesOf,
  writeDerived,
} from '#server/features/documents/documents.derived.ts'
import { Pace } from '#server/lib/pace.ts'
import { type ConversionEnvironment, convertValue, needsConversion } from '#shared/fields/convert.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import type { Field } from '#shared/fields/index.ts'
import { allFields } from '#shared/fields/walk.ts'

/** A field whose stored values do not fit any more; `to` is null when it is removed. */
export interface FieldChange {
  from: Field
  to: Field | null
}

/** What a change of a model would lose, field by field (uid of the old field). */
export interface Loss {
  field: string
  documents: number
  reason: 'removed' | 'typeChanged' | 'multipleOff'
}

/** The fields whose values must be converted. Pure. */
export function fieldChanges(before: Field[], after: Field[]): FieldChange[] {
  const byId = new Map(after.map((field) => [field._id, field]))
  return before.flatMap((from): FieldChange[] => {
    const to = byId.get(from._id) ?? null
    return to === null || needsConversion(from, to) ? [{ from, to }] : []
  })
}

interface StoredDocument {
  id: string
  draft: StoredValues | null
  pub: StoredValues | null
  trashed: boolean
}

/** Enough for few round trips, few enough for documents of 1 MB. */
const batchSize = 100

/** The next of the model's documents that have a value in one of the fields, trash included. */
function batchWith(db: Db, scope: ModelScope, fieldIds: string[], after: string) {
  return db
    .selectFrom('document')
    .select(['id', 'draft', 'pub', 'deleted_at'])
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .where('id', '>', after)
    .where(sql<SqlBool>`(draft ?| ${fieldIds}::text[] OR pub ?| ${fieldIds}::text[])`)
    .orderBy('id')
    .limit(batchSize)
}

/** The model's documents that have a value in one of the fields, trash included, in batches by ascending id. */
async function* documentsWith(
  db: Db,
  scope: ModelScope,
  fieldIds: string[],
): AsyncGenerator<StoredDocument[]> {
  for (let after = ''; ; ) {
    const rows = await batchWith(db, scope, fieldIds, after).execute()
    if (rows.length > 0)
      yield rows.map((row) => ({
        id: row.id,
        draft: row.draft,
        pub: row.pub,
        trashed: row.deleted_at !== null,
      }))
    const last = rows.at(-1)
    if (!last || rows.length < batchSize) return
    after = last.id
  }
}

export const isRemoval = (change: FieldChange) => change.to === null

/** How many of the model's documents, by default with the trash, have a value in one of the fields. */
export async function countDocumentsWith(
  db: Db,
  scope: ModelScope,
  fieldIds: string[],
  { trash = true } = {},
): Promise<number> {
  let query = db
    .selectFrom('document')
    .select(sql<number>`count(*)`.as('count'))
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .where(sql<SqlBool>`(draft ?| ${fieldIds}::text[] OR pub ?| ${fieldIds}::text[])`)
  if (!trash) query = query.where('deleted_at', 'is', null)
  const row = await query.executeTakeFirstOrThrow()
  return row.count
}

/** How many documents (not counting the trash) would lose something, per field and reason. */
export async function countLosses(db: Db, scope: ModelScope, changes: FieldChange[]): Promise<Loss[]> {
  const losses = new Map<FieldChange, Loss>()
  // Of a field that is removed every value is lost: nobody has to look at them.
  for (const change of changes.filter(isRemoval)) {
    const documents = await countDocumentsWith(db, scope, [change.from._id], { trash: false })
    if (documents > 0) losses.set(change, { field: change.from.uid, documents, reason: 'removed' })
  }
  const converted = changes.filter((change) => !isRemoval(change))
  if (converted.length === 0) return changes.flatMap((change) => losses.get(change) ?? [])
  const fieldIds = converted.map((change) => change.from._id)
  const pace = new Pace()
  for await (const batch of documentsWith(db, scope, fieldIds))
    for (const document of batch) {
      await pace.giveWay()
      if (document.trashed) continue
      for (const change of converted) {
        const states = [document.draft, document.pub].map((values) => values?.[change.from._id])
        const lost = await convertWithMarkdown((environment) =>
          states
            .map((value) => convertValue(change.from, change.to, value, environment).lost)
            .find((reason) => reason !== null),
        )
        if (!lost) continue
        const loss = losses.get(change) ?? { field: change.from.uid, documents: 0, reason: lost }
        losses.set(change, { ...loss, documents: loss.documents + 1 })
      }
    }
  return changes.flatMap((change) => losses.get(change) ?? [])
}

/**
 * Rewrites the stored values of every document that a change of fields touches, with the rows that follow from them.
 * Revisions stay as they were written. `model` is the model as it is to be.
 */
export async function convertDocuments(
  db: Db,
  scope: ModelScope,
  model: DerivedModel,
  changes: FieldChange[],
): Promise<void> {
  if (changes.length === 0) return
  const fieldIds = changes.map((change) => change.from._id)
  const pace = new Pace()
  for await (const batch of documentsWith(db, scope, fieldIds)) {
    const converted: StoredDocument[] = []
    for (const document of batch) {
      converted.push(
        await convertWithMarkdown((environment) => convertDocument(document, changes, environment)),
      )
      await pace.giveWay()
    }
    await updateValues(db, scope, converted)
    await writeDerived(db, scope, model, converted.flatMap(stagesOf))
  }
}

/**
 * Takes the values of fields that `model` no longer has out of a batch of documents behind `after`, which it holds
 * meanwhile. Answers how many it changed and the last one's id; null when there are none behind.
 */
export async function removeValues(
  db: Db,
  scope: ModelScope,
  model: DerivedModel,
  fieldIds: string[],
  after: string,
): Promise<{ count: number; last: string | null }> {
  const rows = await batchWith(db, scope, fieldIds, after).forNoKeyUpdate().execute()
  const gone = new Set(fieldIds)
  const rest = (values: StoredValues) =>
    Object.fromEntries(Object.entries(values).filter(([fieldId]) => !gone.has(fieldId)))
  const changed = rows.map(({ id, draft, pub, deleted_at }) =>
    mapStates({ id, draft, pub, trashed: deleted_at !== null }, rest),
  )
  await updateValues(db, scope, changed)
  await writeDerived(db, scope, model, changed.flatMap(stagesOf))
  return { count: rows.length, last: rows.at(-1)?.id ?? null }
}

function convertDocument(
  document: StoredDocument,
  changes: FieldChange[],
  environment: ConversionEnvironment,
): StoredDocument {
  return mapStates(document, (values) => convertValues(values, changes, environment))
}

/** The document with other values; a draft that is then the same as what is published is none. */
function mapStates(document: StoredDocument, map: (values: StoredValues) => StoredValues): StoredDocument {
  const convert = (values: StoredValues | null) => values && map(values)
  const pub = convert(document.pub)
  const draft = convert(document.draft)
  return { ...document, pub, draft: pub && isDeepStrictEqual(draft, pub) ? null : draft }
}

function convertValues(
  values: StoredValues,
  changes: FieldChange[],
  environment: ConversionEnvironment,
): StoredValues {
  const result = { ...values }
  for (const { from, to } of changes) {
    const { value } = convertValue(from, to, values[from._id], environment)
    if (value === undefined) delete result[from._id]
    else result[from._id] = value
  }
  return result
}

function stagesOf({ id, draft, pub }: StoredDocument): StageChange[] {
  const changes: StageChange[] = [{ id, stage: 0, values: draft ?? pub }]
  if (pub) changes.push({ id, stage: 1, values: pub })
  return changes
}

async function updateValues(db: Db, scope: ModelScope, documents: StoredDocument[]): Promise<void> {
  const json = (values: StoredValues | null) => values && JSON.stringify(values)
  await sql`
    UPDATE document SET draft = changed.draft, pub = changed.pub
    FROM unnest(${documents.map((document) => document.id)}::text[],
      ${documents.map((document) => json(document.draft))}::jsonb[],
      ${documents.map((document) => json(document.pub))}::jsonb[]) AS changed (id, draft, pub)
    WHERE document.space_id = ${scope.spaceId} AND document.model_id = ${scope.modelId}
      AND document.id = changed.id`.execute(db)
}

/**
 * Writes the values of unique fields anew after fields changed: of fields that became unique, and of unique ones
 * whose values were converted. Answers the uids of fields in which documents are published with the same value.
 */
export async function rebuildUniqueValues(
  db: Db,
  scope: ModelScope,
  before: Field[],
  after: Field[],
  changes: FieldChange[],
): Promise<string[]> {
  const converted = new Set(changes.map((change) => change.from._id))
  // A field inside of values is told by its `_id`, too, wherever its type is used.
  const uniqueIn = (fields: Field[]) =>
    allFields(fields)
      .filter(isUnique)
      .map((field) => field._id)
  const wasUnique = new Set(uniqueIn(before))
  const touched = new Set(uniqueIn([...before, ...after].filter((field) => converted.has(field._id))))
  const rebuilt = new Set(uniqueIn(after).filter((id) => !wasUnique.has(id) || touched.has(id)))
  const kept = new Set(uniqueIn(after).filter((id) => !rebuilt.has(id)))
  const released = [...wasUnique].filter((id) => !kept.has(id))
  if (released.length > 0)
    await db
      .deleteFrom('document_unique')
      .where('space_id', '=', scope.spaceId)
      .where('model_id', '=', scope.modelId)
      .where('field_id', 'in', released)
      .execute()
  if (rebuilt.size === 0) return []
  const duplicated = new Set<string>()
  const holders = after.filter((field) => uniqueIn([field]).some((id) => rebuilt.has(id)))
  const fieldIds = holders.map((field) => field._id)
  for await (const batch of documentsWith(db, scope, fieldIds)) {
    const values = batch
      .filter((document) => !document.trashed)
      .flatMap(({ id, draft, pub }) =>
        uniqueValuesOf(holders, draft ?? pub, pub)
          .filter(({ fieldId }) => rebuilt.has(fieldId))
          .map((value) => ({ ...value, documentId: id })),
      )
    for (const { fieldId } of await insertUniqueValues(db, scope, values)) duplicated.add(fieldId)
  }
  return holders
    .filter((field) => uniqueIn([field]).some((id) => duplicated.has(id)))
    .map((field) => field.uid)
}
