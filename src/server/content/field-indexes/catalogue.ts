import type pg from 'pg'
import type { FieldIndex } from '#server/db/field-indexes.ts'
import type { Field } from '#shared/fields/index.ts'

/*
 * The stored state of field indexes: `field_index` (a row is written before its index is built), PostgreSQL's
 * catalogue, and `field_index_use`. In `field_index_use`, server processes record the indexes that list queries would
 * use.
 */

/** An existing index: a row of `field_index`, an index on a partition, or both. */
export interface KnownIndex {
  name: string
  model_id: number | null
  field_id: string | null
  keys: string | null
  partition: string | null
  valid: boolean | null
}

const namePattern = /^field_index_\d+_[0-9a-f]{24}(?:_\w+)?$/

export async function readKnown(db: pg.Client): Promise<KnownIndex[]> {
  const { rows } = await db.query<KnownIndex>(
    `SELECT coalesce(f.name, i.name) AS name, f.model_id, f.field_id, f.keys, i.partition, i.valid
     FROM field_index f FULL JOIN (
       SELECT c.relname::text COLLATE "C" AS name, t.relname AS partition, i.indisvalid AS valid
       FROM pg_inherits p JOIN pg_class t ON t.oid = p.inhrelid JOIN pg_index i ON i.indrelid = t.oid
         JOIN pg_class c ON c.oid = i.indexrelid
       WHERE p.inhparent = 'document'::regclass AND c.relname ~ '^field_index_[0-9]'
     ) i ON i.name = f.name`,
  )
  return rows.filter(({ name }) => namePattern.test(name))
}

/** Reads the names of the valid indexes. */
export async function readUsable(db: Pick<pg.Pool, 'query'>): Promise<Set<string>> {
  const { rows } = await db.query<{ name: string }>(
    `SELECT c.relname::text AS name FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
     WHERE c.relkind = 'i' AND c.relname ~ '^field_index_[0-9]' AND i.indisvalid`,
  )
  return new Set(rows.map(({ name }) => name))
}

export interface IndexedModel {
  fields: Field[]
  published: number
  /** Number of documents outside the trash. */
  documents: number
}

/** Reads the existing models among `ids`, and all models with more than `largeFrom` published documents. */
export async function readModels(
  db: pg.Client,
  ids: number[],
  largeFrom: number,
): Promise<Map<number, IndexedModel>> {
  const { rows } = await db.query<{ id: number } & IndexedModel>(
    `SELECT m.id, m.fields, s.published, s.documents FROM model m JOIN model_stat s ON s.model_id = m.id
       JOIN app a ON a.id = m.app_id JOIN space p ON p.id = m.space_id
     WHERE (m.id = ANY($1) OR s.published > $2)
       AND m.deleted_at IS NULL AND a.deleted_at IS NULL AND p.deleted_at IS NULL`,
    [ids, largeFrom],
  )
  return new Map(rows.map(({ id, ...model }) => [id, model]))
}

/** A recorded use, in the form of the index that would serve it. */
export type NotedUse = Omit<FieldIndex, 'texts' | 'stage'> & { name: string; notedAt: string }

export async function readUses(db: pg.Client): Promise<NotedUse[]> {
  const { rows } = await db.query<NotedUse>(
    `SELECT name, model_id AS "modelId", field_id AS "fieldId", keys, noted_at::text AS "notedAt" FROM field_index_use`,
  )
  return rows
}

/** Deletes processed uses, except those recorded again in the meantime. */
export async function removeUses(db: pg.Client, uses: NotedUse[]): Promise<void> {
  await db.query(
    `DELETE FROM field_index_use AS use USING unnest($1::text[], $2::timestamptz[]) AS seen (name, noted_at)
     WHERE use.name = seen.name AND use.noted_at <= seen.noted_at`,
    [uses.map(({ name }) => name), uses.map(({ notedAt }) => notedAt)],
  )
}

export async function markUsed(db: pg.Client, name: string): Promise<void> {
  await db.query('UPDATE field_index SET last_used_at = now() WHERE name = $1', [name])
}

export async function drop(db: pg.Client, name: string): Promise<void> {
  await db.query(`DROP INDEX CONCURRENTLY IF EXISTS "${name}"`)
  await db.query('DELETE FROM field_index WHERE name = $1', [name])
}
