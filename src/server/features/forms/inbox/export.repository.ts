import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { SubmissionFile } from '#shared/contract/form-submissions.ts'
import type { SubmissionState, SubmittedValue } from '#shared/forms/fields.ts'
import type { Language } from '#shared/languages.ts'
import { filesOf, newestOf, type Position } from './inbox.repository.ts'

export interface ExportedRow extends Position {
  state: SubmissionState
  email: string | null
  page: string | null
  language: Language
  values: SubmittedValue[]
  files: SubmissionFile[]
}

/** The submissions of one form in these states, older than a position. */
export interface ExportedPart {
  formId: string
  states: readonly SubmissionState[]
  before: Position
}

/** Number of submissions that are read at a time. */
const rowsAtOnce = 200
/** Size in bytes of the values that are read at a time. The last submission may exceed it. */
const bytesAtOnce = 2_000_000

/** Maximum number of submissions that are counted. Counting more may exceed the time limit of a statement. */
const maxCounted = 2_000_000

/** Returns the number of submissions of a form in these states, up to `maxCounted`, and the current time. */
export async function startExport(
  db: Db,
  { spaceId }: SpaceScope,
  { formId, states }: Pick<ExportedPart, 'formId' | 'states'>,
): Promise<{ count: number; now: Date }> {
  const { rows } = await sql<{ count: number; now: Date }>`
    SELECT count(*)::int AS count, now() AS now FROM (SELECT FROM form_submission f
      WHERE f.space_id = ${spaceId} AND f.form_id = ${formId} AND f.state = ANY(${states}::text[])
        AND f.deleted_at IS NULL LIMIT ${sql.lit(maxCounted)}) counted`.execute(db)
  return rows[0] ?? { count: 0, now: new Date() }
}

/** Returns the next submissions, newest first. Their number depends on their size. Empty: no more. */
export async function readExported(
  db: Db,
  scope: SpaceScope,
  { formId, states, before }: ExportedPart,
): Promise<ExportedRow[]> {
  const { rows } = await sql<ExportedRow>`
    WITH page AS MATERIALIZED (${newestOf(scope, formId, { states }, { before, limit: rowsAtOnce })}),
    sized AS (SELECT f.*, sum(octet_length(f."values"::text)) OVER (ORDER BY f.received_at DESC, f.id DESC
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
      FROM page JOIN form_submission f ON f.space_id = ${scope.spaceId} AND f.id = page.id)
    SELECT f.id, f.state, f.email, f.page, f.language, f.received_at AS "receivedAt", f."values", ${filesOf} AS files
    FROM sized f WHERE coalesce(f.before, 0) < ${bytesAtOnce} ORDER BY f.received_at DESC, f.id DESC`.execute(
    db,
  )
  return rows
}

/**
 * Returns the names of the values and files of the next `rows` submissions, at most `limit`, in the order in which they
 * are first sent, and the position after which to continue. `last` null: no more submissions.
 */
export async function readNames(
  db: Db,
  scope: SpaceScope,
  { formId, states, before }: ExportedPart,
  { rows: count, limit }: { rows: number; limit: number },
): Promise<{ names: string[]; last: Position | null }> {
  const { rows } = await sql<{ names: string[] | null; id: string | null; receivedAt: Date | null }>`
    WITH page AS MATERIALIZED (${newestOf(scope, formId, { states }, { before, limit: count })}),
    sent AS (SELECT f.received_at, f.id, name, n
      FROM page JOIN form_submission f ON f.space_id = ${scope.spaceId} AND f.id = page.id
      CROSS JOIN LATERAL (
        SELECT item->>'name' AS name, n FROM json_array_elements(f."values") WITH ORDINALITY AS value (item, n)
        UNION ALL SELECT file.field, ${1_000_000} FROM form_file file
          WHERE f.file_count > 0 AND file.space_id = f.space_id AND file.submission_id = f.id) names),
    found AS (SELECT name, min(n) AS n, max(received_at) AS at FROM sent GROUP BY name
      ORDER BY max(received_at) DESC, min(n), name LIMIT ${limit})
    SELECT (SELECT array_agg(name ORDER BY at DESC, n, name) FROM found) AS names, last.id,
      last.received_at AS "receivedAt"
    FROM (SELECT 1) one LEFT JOIN (SELECT id, received_at FROM page ORDER BY received_at DESC, id DESC
      OFFSET ${count - 1} LIMIT 1) last ON true`.execute(db)
  const { names = null, id = null, receivedAt = null } = rows[0] ?? {}
  return { names: names ?? [], last: id !== null && receivedAt !== null ? { id, receivedAt } : null }
}
