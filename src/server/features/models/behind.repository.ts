import { sql } from 'kysely'
import {
  type Converting,
  convertingFields,
  newestShape,
  reservingFields,
  takenBack,
} from '#server/content/conversion.ts'
import type { Db, ModelScope } from '#server/db/scope.ts'

/* Finds documents that have not been converted yet, and splits them into batches. */

/** Documents examined at a time. */
const pageSize = 500

/** A document that needs conversion, with its approximate size. */
interface Behind {
  id: string
  bytes: number
}

/** The documents of a page that need conversion; `last` null: it is the last page. */
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

/** Maximum bytes in memory at once, and in one statement. */
const batchBytes = 256 * 1024

/** Removes the next batch from the list: at most `atMost` documents, limited in size. */
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
