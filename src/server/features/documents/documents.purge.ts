import { sql } from 'kysely'
import type { JobActor } from '#server/access/actor.ts'
import { writeAuditOfSpaces } from '#server/access/audit.ts'
import { type Db, inTransaction, type Tx } from '#server/db/scope.ts'

/** Days that a document stays in the trash. */
export const trashDays = 30

/** Few enough that who wants one of these documents waits for a moment only. */
const batchSize = 200

interface Key {
  space_id: number
  model_id: number
  id: string
}

/** Says between two batches how many documents are gone; throws when it is to stop. */
type Progress = (purged: number) => Promise<void>

/**
 * Deletes for good what has been in the trash long enough, in transactions of a few documents each. A document that
 * somebody holds, to restore it perhaps, is left for the next time; one that was restored is none of these any more.
 * The audit log of each space says which they were.
 */
export function purgeTrash(db: Db, actor: JobActor, progress: Progress): Promise<number> {
  return purge(db, progress, async (tx) => {
    const { rows } = await sql<Key>`
      SELECT space_id, model_id, id FROM document WHERE deleted_at < now() - make_interval(days => ${trashDays})
      ORDER BY deleted_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED`.execute(tx)
    const things = rows.map(({ space_id, id }) => ({ spaceId: space_id, id }))
    await writeAuditOfSpaces(tx, { act: 'document.purge', actor }, things)
    return rows
  })
}

/** Deletes all documents of a model that nobody can reach any more. */
export function purgeModelDocuments(db: Db, modelId: number, progress: Progress): Promise<number> {
  return purge(db, progress, async (tx) => {
    const { rows } = await sql<Key>`
      SELECT space_id, model_id, id FROM document WHERE model_id = ${modelId} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED`.execute(
      tx,
    )
    return rows
  })
}

async function purge(db: Db, progress: Progress, lock: (tx: Tx) => Promise<Key[]>): Promise<number> {
  for (let purged = 0; ; ) {
    const count = await inTransaction(db, async (tx) => {
      const keys = await lock(tx)
      if (keys.length > 0) await deleteDocuments(tx, keys)
      return keys.length
    })
    purged += count
    await progress(purged)
    if (count < batchSize) return purged
  }
}

/** The documents with everything that hangs on them. References to them stay, and resolve to nothing as before. */
async function deleteDocuments(tx: Tx, keys: Key[]): Promise<void> {
  const gone = sql`unnest(${keys.map((key) => key.model_id)}::int[], ${keys.map((key) => key.id)}::text[]) AS gone (model_id, id)`
  for (const table of ['document_text', 'document_unique', 'document_before', 'asset_reference', 'revision'])
    await sql`DELETE FROM ${sql.table(table)} AS own USING ${gone}
      WHERE own.model_id = gone.model_id AND own.document_id = gone.id`.execute(tx)
  await sql`DELETE FROM document_reference AS own USING ${gone}
    WHERE own.from_model_id = gone.model_id AND own.from_id = gone.id`.execute(tx)
  await sql`DELETE FROM document AS own USING ${gone}
    WHERE own.model_id = gone.model_id AND own.id = gone.id`.execute(tx)
}
