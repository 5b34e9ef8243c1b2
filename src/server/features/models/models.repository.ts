import { type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import { type AppScope, type Db, type ModelScope, modelScope } from '#server/db/scope.ts'
import type { ModelTable, Tables } from '#server/db/tables.ts'
import { whenTaken } from '#server/db/unique-violation.ts'
import type { ModelConversion } from '#shared/fields/convert.ts'
import type { Field } from '#shared/fields/index.ts'

/** A model as stored, with the scope of its documents. */
export interface ModelRecord {
  scope: ModelScope
  /** The `_id` on the wire. */
  publicId: string
  uid: string
  name: string
  description: string
  fields: Field[]
  /** `_id` of the title field. */
  titleField: string | null
  /** Changes that not all documents have followed yet, the oldest first. */
  conversions: ModelConversion[]
  version: number
  createdAt: Date
  updatedAt: Date
}

export interface ModelCounts {
  documentCount: number
  publishedCount: number
}

/** What a change of a model writes. */
export type ModelValues = Pick<ModelRecord, 'uid' | 'name' | 'description' | 'fields' | 'titleField'> &
  Partial<Pick<ModelRecord, 'conversions'>>

const whenUidIsTaken = whenTaken('model_uid', 'ModelUidIsAlreadyInUse', 'data.uid')

function toRecord(scope: AppScope, row: Selectable<ModelTable>): ModelRecord {
  return {
    scope: modelScope(scope, row.id),
    publicId: row.public_id,
    uid: row.uid,
    name: row.name,
    description: row.description,
    fields: row.fields,
    titleField: row.title_field,
    conversions: row.conversions,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function liveModels(db: Db, scope: AppScope) {
  return db
    .selectFrom('model')
    .selectAll('model')
    .where('model.space_id', '=', scope.spaceId)
    .where('model.app_id', '=', scope.appId)
    .where('model.deleted_at', 'is', null)
}

/** A model may not change while documents are written by it (`share`), nor they while it changes (`update`). */
export type ModelLock = 'share' | 'update'

function withLock<O>(query: SelectQueryBuilder<Tables, 'model', O>, lock: ModelLock | undefined) {
  if (lock === undefined) return query
  return lock === 'share' ? query.forShare() : query.forUpdate()
}

/** The app's models that are not deleted, in their order. */
export async function listModels(db: Db, scope: AppScope): Promise<ModelRecord[]> {
  const rows = await liveModels(db, scope).orderBy('model.position').orderBy('model.id').execute()
  return rows.map((row) => toRecord(scope, row))
}

/** Undefined when the app has no such model. */
export async function findModel(
  db: Db,
  scope: AppScope,
  uid: string,
  lock?: ModelLock,
): Promise<ModelRecord | undefined> {
  if (lock) await queueFor(db, scope, uid, lock)
  const row = await withLock(liveModels(db, scope).where('model.uid', '=', uid), lock).executeTakeFirst()
  return row && toRecord(scope, row)
}

/** The model of that scope, wherever its uid has moved; undefined when it was deleted. */
export async function findModelById(
  db: Db,
  scope: ModelScope,
  lock?: 'share',
): Promise<ModelRecord | undefined> {
  const query = liveModels(db, scope).where('model.id', '=', scope.modelId)
  const row = await withLock(query, lock).executeTakeFirst()
  return row && toRecord(scope, row)
}

/** {@link findModelById}, locked for a change once it is its turn. */
export async function lockModelById(db: Db, scope: ModelScope): Promise<ModelRecord | undefined> {
  for (;;) {
    const found = await findModelById(db, scope)
    if (!found) return undefined
    const locked = await findModel(db, scope, found.uid, 'update')
    if (locked?.scope.modelId === scope.modelId) return locked
    // It was renamed meanwhile.
  }
}

/** Forgets the conversions that all documents have followed: those up to this version. */
export async function removeConversions(db: Db, model: ModelRecord, upTo: number): Promise<void> {
  const left = model.conversions.filter(({ version }) => version > upTo)
  await db
    .updateTable('model')
    .set({ conversions: JSON.stringify(left) })
    .where('space_id', '=', model.scope.spaceId)
    .where('id', '=', model.scope.modelId)
    .execute()
}

/**
 * Takes turns before a model's row is locked, until the transaction ends: `share` locks of rows are granted past who
 * waits for `update`, so a model whose documents are saved all the time could never be changed. This queue is fair.
 */
async function queueFor(db: Db, scope: AppScope, uid: string, lock: ModelLock): Promise<void> {
  const take = sql.raw(lock === 'share' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock')
  await sql`SELECT ${take}(${scope.appId}::int, hashtext(${uid}))`.execute(db)
}

/** Counters by model id. */
export async function listCounts(db: Db, scope: AppScope, ids: number[]): Promise<Map<number, ModelCounts>> {
  const rows = await db
    .selectFrom('model_stat')
    .select(['model_id', 'documents', 'published'])
    .where('space_id', '=', scope.spaceId)
    .where('model_id', 'in', ids.length > 0 ? ids : [0])
    .execute()
  return new Map(
    rows.map((row) => [row.model_id, { documentCount: row.documents, publishedCount: row.published }]),
  )
}

/** The name of the job that converts documents (models.jobs.ts). */
export const conversionJob = 'models.convert'

/** How far the conversion of a model's documents is. `stopped`: the job failed or was cancelled, and can be run again. */
export interface ConversionState {
  state: 'waiting' | 'running' | 'stopped'
  done: number
  total: number | null
}

/** For each of these models, which are being converted. */
export async function listConversions(
  db: Db,
  scope: AppScope,
  ids: number[],
): Promise<Map<number, ConversionState>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: number } & ConversionState>`
    SELECT wanted.id, coalesce(job.state, 'stopped') AS state, coalesce(job.done, 0) AS done, job.total
    FROM unnest(${ids}::int[]) AS wanted (id) LEFT JOIN LATERAL (
      SELECT state, done, total FROM job WHERE space_id = ${scope.spaceId} AND name = ${conversionJob}
        AND payload->>'modelId' = wanted.id::text AND state IN ('waiting', 'running')
      ORDER BY state LIMIT 1) AS job ON true`.execute(db)
  return new Map(rows.map(({ id, ...state }) => [id, state]))
}

/** Documents that the model has, trash included; counts no further than `atMost`. */
export async function countStored(db: Db, scope: ModelScope, atMost?: number): Promise<number> {
  let documents = db
    .selectFrom('document')
    .select('id')
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
  if (atMost !== undefined) documents = documents.limit(atMost)
  const { count } = await db
    .selectFrom(documents.as('stored'))
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Makes the model, behind all others, and its counters. Throws `ModelUidIsAlreadyInUse`. */
export async function insertModel(
  db: Db,
  scope: AppScope,
  model: ModelValues & { publicId: string },
): Promise<ModelRecord> {
  const row = await db
    .insertInto('model')
    .values({
      space_id: scope.spaceId,
      app_id: scope.appId,
      public_id: model.publicId,
      uid: model.uid,
      name: model.name,
      description: model.description,
      fields: JSON.stringify(model.fields),
      title_field: model.titleField,
      position: sql`(SELECT coalesce(max(position), 0) + 1 FROM model
        WHERE space_id = ${scope.spaceId} AND app_id = ${scope.appId})`,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch(whenUidIsTaken)
  await db.insertInto('model_stat').values({ space_id: scope.spaceId, model_id: row.id }).execute()
  return toRecord(scope, row)
}

/** Writes the model as its next version. Throws `ModelUidIsAlreadyInUse`. */
export async function updateModel(db: Db, scope: ModelScope, values: ModelValues): Promise<ModelRecord> {
  const row = await db
    .updateTable('model')
    .set({
      uid: values.uid,
      name: values.name,
      description: values.description,
      fields: JSON.stringify(values.fields),
      title_field: values.titleField,
      ...(values.conversions ? { conversions: JSON.stringify(values.conversions) } : {}),
      version: sql`version + 1`,
      updated_at: sql`clock_timestamp()`,
    })
    .where('space_id', '=', scope.spaceId)
    .where('id', '=', scope.modelId)
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch(whenUidIsTaken)
  return toRecord(scope, row)
}

/** Puts the models in the order of these ids. */
export async function updateModelOrder(db: Db, scope: AppScope, ids: number[]): Promise<void> {
  await sql`
    UPDATE model SET position = wanted.position
    FROM unnest(${ids}::int[]) WITH ORDINALITY AS wanted (id, position)
    WHERE model.space_id = ${scope.spaceId} AND model.app_id = ${scope.appId} AND model.id = wanted.id`.execute(
    db,
  )
}

/** Marks the model deleted; its uid is free again. */
export async function deleteModel(db: Db, scope: ModelScope): Promise<void> {
  await db
    .updateTable('model')
    .set({ deleted_at: sql`clock_timestamp()` })
    .where('space_id', '=', scope.spaceId)
    .where('id', '=', scope.modelId)
    .execute()
}

/** Holds the app against other changes of its models and against its deletion. False: it is deleted. */
export async function lockApp(db: Db, scope: AppScope): Promise<boolean> {
  const row = await db
    .selectFrom('app')
    .select('id')
    .where('space_id', '=', scope.spaceId)
    .where('id', '=', scope.appId)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** Adds to a model's counters and moves its version on, which is what caches are keyed by. */
export async function addToCounts(
  db: Db,
  scope: ModelScope,
  change: { documents: number; published: number },
): Promise<void> {
  await db
    .updateTable('model_stat')
    .set({
      documents: sql`documents + ${change.documents}`,
      published: sql`published + ${change.published}`,
      version: sql`version + 1`,
    })
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .execute()
}
