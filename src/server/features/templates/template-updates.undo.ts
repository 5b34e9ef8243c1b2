import { noteAudit } from '#server/access/audit.ts'
import type { AppContext, OwnTransactions } from '#server/access/context.ts'
import {
  type ChangeOptions,
  type ChangePlan,
  changeFields,
  listModels,
} from '#server/features/models/models.service.ts'
import { readLiveApp } from '#server/features/portable-apps/portable-apps.service.ts'
import { lockSchema } from '#server/features/schema-merge/schema-merge.service.ts'
import type { TemplateUpdateCost } from '#shared/contract/templates.ts'
import { AppError } from '#shared/errors.ts'
import { compareVersions } from './template-updates.compare.ts'
import { type AppOrigin, findOrigin, type UpdateUndo, updateOrigin } from './template-updates.repository.ts'
import { planWriting, requireRight } from './template-updates.writing.ts'

/** Days for which an update can be undone: the same as for changes of models. */
const undoDays = 30

/** Returns the time until which an update can be undone. */
export const untilOf = ({ at }: UpdateUndo) => new Date(Date.parse(at) + undoDays * 86_400_000)

/** Returns the update of an app that can still be undone. null: no update can be undone. */
export const undoOf = ({ undo }: AppOrigin) => (undo && untilOf(undo) > new Date() ? undo : null)

/**
 * Undoes the newest update, except for parts that were changed after it. Throws 403, 404, 409
 * `ChangeCannotBeTakenBack`, and 400 for losses that were not accepted.
 */
export async function undoTemplateUpdate(
  own: Pick<OwnTransactions<AppContext>, 'inSpace'>,
  options: ChangeOptions,
): Promise<TemplateUpdateCost> {
  const { result, losses, models } = await changeFields(own, (ctx) => planUndo(ctx, options), options)
  return { losses, models, removed: result }
}

async function planUndo(
  ctx: AppContext,
  options: ChangeOptions,
): Promise<ChangePlan<TemplateUpdateCost['removed']>> {
  requireRight(ctx)
  const own = await lockSchema(ctx)
  const origin = await findOrigin(ctx.db, ctx.scope, 'update')
  const takes = origin && undoOf(origin)
  if (!origin || !takes) throw new AppError('NotFound')
  const here = (await readLiveApp(ctx)).app
  const { before: target, after: base } = takes
  const chosen = compareVersions({ base, target, here }).filter(({ here: state }) => state === 'same')
  const written = await planWriting({ ctx, own, here, target, chosen, takes, seed: origin.carryId })
  // Models that the update added are removed, unless a remaining part uses them.
  const uids = new Set(written.removed.models.map(({ uid }) => uid))
  const removed = (await listModels(ctx)).flatMap(({ uid, name, documentCount }) =>
    uids.has(uid) ? [{ uid, name, documents: documentCount }] : [],
  )
  return {
    ...written,
    tell: (losses, touched) => ({ losses, models: touched, removed }),
    current: async () => removed,
    async apply() {
      const losing = removed.filter(({ documents }) => documents > 0)
      if (losing.length > 0 && !options.acceptLoss)
        throw new AppError('ValidationFailed', {
          message: 'Documents would be lost',
          details: { losses: [], models: [], removed },
        })
      await written.write()
      await updateOrigin(ctx.db, ctx.scope, { version: takes.version, parts: takes.base, undo: null })
      const facts = { version: origin.version }
      noteAudit(ctx, { objectId: ctx.app.uid, objectName: ctx.app.name, facts })
      return removed
    },
  }
}

/**
 * Accepts the newest update, if there is one, so that it can no longer be undone. Throws 404 for an app without a
 * template.
 */
export async function acceptTemplateUpdate(ctx: AppContext): Promise<void> {
  const origin = await findOrigin(ctx.db, ctx.scope, 'update')
  if (!origin) throw new AppError('NotFound')
  await updateOrigin(ctx.db, ctx.scope, { ...origin, undo: null })
  noteAudit(ctx, { objectId: ctx.app.uid, objectName: ctx.app.name, facts: { version: origin.version } })
}
