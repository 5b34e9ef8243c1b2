import { type RawBuilder, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { FormField, SubmittedValue } from '#shared/forms/fields.ts'
import type { FormNotification, FormReply } from '#shared/forms/mail.ts'
import type { Language } from '#shared/languages.ts'

/** The parts of a form that its mails need. */
export interface MailedForm {
  id: string
  name: string
  fields: FormField[]
  notification: FormNotification
  reply: FormReply
  /** Milliseconds until the next notification may be sent. 0: now. */
  waitMs: number
  space: { uid: string; name: string }
}

/**
 * Returns a form and locks its row. The lock waits for transactions that insert submissions, which hold a key share
 * lock of the form. A job that starts before their commit therefore sees their rows. undefined: the form is in the
 * trash, or its space is deleted.
 */
export async function lockMailedForm(
  db: Db,
  { spaceId }: SpaceScope,
  formId: string,
): Promise<MailedForm | undefined> {
  const { rows } = await sql<Omit<MailedForm, 'space'> & { spaceUid: string; spaceName: string }>`
    SELECT form.id, form.name, form.fields, form.notification, form.reply,
      greatest(0, ceil(extract(epoch FROM coalesce(form.notify_after, now()) - now()) * 1000))::int AS "waitMs",
      space.uid AS "spaceUid", space.name AS "spaceName"
    FROM form JOIN space ON space.id = form.space_id
    WHERE form.space_id = ${spaceId} AND form.id = ${formId}
      AND form.deleted_at IS NULL AND space.deleted_at IS NULL
    FOR UPDATE OF form`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { spaceUid, spaceName, ...form } = row
  return { ...form, space: { uid: spaceUid, name: spaceName } }
}

/**
 * Records a test mail of a form. Returns false without an effect if the previous one was recorded within `seconds`. A
 * time in the future was recorded before the clock was set back.
 */
export async function recordTestMail(
  db: Db,
  { spaceId }: SpaceScope,
  formId: string,
  seconds: number,
): Promise<boolean> {
  const { rows } = await sql`
    UPDATE form SET test_mailed_at = now()
    WHERE space_id = ${spaceId} AND id = ${formId} AND (test_mailed_at IS NULL OR test_mailed_at > now()
      OR test_mailed_at <= now() - make_interval(secs => ${seconds}))
    RETURNING id`.execute(db)
  return rows.length > 0
}

/** A submission whose values are mailed. */
export interface MailedSubmission {
  id: string
  values: SubmittedValue[]
  email: string | null
  language: Language
  fileCount: number
}

/** The kinds of mails that a submission can wait for. */
type Awaited = 'notification' | 'reply'
const flags = { notification: sql.ref('awaits_notification'), reply: sql.ref('awaits_reply') } as const

/** Condition of submissions that cause mails: all except spam and submissions in the trash. */
const isMailable = (alias: string): RawBuilder<boolean> =>
  sql`(${sql.ref(`${alias}.state`)} <> 'spam' AND ${sql.ref(`${alias}.deleted_at`)} IS NULL)`

/** Returns the number of submissions that wait for a kind of mail, counted up to `limit`. */
export async function countAwaiting(
  db: Db,
  { spaceId }: SpaceScope,
  formId: string,
  kind: Awaited,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM (SELECT FROM form_submission
      WHERE space_id = ${spaceId} AND form_id = ${formId} AND ${flags[kind]} LIMIT ${limit}) AS awaiting`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** Statement that ends the waiting of up to `limit` submissions, oldest first. */
const end = ({ spaceId }: SpaceScope, formId: string, kind: Awaited, limit: number) => sql`
  UPDATE form_submission AS s SET ${flags[kind]} = false
  FROM (SELECT id FROM form_submission WHERE space_id = ${spaceId} AND form_id = ${formId} AND ${flags[kind]}
    ORDER BY received_at, id LIMIT ${limit} FOR UPDATE) AS awaiting
  WHERE s.space_id = ${spaceId} AND s.id = awaiting.id`

/** Ends the waiting of up to `limit` submissions. Returns them, oldest first, without spam and without the trash. */
export async function takeAwaiting(
  db: Db,
  scope: SpaceScope,
  formId: string,
  kind: Awaited,
  limit: number,
): Promise<MailedSubmission[]> {
  const { rows } = await sql<MailedSubmission>`
    WITH taken AS (${end(scope, formId, kind, limit)}
      RETURNING s.id, s.values, s.email, s.language, s.file_count, s.received_at, ${isMailable('s')} AS mailable)
    SELECT id, values, email, language, file_count AS "fileCount" FROM taken
    WHERE mailable ORDER BY received_at, id`.execute(db)
  return rows
}

/** Ends the waiting of up to `limit` submissions and returns their number, without spam and those in the trash. */
export async function countTaken(
  db: Db,
  scope: SpaceScope,
  formId: string,
  kind: Awaited,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    WITH taken AS (${end(scope, formId, kind, limit)} RETURNING ${isMailable('s')} AS mailable)
    SELECT (count(*) FILTER (WHERE mailable))::int AS count FROM taken`.execute(db)
  return rows[0]?.count ?? 0
}

/** Delays the next notification of a form by `minutes`. */
export async function delayNotification(
  db: Db,
  { spaceId }: SpaceScope,
  formId: string,
  minutes: number,
): Promise<void> {
  await db
    .updateTable('form')
    .set({ notify_after: sql<Date>`now() + make_interval(mins => ${minutes})` })
    .where('space_id', '=', spaceId)
    .where('id', '=', formId)
    .execute()
}

/** Records for submissions whether their automatic reply is sent. */
export async function markReplies(
  db: Db,
  { spaceId }: SpaceScope,
  ids: string[],
  state: 'queued' | 'limited',
): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('form_submission')
    .set({ reply_state: state })
    .where('space_id', '=', spaceId)
    .where('id', 'in', ids)
    .execute()
}
