import type { JobActor } from '#server/access/actor.ts'
import { writeAudit } from '#server/access/audit.ts'
import { type Db, inTransaction, spaceScope } from '#server/db/scope.ts'
import { type Due, deleteEntries, findDue, insertCut, listCuts } from './retention.repository.ts'

const atOnce = 5000

/**
 * Deletes entries whose retention period is over, in whole seals. The seals' hashes stay, and a row of `audit_cut`
 * records the number of deleted entries and the retention in days. The database refuses to delete entries younger than
 * 30 days (migration 0034). Returns the number of deleted entries.
 */
export async function purgeEntries(
  db: Db,
  actor: JobActor,
  progress: (done: number) => Promise<void>,
): Promise<number> {
  for (const due of await findDue(db)) await mark(db, actor, due)
  // Includes entries that an interrupted run left.
  const cuts = await listCuts(db)
  let purged = 0
  for (const { space_id, to_xact } of cuts)
    for (let count = atOnce; count === atOnce; ) {
      count = await deleteEntries(db, space_id, to_xact, atOnce)
      purged += count
      await progress(purged)
    }
  return purged
}

async function mark(db: Db, actor: JobActor, { space_id, days, number, entries }: Due): Promise<void> {
  await inTransaction(db, async (tx) => {
    await insertCut(tx, { space_id, number, days, entries })
    await writeAudit(tx, spaceScope(space_id), {
      // The log is sealed, so the act of existing entries cannot be renamed.
      act: 'auditLog.release',
      outcome: 'done',
      actor,
      object: { kind: 'auditLog', id: null, name: null },
      details: { entries, days, seal: number },
    })
  })
}
