import { type SqlBool, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'

/*
 * Bases: for each imported document, its state at the source and its version in the app after the last import. If a
 * user keeps the app's state in an update, the base gets the rejected state of the source. Bases distinguish changes at
 * the source from changes in the app.
 */

/** State of a document at the source. It changes with every edit at the source. */
export interface SourceState {
  updatedAt: Date
  publishedAt: Date | null
  customOrder: number | null
}

export interface Base extends SourceState {
  /** Version of the document in the app after its last import. 0: unknown. */
  version: number
}

export const sourceStateOf = ({ updatedAt, publishedAt, customOrder }: SourceState): SourceState => ({
  updatedAt,
  publishedAt,
  customOrder,
})

/** Returns whether both are the same state at the source. */
export const isSameState = (one: SourceState, other: SourceState): boolean =>
  one.updatedAt.getTime() === other.updatedAt.getTime() &&
  one.publishedAt?.getTime() === other.publishedAt?.getTime() &&
  one.customOrder === other.customOrder

/** Inserts or updates bases. */
export async function putBases(
  db: Db,
  { spaceId }: SpaceScope,
  { moveId, modelId }: { moveId: string; modelId: number },
  bases: readonly (Base & { id: string })[],
): Promise<void> {
  if (bases.length === 0) return
  const given = bases.map(({ id, version, updatedAt, publishedAt, customOrder }) => ({
    id,
    version,
    updated: updatedAt.getTime() / 1000,
    published: publishedAt && publishedAt.getTime() / 1000,
    custom_order: customOrder,
  }))
  await sql`INSERT INTO moved_document (space_id, model_id, document_id, move_id, version, updated_at, published_at, custom_order)
    SELECT ${spaceId}::int, ${modelId}::int, id, ${moveId}, version, to_timestamp(updated), to_timestamp(published), custom_order
    FROM jsonb_to_recordset(${storedJson(given)}::jsonb) AS given (
      id text, version int, updated float8, published float8, custom_order float8)
    ON CONFLICT (space_id, model_id, document_id) DO UPDATE SET move_id = excluded.move_id, version = excluded.version,
      updated_at = excluded.updated_at, published_at = excluded.published_at, custom_order = excluded.custom_order`.execute(
    db,
  )
}

/** Returns the bases of the documents of a model by `_id`. `ids`: only the bases of these documents. */
export async function findBases(
  db: Db,
  { spaceId }: SpaceScope,
  modelId: number,
  ids?: readonly string[],
): Promise<Map<string, Base>> {
  const rows = db
    .selectFrom('moved_document')
    .select(['document_id as id', 'version', 'custom_order as customOrder'])
    .select(['updated_at as updatedAt', 'published_at as publishedAt'])
    .where('space_id', '=', spaceId)
    .where('model_id', '=', modelId)
  const found = await (ids
    ? rows.where(sql<SqlBool>`document_id = ANY(${[...ids]}::text[])`)
    : rows
  ).execute()
  return new Map(found.map(({ id, ...base }) => [id, base]))
}

/** Deletes the bases of these documents. */
export async function forgetBases(
  db: Db,
  { spaceId }: SpaceScope,
  modelId: number,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  await db
    .deleteFrom('moved_document')
    .where('space_id', '=', spaceId)
    .where('model_id', '=', modelId)
    .where(sql<SqlBool>`document_id = ANY(${[...ids]}::text[])`)
    .execute()
}

export async function deleteBases(db: Db, { spaceId }: SpaceScope, moveId: string): Promise<void> {
  await db
    .deleteFrom('moved_document')
    .where('space_id', '=', spaceId)
    .where('move_id', '=', moveId)
    .execute()
}
