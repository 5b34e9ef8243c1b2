import { sql } from 'kysely'
import type { JobActor } from '#server/access/actor.ts'
import { writeAuditOfSpaces } from '#server/access/audit.ts'
import { type Db, inTransaction } from '#server/db/scope.ts'
import type { Storages } from '#server/storage/index.ts'
import { longAgo } from './assets.repository.ts'

const batchSize = 500

/**
 * Deletes for good what has been in the trash long enough, and forgets files that were replaced as long ago. Their contents
 * are swept afterwards. One that somebody holds is left for the next time. The audit log of each space says which went.
 */
export async function purgeAssets(
  db: Db,
  actor: JobActor,
  progress: (purged: number) => Promise<void>,
): Promise<number> {
  let purged = 0
  const inBatches = async (batch: () => Promise<bigint>) => {
    for (;;) {
      const count = Number(await batch())
      purged += count
      await progress(purged)
      if (count < batchSize) return
    }
  }
  await inBatches(() =>
    inTransaction(db, async (tx) => {
      const gone = sql`SELECT space_id, id FROM asset WHERE ${longAgo(sql`deleted_at`)}
        LIMIT ${batchSize} FOR UPDATE SKIP LOCKED`
      const { rows } = await sql<{ spaceId: number; id: string }>`DELETE FROM asset USING (${gone}) AS gone
        WHERE asset.space_id = gone.space_id AND asset.id = gone.id
        RETURNING asset.space_id AS "spaceId", asset.id`.execute(tx)
      await writeAuditOfSpaces(tx, { act: 'asset.purge', actor }, rows)
      return BigInt(rows.length)
    }),
  )
  await inBatches(() =>
    inTransaction(db, async (tx) => {
      const old = sql`SELECT space_id, id FROM asset WHERE ${longAgo(sql`previous_at`)}
        LIMIT ${batchSize} FOR UPDATE SKIP LOCKED`
      const result = await sql`
        UPDATE asset SET previous = NULL, previous_at = NULL, previous_storage = NULL, previous_storage_key = NULL
        FROM (${old}) AS old WHERE asset.space_id = old.space_id AND asset.id = old.id`.execute(tx)
      return result.numAffectedRows ?? 0n
    }),
  )
  return purged
}

/** Hours for which what was PUT waits to be confirmed. */
const waitingHours = 24

/** Removes from the spaces' storages what was PUT there and never confirmed. */
export async function sweepUploads(
  db: Db,
  storages: Storages,
  onAway: (error: unknown) => void,
): Promise<void> {
  const spaces = await db.selectFrom('space').select('id').where('deleted_at', 'is', null).execute()
  for (const { id } of spaces) {
    try {
      const { driver } = await storages.forSpace(id)
      for await (const { key, modifiedAt } of driver.list(`${id}/uploads/`))
        if (Date.now() - modifiedAt.getTime() > waitingHours * 3_600_000) await driver.delete(key)
    } catch (error) {
      onAway(error)
    }
  }
}
