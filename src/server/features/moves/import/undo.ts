import type { JobActor } from '#server/access/actor.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { intoApp } from '#server/access/membership.ts'
import { type Db, inTransaction, type SpaceScope } from '#server/db/scope.ts'
import { deleteApp } from '#server/features/apps/apps.service.ts'
import { recordPurgedAssets } from '#server/features/assets/assets.service.ts'
import { purgeModelDocuments } from '#server/features/documents/documents.service.ts'
import { deleteProgress, listCarryModels } from '#server/features/portable-apps/portable-apps.service.ts'
import { deleteBases } from '../store/bases.repository.ts'
import { removeAssets } from '../store/brought-assets.repository.ts'
import { deleteUpdates, updateMove } from '../store/moves.repository.ts'

/** Deletes the app, if it still exists. Throws 403 if the caller may not manage the app. */
export async function removeApp(ctx: SpaceContext, appId: number): Promise<void> {
  const app = await intoApp(ctx, appId, 'app.manage')
  if (app) await deleteApp(app)
}

/** Number of assets in one transaction. */
const batchSize = 200

/**
 * Removes the documents and files of moves whose apps are deleted. Removes all documents first, because a file of one
 * move may be used by another. Can be interrupted at any time and run again.
 */
export async function undo(
  { db, scope, actor }: { db: Db; scope: SpaceScope; actor: JobActor },
  moveIds: readonly string[],
  progress: (done: number, total?: number | null) => Promise<void>,
): Promise<void> {
  let done = 0
  for (const moveId of moveIds)
    for (const { model_id } of await listCarryModels(db, scope, moveId)) {
      const before = done
      done += await purgeModelDocuments(db, model_id, actor, (purged) => progress(before + purged))
    }
  for (const moveId of moveIds)
    while (true) {
      const removed = await inTransaction(db, async (tx) => {
        const { removed, deleted } = await removeAssets(tx, scope, moveId, batchSize)
        await recordPurgedAssets(tx, scope, deleted, actor)
        return removed
      })
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
