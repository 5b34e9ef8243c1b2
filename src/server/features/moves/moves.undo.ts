import { type SqlBool, sql } from 'kysely'
import type { SpaceContext } from '#server/access/context.ts'
import { intoApp } from '#server/access/membership.ts'
import { type Db, inTransaction, type SpaceScope } from '#server/db/scope.ts'
import { deleteApp } from '#server/features/apps/apps.service.ts'
import { purgeModelDocuments } from '#server/features/documents/documents.service.ts'
import { deleteProgress, listCarryModels } from '#server/features/portable-apps/portable-apps.service.ts'
import { deleteBases } from './moves.bases.ts'
import { deleteUpdates, updateMove } from './moves.repository.ts'

/** Nobody reads or writes in the app any more. Nothing happens when somebody has deleted it before. */
export async function removeApp(ctx: SpaceContext, appId: number): Promise<void> {
  const app = await intoApp(ctx, appId, 'app.manage')
  if (app) await deleteApp(app)
}

/** Assets at a time. */
const batchSize = 200

/**
 * Removes the documents and the files of moves whose apps are gone: all documents first, for what one of them brought another may
 * use. May be cut off anywhere, and goes on.
 */
export async function undo(
  db: Db,
  scope: SpaceScope,
  moveIds: readonly string[],
  progress: (done: number, total?: number | null) => Promise<void>,
): Promise<void> {
  let done = 0
  for (const moveId of moveIds)
    for (const { model_id } of await listCarryModels(db, scope, moveId)) {
      const before = done
      done += await purgeModelDocuments(db, model_id, (purged) => progress(before + purged))
    }
  for (const moveId of moveIds)
    while (true) {
      const removed = await inTransaction(db, (tx) => removeAssets(tx, scope, moveId))
      if (removed === 0) break
      done += removed
      await progress(done)
    }
  const nothing = { appId: null, report: null, startedAt: null, finishedAt: null }
  await inTransaction(db, async (tx) => {
    for (const moveId of moveIds) {
      await deleteProgress(tx, scope, moveId)
      await deleteBases(tx, scope, moveId)
      await deleteUpdates(tx, scope, moveId)
      await updateMove(tx, scope, moveId, { state: 'undone', ...nothing })
    }
  })
}

/** Assets that the move made, but for those that something else uses by now. Answers how many were looked at. */
async function removeAssets(db: Db, { spaceId }: SpaceScope, moveId: string): Promise<number> {
  const rows = await db
    .deleteFrom('carry_asset')
    .where('space_id', '=', spaceId)
    .where('carry_id', '=', moveId)
    .where(
      sql<SqlBool>`asset_id IN (SELECT asset_id FROM carry_asset WHERE space_id = ${spaceId} AND carry_id = ${moveId}
        ORDER BY asset_id LIMIT ${batchSize})`,
    )
    .returning(['asset_id as id', 'made'])
    .execute()
  const ids = rows.filter(({ made }) => made).map(({ id }) => id)
  await db
    .deleteFrom('asset')
    .where('space_id', '=', spaceId)
    .where(sql<SqlBool>`id = ANY(${ids}::text[])`)
    .where(
      sql<SqlBool>`NOT EXISTS (SELECT FROM asset_reference AS use
        WHERE use.space_id = asset.space_id AND use.asset_id = asset.id)`,
    )
    .execute()
  return rows.length
}
