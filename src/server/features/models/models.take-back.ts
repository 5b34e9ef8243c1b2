import type { AppContext, OwnTransactions } from '#server/access/context.ts'
import { AppError } from '#shared/errors.ts'
import { fieldChanges } from '#shared/fields/convert.ts'
import { createResolver } from '#shared/fields/custom-types.ts'
import type { Field } from '#shared/fields/index.ts'
import { allFields } from '#shared/fields/walk.ts'
import { type ChangeOptions, changeFields, convertModel, type Plan } from './models.change.ts'
import { listCustomTypes } from './models.custom-types.ts'
import { chooseTitleField, type FieldBody, readFields } from './models.fields.ts'
import { endChange, endChanges, type KeptChange, listChanges } from './models.kept.ts'
import type { ModelRecord } from './models.repository.ts'
import * as models from './models.repository.ts'
import { lockModels, type ModelWithCounts, record, requireModel, withOwnCounts } from './models.service.ts'
import { told, type Updated } from './models.update.ts'

/** The changes of the model that can be taken back, the newest first. Throws 404. */
export async function listModelChanges(ctx: AppContext, uid: string): Promise<KeptChange[]> {
  return listChanges(ctx.db, (await requireModel(ctx, uid)).scope)
}

/** The change and those before it stay as they are: what documents held before them goes. Throws 404. */
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
 * Takes the newest change of the model's fields back: fields are what they were, and documents hold what they held. What
 * was written in these fields since is converted; what that would lose is told first, as with any change. Throws 404,
 * 409 `ChangeCannotBeTakenBack`, `ValidationFailed` as `updateModel`.
 */
export async function takeBackModelChange(
  own: Pick<OwnTransactions<AppContext>, 'inSpace'>,
  uid: string,
  version: number,
  options: ChangeOptions = {},
): Promise<Updated> {
  const plan = (ctx: AppContext) => planTakingBack(ctx, uid, version)
  const { result, losses, models } = await changeFields(own, plan, options)
  return { model: result, ...told(losses, models) }
}

const refuse = (reason: 'newer' | 'converting' | 'types') =>
  new AppError('ChangeCannotBeTakenBack', { details: { reason } })

async function planTakingBack(ctx: AppContext, uid: string, version: number): Promise<Plan<ModelWithCounts>> {
  const others = await lockModels(ctx)
  const before = await requireModel(ctx, uid, 'update')
  const [change, ...older] = await listChanges(ctx.db, before.scope)
  if (change?.version !== version) {
    if (older.some((candidate) => candidate.version === version)) throw refuse('newer')
    throw new AppError('NotFound')
  }
  if (before.conversions.length > 0) throw refuse('converting')

  const customTypes = await listCustomTypes(ctx.db, ctx.scope)
  const fields = readFields(fieldsBefore(before, change), {
    existing: [...before.fields, ...change.changes.map(({ from }) => from)],
    modelUids: new Set(others.map((model) => model.uid)),
    customTypes,
  })
  const resolve = createResolver(customTypes)
  const [from, to] = [resolve(before.fields), resolve(fields)]
  // What was kept has the shape that custom types had then.
  const then = change.changes.map((one) => one.from)
  const ids = new Set(then.map(({ _id }) => _id))
  if (
    fieldChanges(
      then,
      to.filter(({ _id }) => ids.has(_id)),
    ).length > 0
  )
    throw refuse('types')

  const affected = {
    model: before,
    change: { from, to },
    takesBack: { version, changes: change.changes },
  }
  return {
    affected: [affected],
    current: () => withOwnCounts(ctx, before),
    async apply() {
      // A title that could be none any more is one again.
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

/** The model's fields as they were before the change: by the names of today, those that are gone at their old places. */
function fieldsBefore({ fields }: ModelRecord, { changes, positions }: KeptChange): FieldBody[] {
  const old = new Map(changes.map(({ from }) => [from._id, from]))
  const result = fields.map((field): Field => {
    const { uid, name } = field
    const was = old.get(field._id)
    return was ? { ...was, uid, name } : field
  })
  for (const [index, _id] of positions.entries()) {
    const was = old.get(_id)
    if (!was || result.some((field) => field._id === _id)) continue
    const left = positions.slice(0, index)
    const place = result.findLastIndex((field) => left.includes(field._id))
    result.splice(place + 1, 0, was)
  }
  return result as FieldBody[]
}
