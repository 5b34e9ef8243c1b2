import { sql } from 'kysely'
import type { Db, SpaceScope, Tx } from '#server/db/scope.ts'

/** Number of days for which forms and submissions stay in the trash, and forms of a deleted space. */
const trashDays = 30

const longAgo = (moment: string) => sql`${sql.raw(moment)} < now() - make_interval(days => ${trashDays})`

/** A deleted row, for the audit log. */
interface Deleted {
  spaceId: number
  id: string
}

/** Returns the forms of a space whose time in the trash has ended, and all forms if the one of the space has ended. */
export async function listExpiredForms(db: Db, { spaceId }: SpaceScope): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT form.id FROM form JOIN space ON space.id = form.space_id
    WHERE form.space_id = ${spaceId} AND ${longAgo('least(form.deleted_at, space.deleted_at)')}`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Deletes up to `limit` submissions of an expired form, and the form with the last of them. Returns null if submissions
 * may remain. Returns no row if the form was restored or is locked.
 */
export async function deleteExpiredForm(
  tx: Tx,
  { spaceId }: SpaceScope,
  id: string,
  limit: number,
): Promise<Deleted[] | null> {
  const { rows } = await sql`
    SELECT FROM form JOIN space ON space.id = form.space_id
    WHERE form.space_id = ${spaceId} AND form.id = ${id} AND ${longAgo('least(form.deleted_at, space.deleted_at)')}
    FOR UPDATE OF form SKIP LOCKED`.execute(tx)
  if (rows.length === 0) return []
  const { numAffectedRows } = await sql`
    DELETE FROM form_submission WHERE (space_id, id) IN (SELECT space_id, id FROM form_submission
      WHERE space_id = ${spaceId} AND form_id = ${id} LIMIT ${limit})`.execute(tx)
  if (Number(numAffectedRows) === limit) return null
  await tx.deleteFrom('form').where('space_id', '=', spaceId).where('id', '=', id).execute()
  return [{ spaceId, id }]
}

/** Returns the forms of a space that limit the age of their submissions. */
export async function listFormsWithRetention(db: Db, { spaceId }: SpaceScope): Promise<string[]> {
  const rows = await db
    .selectFrom('form')
    .select('id')
    .where('space_id', '=', spaceId)
    .where('retention_days', 'is not', null)
    .execute()
  return rows.map(({ id }) => id)
}

/** Deletes up to `limit` submissions of a form that are older than its retention, oldest first. Skips locked rows. */
export async function deleteAged(
  tx: Tx,
  { spaceId }: SpaceScope,
  formId: string,
  limit: number,
): Promise<Deleted[]> {
  const { rows } = await sql<Deleted>`
    DELETE FROM form_submission WHERE (space_id, id) IN (SELECT space_id, id FROM form_submission
      WHERE space_id = ${spaceId} AND form_id = ${formId}
        AND received_at < (SELECT now() - make_interval(days => retention_days) FROM form
          WHERE space_id = ${spaceId} AND id = ${formId})
      ORDER BY received_at, id LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING space_id AS "spaceId", id`.execute(tx)
  return rows
}

/** Deletes up to `limit` submissions of a space whose time in the trash has ended. Skips locked rows. */
export async function deleteTrashed(tx: Tx, { spaceId }: SpaceScope, limit: number): Promise<Deleted[]> {
  const { rows } = await sql<Deleted>`
    DELETE FROM form_submission WHERE (space_id, id) IN (SELECT space_id, id FROM form_submission
      WHERE space_id = ${spaceId} AND ${longAgo('deleted_at')} ORDER BY deleted_at LIMIT ${limit}
      FOR UPDATE SKIP LOCKED)
    RETURNING space_id AS "spaceId", id`.execute(tx)
  return rows
}
