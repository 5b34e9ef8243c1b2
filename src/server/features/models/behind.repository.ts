import { sql } from 'kysely'
import {
  type Converting,
  convertingFields,
  newestShape,
  reservingFields,
  takenBack,
} from '#server/content/conversion.ts'
import type { Db, ModelScope } from '#server/db/scope.ts'

/* Finds documents to convert or to derive texts from, and splits them into batches. */

/** Number of documents examined at a time. */
const pageSize = 500

/** A document that needs conversion or new texts, with its approximate size. */
interface Behind {
  id: string
  bytes: number
}

/** The documents of a page that need conversion. `last` null: it is the last page. */
export interface Page {
  behind: Behind[]
  seen: number
  last: string | null
}

/**
 * Finds the documents after `after`, including the trash, that have not followed all conversions of the model and are
 * affected by them.
 */
export async function findBehind(db: Db, scope: ModelScope, model: Converting, after: string): Promise<Page> {
  const ids = sql`${[...convertingFields(model)]}::text[]`
  const reserved = [...reservingFields(model)]
  const holdsOld =
    reserved.length === 0
      ? sql`false`
      : sql`EXISTS (SELECT FROM document_unique WHERE model_id = ${scope.modelId} AND document_id = page.id
          AND field_id = ANY(${reserved}::text[]))`
  const versions = takenBack(model)
  const hasKept =
    versions.length === 0
      ? sql`false`
      : sql`EXISTS (SELECT FROM document_before WHERE model_id = ${scope.modelId} AND document_id = page.id
          AND version = ANY(${versions}::int[]))`
  const { rows } = await sql<{ id: string; bytes: number | null }>`
    SELECT id, CASE WHEN shape < ${newestShape(model)} AND (draft ?| ${ids} OR pub ?| ${ids}
        OR ${holdsOld} OR ${hasKept})
      THEN coalesce(pg_column_size(draft), 0) + coalesce(pg_column_size(pub), 0) END AS bytes
    FROM (SELECT id, shape, draft, pub FROM document
      WHERE space_id = ${scope.spaceId} AND model_id = ${scope.modelId} AND id > ${after}
      ORDER BY id LIMIT ${pageSize}) AS page ORDER BY id`.execute(db)
  const behind = rows.flatMap(({ id, bytes }) => (bytes === null ? [] : [{ id, bytes }]))
  const last = rows.length < pageSize ? null : (rows.at(-1)?.id ?? null)
  return { behind, seen: rows.length, last }
}

/** Returns the next documents of the model, including the trash, with the size of their values as text in bytes. */
export async function listSizes(db: Db, scope: ModelScope, after: string, limit: number): Promise<Behind[]> {
  const { rows } = await sql<Behind>`
    SELECT id, coalesce(octet_length(draft::text), 0) + coalesce(octet_length(pub::text), 0) AS bytes FROM document
    WHERE space_id = ${scope.spaceId} AND model_id = ${scope.modelId} AND id > ${after}
    ORDER BY id LIMIT ${limit}`.execute(db)
  return rows
}

/** Maximum bytes of documents in memory, and in one statement. */
const batchBytes = 256 * 1024

/** Removes the next batch from the list and returns its ids: at most `atMost` documents, limited in size. */
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

/** Target range in ms for how long documents are locked, so that users saving them do not notice. */
const held = { atLeast: 50, atMost: 100 }
/**
 * Number of documents per batch. Smaller batches would not shorten the locks, because under load the transaction itself
 * takes time.
 */
export const batchSize = { least: 5, most: 100 }

/** Returns the maximum number of documents in the next batch. `took`: ms for which the previous batch was locked. */
export function nextBatchSize(current: number, took: number): number {
  if (took > held.atMost) return Math.max(batchSize.least, current >> 1)
  return took < held.atLeast ? Math.min(batchSize.most, 2 * current) : current
}
