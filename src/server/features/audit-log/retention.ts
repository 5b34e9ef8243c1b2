import { sql } from 'kysely'
import type { JobActor } from '#server/access/actor.ts'
import { writeAudit } from '#server/access/audit.ts'
import { type Db, inTransaction, spaceScope } from '#server/db/scope.ts'

const atOnce = 5000

interface Due {
  space_id: number
  days: number
  /** The last seal whose entries go. */
  number: number
  entries: number
}

/**
 * Lets entries go that a space keeps no longer: whole seals, whose hashes stay, with a mark that says how many and why.
 * The database itself refuses what is younger than thirty days (migration 0034).
 */
export async function releaseEntries(
  db: Db,
  actor: JobActor,
  progress: (done: number) => Promise<void>,
): Promise<void> {
  for (const due of await findDue(db)) await mark(db, actor, due)
  // Also what an earlier run was cut off from.
  const { rows: cuts } = await sql<{ space_id: number; to_xact: number }>`
    SELECT DISTINCT ON (audit_cut.space_id) audit_cut.space_id, audit_seal.to_xact
    FROM audit_cut JOIN audit_seal USING (space_id, number) ORDER BY audit_cut.space_id, number DESC`.execute(
    db,
  )
  let released = 0
  for (const { space_id, to_xact } of cuts)
    for (let count = atOnce; count === atOnce; ) {
      const { rows } = await sql`
        DELETE FROM audit_entry WHERE (space_id, id) IN (SELECT space_id, id FROM audit_entry
          WHERE space_id = ${space_id} AND xact < ${to_xact} LIMIT ${atOnce}) RETURNING id`.execute(db)
      count = rows.length
      released += count
      await progress(released)
    }
}

async function findDue(db: Db): Promise<Due[]> {
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

async function mark(db: Db, actor: JobActor, { space_id, days, number, entries }: Due): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.insertInto('audit_cut').values({ space_id, number, days, entries }).execute()
    await writeAudit(tx, spaceScope(space_id), {
      act: 'auditLog.release',
      outcome: 'done',
      actor,
      object: { kind: 'auditLog', id: null, name: null },
      details: { entries, days, seal: number },
    })
  })
}
