import { type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import { notifying } from '#server/db/notices.ts'
import { type AppScope, type Db, type ModelScope, modelScope, planningOnce } from '#server/db/scope.ts'
import type { ModelTable, Tables } from '#server/db/tables.ts'
import { whenTaken } from '#server/db/unique-violation.ts'
import type { ModelConversion } from '#shared/fields/convert.ts'
import type { Field } from '#shared/fields/index.ts'
import { readConversion, storeConversion } from '#shared/fields/stored-conversions.ts'

export interface ModelRecord {
  scope: ModelScope
  /** The `_id` in the API. */
  publicId: string
  uid: string
  name: string
  description: string
  fields: Field[]
  /** `_id` of the title field. */
  titleField: string | null
  /** Changes that are not yet applied to all documents, oldest first. */
  conversions: ModelConversion[]
  version: number
  createdAt: Date
  updatedAt: Date
}

export interface ModelCounts {
  documentCount: number
  publishedCount: number
}

export type ModelValues = Pick<ModelRecord, 'uid' | 'name' | 'description' | 'fields' | 'titleField'>

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
    conversions: row.conversions.map(readConversion),
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

/** Lock of a model: `share` prevents changes while documents are written, `update` also prevents such writes. */
export type ModelLock = 'share' | 'update'

function withLock<O>(query: SelectQueryBuilder<Tables, 'model', O>, lock: ModelLock | undefined) {
  if (lock === undefined) return query
  return lock === 'share' ? query.forShare() : query.forUpdate()
}

/** Returns the app's models that are not deleted, in their order. */
export async function listModels(db: Db, scope: AppScope): Promise<ModelRecord[]> {
  const rows = await liveModels(db, scope).orderBy('model.position').orderBy('model.id').execute()
  return rows.map((row) => toRecord(scope, row))
}

/** Returns a model. undefined: the app has no such model. */
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

/** Returns the model with that scope, regardless of its uid. undefined: it was deleted. */
export async function findModelById(
  db: Db,
  scope: ModelScope,
  lock?: 'share',
): Promise<ModelRecord | undefined> {
  const query = liveModels(db, scope).where('model.id', '=', scope.modelId)
  const row = await withLock(query, lock).executeTakeFirst()
  return row && toRecord(scope, row)
}

/** Returns the model like {@link findModelById}, locked for a change. Waits in the model's queue ({@link queueFor}). */
export async function lockModelById(db: Db, scope: ModelScope): Promise<ModelRecord | undefined> {
  for (;;) {
    const found = await findModelById(db, scope)
    if (!found) return undefined
    const locked = await findModel(db, scope, found.uid, 'update')
    if (locked?.scope.modelId === scope.modelId) return locked
    // The model was renamed meanwhile, so the loop tries again.
  }
}

/** Increments the model's version and adds a conversion that is not yet applied to its documents. */
export async function addConversion(
  db: Db,
  scope: ModelScope,
  conversion: Omit<ModelConversion, 'version'>,
): Promise<ModelRecord> {
  const stored = JSON.stringify(storeConversion(conversion))
  const row = await db
    .updateTable('model')
    .set({
      version: sql`version + 1`,
      conversions: sql`conversions || jsonb_build_array(
        jsonb_build_object('version', version + 1) || ${stored}::jsonb)`,
    })
    .where('space_id', '=', scope.spaceId)
    .where('id', '=', scope.modelId)
    .returningAll()
    .executeTakeFirstOrThrow()
  return toRecord(scope, row)
}

/**
 * Takes an advisory lock until the transaction ends, before the row is locked. Otherwise a change of a model with
 * continuous saves might wait forever: PostgreSQL grants `share` row locks although an `update` is waiting. Advisory
 * locks are fair.
 */
async function queueFor(db: Db, scope: AppScope, uid: string, lock: ModelLock): Promise<void> {
  await turnFor(scope, uid, lock).execute(db)
}

function turnFor(scope: AppScope, uid: string, lock: ModelLock) {
  const take = sql.raw(lock === 'share' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock')
  return sql`SELECT ${take}(${scope.appId}::int, hashtext(${uid}))`
}

/** A model with the context for writing its documents. */
export interface OpenedModel extends ModelRecord {
  /** Ids of the app's models, itself included, by uid. */
  modelIds: Map<string, number>
  /** Time of the database's clock after the model was read and, if requested, locked. */
  openedAt: Date
}

/**
 * Finds a model like {@link findModel}, for reading or writing its documents. One statement queues and locks if
 * requested, and then reads the clock. With a lock, later statements of the transaction use generic plans ({@link
 * planningOnce}).
 */
export async function openModel(
  db: Db,
  scope: AppScope,
  uid: string,
  lock?: 'share',
): Promise<OpenedModel | undefined> {
  const mine = liveModels(db, scope).where('model.uid', '=', uid)
  const locked = lock ? withLock(mine.where(sql<boolean>`EXISTS (SELECT FROM turn)`), lock) : mine
  const { rows } = await sql<Selectable<ModelTable> & { ids: Record<string, number>; now: Date }>`
    WITH turn AS MATERIALIZED (${lock ? turnFor(scope, uid, lock) : sql`SELECT WHERE false`})
    SELECT found.*, clock_timestamp()::timestamptz(3) AS now, ${lock ? planningOnce : null} AS planning, (
      SELECT jsonb_object_agg(other.uid, other.id) FROM (${liveModels(db, scope)}) AS other) AS ids
    FROM (${locked}) AS found`.execute(db)
  const [row] = rows
  if (!row) return undefined
  return { ...toRecord(scope, row), modelIds: new Map(Object.entries(row.ids)), openedAt: row.now }
}

/** Returns the counters by model id. */
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

/** Inserts the model after all others, with its counters. Throws `ModelUidIsAlreadyInUse`. */
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

/** Updates the model and increments its version. Throws `ModelUidIsAlreadyInUse`. */
export async function updateModel(db: Db, scope: ModelScope, values: ModelValues): Promise<ModelRecord> {
  const row = await db
    .updateTable('model')
    .set({
      uid: values.uid,
      name: values.name,
      description: values.description,
      fields: JSON.stringify(values.fields),
      title_field: values.titleField,
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

/** Increments the model's version because a custom type of its fields has changed. */
export async function raiseVersion(db: Db, scope: ModelScope): Promise<ModelRecord> {
  const row = await db
    .updateTable('model')
    .set({ version: sql`version + 1` })
    .where('space_id', '=', scope.spaceId)
    .where('id', '=', scope.modelId)
    .returningAll()
    .executeTakeFirstOrThrow()
  return toRecord(scope, row)
}

/** Sorts the models in the order of these ids. */
export async function updateModelOrder(db: Db, scope: AppScope, ids: number[]): Promise<void> {
  await sql`
    UPDATE model SET position = wanted.position
    FROM unnest(${ids}::int[]) WITH ORDINALITY AS wanted (id, position)
    WHERE model.space_id = ${scope.spaceId} AND model.app_id = ${scope.appId} AND model.id = wanted.id`.execute(
    db,
  )
}

/** Marks the model as deleted, which frees its uid. */
export async function deleteModel(db: Db, scope: ModelScope): Promise<void> {
  await db
    .updateTable('model')
    .set({ deleted_at: sql`clock_timestamp()` })
    .where('space_id', '=', scope.spaceId)
    .where('id', '=', scope.modelId)
    .execute()
}

/** Locks the app against other changes of its models and against deletion. Returns false if the app is deleted. */
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

/** Updates a model's counters, increments the version that caches use as key, and notifies every process. */
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
    .returning(notifying({ kind: 'model', modelId: scope.modelId }).as('told'))
    .execute()
}
