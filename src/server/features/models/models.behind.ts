import { sql } from 'kysely'
import {
  type Converting,
  convertingFields,
  newestShape,
  reservingFields,
  takenBack,
} from '#server/content/conversion.ts'
import type { Db, ModelScope } from '#server/db/scope.ts'

/* Which documents have not followed the changes of their model yet, and how many of them are handled together. */

/** So many documents are looked at to find the next ones. */
const pageSize = 500

/** A document that is behind and holds values in question, with about how much is stored of it. */
interface Behind {
  id: string
  bytes: number
}

/** Those among a page of documents; `last` null: no page follows. */
export interface Page {
  behind: Behind[]
  seen: number
  last: string | null
}

/**
 * Looks for the documents behind `after`, trash included, that have not followed all conversions of the model and have
 * something to do with them.
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
