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

/** A document to convert or to recompute the texts of, with its approximate size in bytes. */
interface Behind {
  id: string
  bytes: number
}

/**
 * A page of a model's documents. `behind`: the documents that need conversion. `seen`: number of all documents in the
 * page. `last`: id of the last document, or null for the last page.
 */
export interface Page {
  behind: Behind[]
  seen: number
  last: string | null
}

/**
 * Examines the next {@link pageSize} documents with ids greater than `after`, including the trash. Returns the
 * documents in which pending conversions still have to change values or unique reservations.
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

/**
 * Returns up to `limit` documents with ids greater than `after`, including the trash, with the size of their values as
 * text in bytes.
 */
export async function listSizes(db: Db, scope: ModelScope, after: string, limit: number): Promise<Behind[]> {
  const { rows } = await sql<Behind>`
    SELECT id, coalesce(octet_length(draft::text), 0) + coalesce(octet_length(pub::text), 0) AS bytes FROM document
    WHERE space_id = ${scope.spaceId} AND model_id = ${scope.modelId} AND id > ${after}
    ORDER BY id LIMIT ${limit}`.execute(db)
  return rows
}

/** Maximum total bytes of the documents in a batch. A larger document forms a batch of its own. */
const batchBytes = 256 * 1024

/**
 * Removes the next batch from the list and returns its ids: at most `atMost` documents, limited by {@link batchBytes}.
 */
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
 * Minimum and maximum number of documents per batch. Batches below the minimum would not shorten the locks, because
 * under load the transaction itself takes time.
 */
export const batchSize = { least: 5, most: 100 }

/** Returns the maximum number of documents in the next batch. `took`: ms for which the previous batch was locked. */
export function nextBatchSize(current: number, took: number): number {
  if (took > held.atMost) return Math.max(batchSize.least, current >> 1)
  return took < held.atLeast ? Math.min(batchSize.most, 2 * current) : current
}
