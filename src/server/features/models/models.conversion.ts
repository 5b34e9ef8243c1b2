import { sql } from 'kysely'
import {
  type Converting,
  convertingFields,
  isBehind,
  newestShape,
  statesInNewestShape,
} from '#server/content/conversion.ts'
import {
  type DerivedModel,
  insertUniqueValues,
  type StageChange,
  uniqueValuesOf,
  writeDerived,
} from '#server/content/derived.ts'
import { isUnique } from '#server/content/unique.ts'
import { type Db, inTransaction, type ModelScope } from '#server/db/scope.ts'
import { Pace } from '#server/lib/pace.ts'
import type { FieldChange } from '#shared/fields/convert.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import type { Field } from '#shared/fields/index.ts'
import { allFields } from '#shared/fields/walk.ts'
import { loadResolver } from './models.custom-types.ts'
import { addToCounts, findModelById, listModels, type ModelRecord } from './models.repository.ts'
import { pagesOf } from './models.values.ts'

/*
 * Stored values follow a change of their model's fields: all at once where there are few documents, else a few at a time
 * while people go on reading and saving (docs/decisions/0026). Revisions stay as they were written.
 */

interface StoredDocument {
  id: string
  version: number
  shape: number
  draft: StoredValues | null
  pub: StoredValues | null
}

/** So many documents are looked at to find the next ones. */
const pageSize = 500

/** A document that is behind and holds values in question, with about how much is stored of it. */
interface Behind {
  id: string
  bytes: number
}

/** Those among a page of documents; `last` null: no page follows. */
interface Page {
  behind: Behind[]
  seen: number
  last: string | null
}

/** Looks for documents behind `after` that are stored in an older shape than `shape`, trash included. */
export async function findBehind(
  db: Db,
  scope: ModelScope,
  { shape, fieldIds, after }: { shape: number; fieldIds: string[]; after: string },
): Promise<Page> {
  const ids = sql`${fieldIds}::text[]`
  const { rows } = await sql<{ id: string; bytes: number | null }>`
    SELECT id, CASE WHEN shape < ${shape} AND (draft ?| ${ids} OR pub ?| ${ids})
      THEN coalesce(pg_column_size(draft), 0) + coalesce(pg_column_size(pub), 0) END AS bytes
    FROM (SELECT id, shape, draft, pub FROM document
      WHERE space_id = ${scope.spaceId} AND model_id = ${scope.modelId} AND id > ${after}
      ORDER BY id LIMIT ${pageSize}) AS page ORDER BY id`.execute(db)
  const behind = rows.flatMap(({ id, bytes }) => (bytes === null ? [] : [{ id, bytes }]))
  const last = rows.length < pageSize ? null : (rows.at(-1)?.id ?? null)
  return { behind, seen: rows.length, last }
}

/** What is in memory at once, and in one statement. */
const batchBytes = 256 * 1024

/** Takes the next documents off the list: at most so many, and few enough to be handled together. */
export function takeBatch(behind: Behind[], atMost: number): string[] {
  let bytes = 0
  let count = 0
  for (const document of behind.slice(0, atMost)) {
    bytes += document.bytes
    if (count > 0 && bytes > batchBytes) break
    count++
  }
  return behind.splice(0, count).map(({ id }) => id)
}

/**
 * Converts these documents, as far as they are still behind. The work on their values is done beforehand, so that
 * nothing is held but while it is written; what somebody saves meanwhile is converted by that. Answers for how many
 * milliseconds the documents were held.
 */
export async function convertBatch(db: Db, scope: ModelScope, ids: string[]): Promise<number> {
  const pace = new Pace()
  for (;;) {
    const model = await findModelById(db, scope)
    if (!model) return 0
    const converted: StoredDocument[] = []
    for (const document of await readDocuments(db, scope, ids)) {
      if (isBehind(model, document.shape)) converted.push(await statesInNewestShape(model, document))
      await pace.giveWay()
    }
    let since = performance.now()
    const written = await inTransaction(db, async (tx) => {
      const locked = await findModelById(tx, scope, 'share')
      if (!locked) return true
      // The model was changed once more: these values are not the newest.
      if (newestShape(locked) !== newestShape(model)) return false
      const derived = await derivedModel(tx, locked)
      since = performance.now()
      const rows = await lockDocuments(tx, scope, ids)
      const same = converted.filter(({ id, version, shape }) => rows.get(id) === `${version} ${shape}`)
      if (same.length > 0) {
        await write(tx, scope, derived, same, newestShape(model))
        await addToCounts(tx, scope, { documents: 0, published: 0 })
      }
      return true
    })
    if (written) return performance.now() - since
  }
}

