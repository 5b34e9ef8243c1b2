import { type RawBuilder, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { countedSubmissions, type SubmissionFile } from '#shared/contract/form-submissions.ts'
import type { SubmissionState, SubmittedValue } from '#shared/forms/fields.ts'
import type { Language } from '#shared/languages.ts'

export interface SubmissionRow {
  id: string
  state: SubmissionState
  email: string | null
  preview: { name: string; value: string }[]
  fileCount: number
  receivedAt: Date
  /** null: not in the trash. */
  deletedAt: Date | null
}

export interface DetailRow extends SubmissionRow {
  values: SubmittedValue[]
  files: SubmissionFile[]
  page: string | null
  language: Language
  replyState: 'queued' | 'limited' | null
  updatedAt: Date
}

/** The position of a submission in a list, which is ordered by time and id. */
export interface Position {
  receivedAt: Date
  id: string
}

/** The submissions of one form in these states that are not in the trash, or those in the trash in every state. */
export type Selection = { states: readonly SubmissionState[] } | 'trash'

/**
 * Selects `id` and `received_at` of the newest submissions of a selection, at most `limit`. Each state is read from its
 * index, because no index has several states in the order of time.
 */
export function newestOf(
  { spaceId }: SpaceScope,
  formId: string,
  selection: Selection,
  { before, limit }: { before?: Position | undefined; limit: number },
): RawBuilder<Pick<SubmissionRow, 'id'>> {
  const newest = (condition: RawBuilder<unknown>) => sql<Pick<SubmissionRow, 'id'>>`
    SELECT f.id, f.received_at FROM form_submission f
    WHERE f.space_id = ${spaceId} AND f.form_id = ${formId} AND ${condition}
      ${before ? sql`AND (f.received_at, f.id) < (${before.receivedAt}::timestamptz, ${before.id})` : sql``}
    ORDER BY f.received_at DESC, f.id DESC LIMIT ${sql.lit(limit)}`
  if (selection === 'trash') return newest(sql`f.deleted_at IS NOT NULL`)
  return sql`
    SELECT p.id, p.received_at FROM unnest(${selection.states}::text[]) AS s (state)
    CROSS JOIN LATERAL (${newest(sql`f.state = s.state AND f.deleted_at IS NULL`)}) p
    ORDER BY p.received_at DESC, p.id DESC LIMIT ${sql.lit(limit)}`
}

// Literals, so that the plan of a prepared statement expects the right numbers of rows.
const previewed = sql.lit(4)
const previewLength = sql.lit(120)

/**
 * The first values of the submission `f` that are not blank. The value is computed here, so that the server does not
 * load whole submissions.
 */
const preview = sql<SubmissionRow['preview']>`(SELECT coalesce(json_agg(shown), '[]') FROM (
    SELECT name, value FROM json_array_elements(f."values") WITH ORDINALITY AS sent (item, n)
      CROSS JOIN LATERAL (SELECT item->>'name' AS name,
        CASE WHEN json_typeof(item->'value') = 'array' THEN (SELECT left(string_agg(left(part, ${previewLength}), ', '),
            ${previewLength}) FROM (SELECT part FROM json_array_elements_text(item->'value') AS part
              WHERE part <> '' LIMIT ${previewLength}) parts)
          ELSE left(item->>'value', ${previewLength}) END AS value) texts
    WHERE value ~ '\\S' ORDER BY n LIMIT ${previewed}) shown)`

const columns = sql`f.id, f.state, f.email, f.file_count AS "fileCount", f.received_at AS "receivedAt",
  f.deleted_at AS "deletedAt", ${preview} AS preview`

/** Returns the newest submissions of a selection, at most `limit`. */
export async function listSubmissions(
  db: Db,
  scope: SpaceScope,
  formId: string,
  selection: Selection,
  part: { before?: Position | undefined; limit: number },
): Promise<SubmissionRow[]> {
  const { rows } = await sql<SubmissionRow>`
    WITH page AS MATERIALIZED (${newestOf(scope, formId, selection, part)})
    SELECT ${columns} FROM page JOIN form_submission f ON f.space_id = ${scope.spaceId} AND f.id = page.id
    ORDER BY page.received_at DESC, page.id DESC`.execute(db)
  return rows
}

/** Returns the number of submissions of a form by state, without those in the trash, up to `countedSubmissions`. */
export async function countSubmissions(
  db: Db,
  { spaceId }: SpaceScope,
  formId: string,
  states: readonly SubmissionState[],
): Promise<Map<SubmissionState, number>> {
  const { rows } = await sql<{ state: SubmissionState; count: number }>`
    SELECT s.state, (SELECT count(*)::int FROM (SELECT FROM form_submission f
      WHERE f.space_id = ${spaceId} AND f.form_id = ${formId} AND f.state = s.state AND f.deleted_at IS NULL
      LIMIT ${sql.lit(countedSubmissions)}) counted) AS count
    FROM unnest(${states}::text[]) AS s (state)`.execute(db)
  return new Map(rows.map(({ state, count }) => [state, count]))
}

/*
 * Submissions are found by their primary key alone. With a condition on the form, PostgreSQL would search all
 * submissions of the form in an index for lists, until it has statistics of the table.
 */

/** Returns the position of a submission of a form, also of one in the trash. */
export async function findPosition(
  db: Db,
  { spaceId }: SpaceScope,
  formId: string,
  id: string,
): Promise<Position | undefined> {
  const row = await db
    .selectFrom('form_submission')
    .select(['form_id', 'id', 'received_at as receivedAt'])
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.form_id === formId ? row : undefined
}

/** Selects the files of the submission `f` in a stable order. */
export const filesOf = sql<SubmissionFile[]>`CASE WHEN f.file_count = 0 THEN '[]' ELSE (
    SELECT coalesce(json_agg(json_build_object('_id', file.id, 'name', file.field, 'fileName', file.file_name,
      'fileType', file.media_type, 'fileSize', file.size) ORDER BY file.field, file.file_name, file.id), '[]')
    FROM form_file file WHERE file.space_id = f.space_id AND file.submission_id = f.id) END`

/** Returns a submission of a form with all values and files, also one in the trash. */
export async function findSubmission(
  db: Db,
  { spaceId }: SpaceScope,
  formId: string,
  id: string,
): Promise<DetailRow | undefined> {
  const { rows } = await sql<DetailRow & { formId: string }>`
    SELECT ${columns}, f.form_id AS "formId", f."values", ${filesOf} AS files, f.page, f.language,
      f.reply_state AS "replyState",
      f.updated_at AS "updatedAt"
    FROM form_submission f WHERE f.space_id = ${spaceId} AND f.id = ${id}`.execute(db)
  return rows[0]?.formId === formId ? rows[0] : undefined
}

/**
 * Locks submissions of a form, also those in the trash. Returns the ones that exist. The rows are locked in the order
 * of their ids, so that concurrent calls do not wait for each other in a circle.
 */
export async function lockSubmissions(
  db: Db,
  { spaceId }: SpaceScope,
  formId: string,
  ids: readonly string[],
): Promise<Pick<SubmissionRow, 'id' | 'state' | 'deletedAt'>[]> {
  const rows = await db
    .selectFrom('form_submission')
    .select(['form_id', 'id', 'state', 'deleted_at as deletedAt'])
    .where('space_id', '=', spaceId)
    .where(sql<boolean>`id = ANY(${ids}::text[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return rows.filter(({ form_id }) => form_id === formId)
}

/** Sets the state of submissions. */
export async function updateState(
  db: Db,
  { spaceId }: SpaceScope,
  ids: readonly string[],
  state: SubmissionState,
): Promise<void> {
  await db
    .updateTable('form_submission')
    .set({ state, updated_at: sql`now()` })
    .where('space_id', '=', spaceId)
    .where(sql<boolean>`id = ANY(${ids}::text[])`)
    .execute()
}

/** Moves submissions to the trash, or restores them. */
export async function setTrashed(
  db: Db,
  { spaceId }: SpaceScope,
  ids: readonly string[],
  trashed: boolean,
): Promise<void> {
  await db
    .updateTable('form_submission')
    .set({ deleted_at: trashed ? sql`now()` : null, updated_at: sql`now()` })
    .where('space_id', '=', spaceId)
    .where(sql<boolean>`id = ANY(${ids}::text[])`)
    .execute()
}

export interface FormFileRow {
  fileName: string
  size: number
  storage: string
  storageKey: string
}

/** Returns a file of a submission of a form, also of one in the trash. */
export const findFormFile = (
  db: Db,
  { spaceId }: SpaceScope,
  { formId, submissionId, fileId }: { formId: string; submissionId: string; fileId: string },
): Promise<FormFileRow | undefined> =>
  db
    .selectFrom('form_file')
    .select(['file_name as fileName', 'size', 'storage', 'storage_key as storageKey'])
    .where('space_id', '=', spaceId)
    .where('form_id', '=', formId)
    .where('submission_id', '=', submissionId)
    .where('id', '=', fileId)
    .executeTakeFirst()
