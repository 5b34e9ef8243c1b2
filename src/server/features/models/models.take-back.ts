import type { AppContext, OwnTransactions } from '#server/access/context.ts'
import { AppError } from '#shared/errors.ts'
import { fieldChanges } from '#shared/fields/convert.ts'
import { createResolver } from '#shared/fields/custom-types.ts'
import { chooseTitleField } from '#shared/fields/read-fields.ts'
import { allFields } from '#shared/fields/walk.ts'
import { listCustomTypes } from './custom-types.repository.ts'
import { cannotTakeBack, endChange, endChanges, type KeptChange, listChanges } from './kept.repository.ts'
import { type ChangeOptions, type ChangePlan, changeFields, convertModel } from './models.change.ts'
import { fieldsBefore, readFields } from './models.fields.ts'
import * as models from './models.repository.ts'
import { lockModels, type ModelWithCounts, record, requireModel, withOwnCounts } from './models.service.ts'
import { told, type Updated } from './models.update.ts'

/** Returns the changes of the model that can be undone, newest first. Throws 404. */
export async function listModelChanges(ctx: AppContext, uid: string): Promise<KeptChange[]> {
  return listChanges(ctx.db, (await requireModel(ctx, uid)).scope)
}

/**
 * Confirms the change and older ones, so that they can no longer be undone. Their kept values are deleted later.
 * Returns the changes that can still be undone. Throws 404.
 */
export async function confirmModelChange(
  ctx: AppContext,
  uid: string,
  version: number,
): Promise<KeptChange[]> {
  const { scope } = await requireModel(ctx, uid)
  if (!(await listChanges(ctx.db, scope)).some((change) => change.version === version))
    throw new AppError('NotFound')
  await endChanges(ctx.db, scope, version)
  return listChanges(ctx.db, scope)
}

/**
 * Undoes the newest change of the model's fields: restores the fields and the values that documents had before it.
 * Values written to these fields after that change are converted instead. As for any change, losses are reported first.
 * Throws 404, `ChangeCannotBeTakenBack` (409), and `ValidationFailed` like `updateModel`.
 */
export async function takeBackModelChange(
  own: Pick<OwnTransactions<AppContext>, 'inSpace'>,
  uid: string,
  version: number,
  options: ChangeOptions = {},
): Promise<Updated> {
  const plan = (ctx: AppContext) => planTakingBack(ctx, uid, version)
  const { result, losses, models, site, blocked } = await changeFields(own, plan, options)
  return { model: result, ...told(losses, models), site, blocked }
}

async function planTakingBack(
  ctx: AppContext,
  uid: string,
  version: number,
): Promise<ChangePlan<ModelWithCounts>> {
  const others = await lockModels(ctx)
  const before = await requireModel(ctx, uid, 'update')
  const [change, ...older] = await listChanges(ctx.db, before.scope)
  if (change?.version !== version) {
    if (older.some((candidate) => candidate.version === version)) throw cannotTakeBack('newer')
    throw new AppError('NotFound')
  }
  if (before.conversions.length > 0) throw cannotTakeBack('converting')

  const customTypes = await listCustomTypes(ctx.db, ctx.scope)
  const fields = readFields(fieldsBefore(before.fields, change), {
    existing: [...before.fields, ...change.changes.map(({ from }) => from)],
    modelUids: new Set(others.map((model) => model.uid)),
    customTypes,
  })
  const resolve = createResolver(customTypes)
  const [from, to] = [resolve(before.fields), resolve(fields)]
  // Kept values have the shape of the custom types before the change, so these types must be unchanged.
  const then = change.changes.map((one) => one.from)
  const ids = new Set(then.map(({ _id }) => _id))
  if (
    fieldChanges(
      then,
      to.filter(({ _id }) => ids.has(_id)),
    ).length > 0
  )
    throw cannotTakeBack('types')

  const affected = {
    model: before,
    change: { from, to },
    takesBack: { version, changes: change.changes },
  }
  return {
    affected: [affected],
    current: () => withOwnCounts(ctx, before),
    async apply() {
      // Restores the previous title field if the undone change affected it.
      const title = ids.has(change.titleField ?? '') ? change.titleField : before.titleField
      const titleField = chooseTitleField(fields, undefined, title)
      const changed = await models.updateModel(ctx.db, before.scope, { ...before, fields, titleField })
      const model = await convertModel(ctx, changed, affected)
      await endChange(ctx.db, before.scope, version)
      await record(ctx, model, 'model.updated', { uid: model.uid, version: model.version })
      return withOwnCounts(ctx, model)
    },
    pathOf: (fieldId) => {
      const index = to.findIndex((field) => allFields([field]).some(({ _id }) => _id === fieldId))
      return `data.fields.${index}.unique`
    },
    tell: told,
  }
}
