import { noteAudit } from '#server/access/audit.ts'
import type { AppContext, OwnTransactions } from '#server/access/context.ts'
import {
  type ChangeOptions,
  changeFields,
  listModels,
  lockModels,
  type Plan,
} from '#server/features/models/models.service.ts'
import { readLiveApp } from '#server/features/portable-apps/portable-apps.service.ts'
import type { TemplateUpdateCost, TemplateUpdateItem } from '#shared/contract/templates.ts'
import { AppError } from '#shared/errors.ts'
import { removeAdded, unusedOf } from './template-updates.apply.ts'
import { compareVersions } from './template-updates.compare.ts'
import { type AppOrigin, findOrigin, type UpdateUndo, updateOrigin } from './template-updates.repository.ts'
import { planWriting, requireRight } from './template-updates.writing.ts'

/** Days for which an update can be taken back: as long as changes of models can be. */
const undoDays = 30

/** Until when an update can be taken back. */
export const untilOf = ({ at }: UpdateUndo) => new Date(Date.parse(at) + undoDays * 86_400_000)

/** The update of an app that can still be taken back. */
export const undoOf = ({ undo }: AppOrigin) => (undo && untilOf(undo) > new Date() ? undo : null)

/**
 * Takes the newest update back, but for what somebody changed since. Throws 404, 409 `ChangeCannotBeTakenBack`, 400 for losses.
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
): Promise<Plan<TemplateUpdateCost['removed']>> {
  requireRight(ctx)
  const models = await lockModels(ctx)
  const origin = await findOrigin(ctx.db, ctx.scope, 'update')
  const takes = origin && undoOf(origin)
  if (!origin || !takes) throw new AppError('NotFound')
  const here = (await readLiveApp(ctx)).app
  const { before: target, after: base } = takes
  const chosen = compareVersions({ base, target, here }).filter(({ here: state }) => state === 'same')
  const written = await planWriting({
    ctx,
    models,
    target,
    here,
    chosen: chosen.filter(isLeft),
    takes,
    seed: origin.carryId,
  })
  const isAdded = (kind: TemplateUpdateItem['kind'], uid: string) =>
    chosen.some((item) => item.kind === kind && item.uid === uid && item.change === 'gone')
  const { customTypes, merged } = written
  const added = {
    models: models.filter(({ uid }) => isAdded('model', uid)),
    customTypes: customTypes.filter(({ uid }) => isAdded('customType', uid)),
  }
  const gone = unusedOf(added, merged, customTypes)
  const uids = new Set(gone.models.map(({ uid }) => uid))
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
      const { audit: _, ...quiet } = ctx
      await removeAdded(quiet, gone)
      await updateOrigin(ctx.db, ctx.scope, { version: takes.version, parts: takes.base, undo: null })
      const facts = { version: origin.version }
      noteAudit(ctx, { objectId: ctx.app.uid, objectName: ctx.app.name, facts })
      return removed
    },
  }
}

const isLeft = ({ kind, change }: TemplateUpdateItem) =>
  change !== 'gone' || (kind !== 'model' && kind !== 'customType')

/** Lets the newest update be, if there is one. Throws 404 for an app of no template. */
export async function acceptTemplateUpdate(ctx: AppContext): Promise<void> {
  const origin = await findOrigin(ctx.db, ctx.scope, 'update')
  if (!origin) throw new AppError('NotFound')
  await updateOrigin(ctx.db, ctx.scope, { ...origin, undo: null })
  noteAudit(ctx, { objectId: ctx.app.uid, objectName: ctx.app.name, facts: { version: origin.version } })
}
