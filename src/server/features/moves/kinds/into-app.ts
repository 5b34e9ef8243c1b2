import type { SpaceContext } from '#server/access/context.ts'
import { requireRightIn } from '#server/access/membership.ts'
import { deleteProgress } from '#server/features/portable-apps/portable-apps.service.ts'
import { takesAny } from '#shared/contract/move-updates.ts'
import { AppError } from '#shared/errors.ts'
import { can } from '#shared/permissions.ts'
import { countFileChanges } from '../store/changed-files.repository.ts'
import { findChanges, type MoveRow } from '../store/moves.repository.ts'
import { notReady } from '../store/open-move.ts'
import { checkMayUpdate } from '../update/updates.service.ts'
import type { Kind } from './move-kind.ts'
import { withoutMovePlan } from './no-move-plan.ts'

/** The steps shared by the kinds that import into an existing app. */
export const intoApp = {
  ...withoutMovePlan,
  right: 'document.write.any',
  // Updates and imports are not undone as a whole. Each document can be restored from its revisions.
  async undo(_ctx, { state }) {
    throw notReady(state)
  },
  async accept() {},
  // Documents and files that have been imported so far stay.
  forget: (ctx, { id }) => deleteProgress(ctx.db, ctx.scope, id),
} satisfies Partial<Kind>

/**
 * Throws 403 if the caller may not read and write every document of the app, or lacks a right that the chosen changes
 * require.
 */
export async function requireToBring(ctx: SpaceContext, { id, appId }: MoveRow): Promise<void> {
  await checkMayUpdate(ctx, appId ?? 0)
  const files = await countFileChanges(ctx.db, ctx.scope, id)
  if (files.some(({ takes }) => takes) && !can(ctx.grants, 'asset.write.any')) throw new AppError('Forbidden')
  const changes = await findChanges(ctx.db, ctx.scope, id)
  if (changes && takesAny(changes.additions)) await requireRightIn(ctx, appId ?? 0, 'model.manage')
}
