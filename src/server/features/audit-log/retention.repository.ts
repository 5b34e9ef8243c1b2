import { sql } from 'kysely'
import type { Db } from '#server/db/scope.ts'

export interface Due {
  space_id: number
  days: number
  /** The number of the last seal whose entries are to be deleted. */
  number: number
  entries: number
}

/** Returns for each space the last seal whose retention period is over, if it is after the last cut. */
export async function findDue(db: Db): Promise<Due[]> {
  const { rows } = await sql<Due>`
    SELECT security.space_id, security.audit_days AS days, old.number, old.total
        - coalesce((SELECT sum(entries) FROM audit_cut WHERE audit_cut.space_id = security.space_id), 0)::float8 AS entries
    FROM space_security AS security, LATERAL (
      SELECT number, total FROM audit_seal WHERE audit_seal.space_id = security.space_id
        AND created_at < now() - make_interval(days => security.audit_days) ORDER BY number DESC LIMIT 1) AS old
    WHERE security.audit_days IS NOT NULL AND old.number > coalesce(
      (SELECT max(number) FROM audit_cut WHERE audit_cut.space_id = security.space_id), 0)`.execute(db)
  return rows
}

/** Records the deletion of entries up to a seal, with their number and the retention in days. */
export async function insertCut(tx: Db, cut: Due): Promise<void> {
  await tx.insertInto('audit_cut').values(cut).execute()
}

/** Returns the latest cut of each space. Entries of transactions before `to_xact` are to be deleted. */
export async function listCuts(db: Db): Promise<{ space_id: number; to_xact: number }[]> {
  const { rows } = await sql<{ space_id: number; to_xact: number }>`
    SELECT DISTINCT ON (audit_cut.space_id) audit_cut.space_id, audit_seal.to_xact
    FROM audit_cut JOIN audit_seal USING (space_id, number) ORDER BY audit_cut.space_id, number DESC`.execute(
    db,
  )
  return rows
}

/** Deletes up to `limit` entries of transactions before `toXact`, and returns their number. */
export async function deleteEntries(db: Db, spaceId: number, toXact: number, limit: number): Promise<number> {
  const { rows } = await sql`
    DELETE FROM audit_entry WHERE (space_id, id) IN (SELECT space_id, id FROM audit_entry
      WHERE space_id = ${spaceId} AND xact < ${toXact} LIMIT ${limit}) RETURNING id`.execute(db)
  return rows.length
}