/** The model, its fields whole, with whom its references point to. */
async function derivedModel(db: Db, { scope, fields }: ModelRecord): Promise<DerivedModel> {
  const models = await listModels(db, scope)
  const resolve = await loadResolver(db, scope, fields)
  return {
    fields: resolve(fields),
    targets: new Map(models.map((other) => [other.uid, other.scope.modelId])),
  }
}

/**
 * Converts every document of a small model, in the transaction of the change. `model` is the model as it is to be.
 */
export async function convertDocuments(
  db: Db,
  scope: ModelScope,
  model: DerivedModel,
  changes: FieldChange[],
): Promise<void> {
  if (changes.length === 0) return
  // As a conversion that none of them has followed yet.
  const shape = 2 ** 31 - 1
  const converting: Converting = { conversions: [{ version: shape, changes }] }
  const fieldIds = [...convertingFields(converting)]
  const pace = new Pace()
  for (let after: string | null = ''; after !== null; ) {
    const page: Page = await findBehind(db, scope, { shape, fieldIds, after })
    while (page.behind.length > 0) {
      const ids = takeBatch(page.behind, 100)
      const converted: StoredDocument[] = []
      for (const document of await readDocuments(db, scope, ids)) {
        converted.push(await statesInNewestShape(converting, document))
        await pace.giveWay()
      }
      await write(db, scope, model, converted)
    }
    after = page.last
  }
}

async function readDocuments(db: Db, scope: ModelScope, ids: string[]): Promise<StoredDocument[]> {
  return db
    .selectFrom('document')
    .select(['id', 'version', 'shape', 'draft', 'pub'])
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
}

/** Version and shape of the documents, which stay as they are until the transaction ends. */
async function lockDocuments(db: Db, scope: ModelScope, ids: string[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('document')
    .select(['id', 'version', 'shape'])
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return new Map(rows.map(({ id, version, shape }) => [id, `${version} ${shape}`]))
}

/** Writes documents that the caller holds, with what follows from their values. */
async function write(
  db: Db,
  scope: ModelScope,
  model: DerivedModel,
  documents: StoredDocument[],
  shape?: number,
): Promise<void> {
  const json = (values: StoredValues | null) => values && JSON.stringify(values)
  await sql`
    UPDATE document SET draft = changed.draft, pub = changed.pub, shape = coalesce(${shape ?? null}::int, shape)
    FROM unnest(${documents.map((document) => document.id)}::text[],
      ${documents.map((document) => json(document.draft))}::jsonb[],
      ${documents.map((document) => json(document.pub))}::jsonb[]) AS changed (id, draft, pub)
    WHERE document.space_id = ${scope.spaceId} AND document.model_id = ${scope.modelId}
      AND document.id = changed.id`.execute(db)
  await writeDerived(db, scope, model, documents.flatMap(stagesOf))
}

function stagesOf({ id, draft, pub }: StoredDocument): StageChange[] {
  const changes: StageChange[] = [{ id, stage: 0, values: draft ?? pub }]
  if (pub) changes.push({ id, stage: 1, values: pub })
  return changes
}

/**
 * Writes the values of unique fields anew after fields changed: of fields that became unique, and of unique ones
 * whose values were converted. Answers the uids of fields in which documents are published with the same value.
 */
export async function rebuildUniqueValues(
  db: Db,
  model: ModelRecord,
  before: Field[],
  after: Field[],
  changes: FieldChange[],
): Promise<string[]> {
  const { scope } = model
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
  for await (const page of pagesOf(db, scope, fieldIds)) {
    const values = []
    for (const stored of page) {
      if (stored.trashed) continue
      const { id, draft, pub } = await statesInNewestShape(model, stored)
      for (const value of uniqueValuesOf(holders, draft ?? pub, pub))
        if (rebuilt.has(value.fieldId)) values.push({ ...value, documentId: id })
    }
    for (const { fieldId } of await insertUniqueValues(db, scope, values)) duplicated.add(fieldId)
  }
  return holders
    .filter((field) => uniqueIn([field]).some((id) => duplicated.has(id)))
    .map((field) => field.uid)
}
