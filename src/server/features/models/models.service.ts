import type { AppContext } from '#server/access/context.ts'
import { notify } from '#server/db/notices.ts'
import type { AppScope, Db, ModelScope } from '#server/db/scope.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { newId } from '#server/lib/ids.ts'
import { AppError, invalid } from '#shared/errors.ts'
import type { EventPayload } from '#shared/events.ts'
import { refersTo } from '#shared/fields/references.ts'
import { uidPattern } from '#shared/identifiers.ts'
import { chooseTitleField, type FieldBody, readFields } from './models.fields.ts'
import type { ConversionState, ModelCounts, ModelLock, ModelRecord } from './models.repository.ts'
import * as models from './models.repository.ts'

export type { ModelRecord } from './models.repository.ts'
/** A model as people see it; `conversion` null: all documents are in its shape. */
export type ModelWithCounts = ModelRecord & ModelCounts & { conversion: ConversionState | null }

/** What people say of a model; fields as a body brings them. */
export interface ModelInput {
  uid: string
  name: string
  description?: string | undefined
  fields?: FieldBody[] | undefined
  /** uid of the title field; null: none. */
  titleField?: string | null | undefined
}

/** The models of the app, in their order. */
export async function listModels(ctx: AppContext): Promise<ModelWithCounts[]> {
  return withCounts(ctx, await models.listModels(ctx.db, ctx.scope))
}

/** Throws 404 for a uid that is none of the app's models. */
export async function getModel(ctx: AppContext, uid: string): Promise<ModelWithCounts> {
  return withOwnCounts(ctx, await requireModel(ctx, uid))
}

/** The model of that uid, locked as asked. Throws 404 when the app has none. */
export async function requireModel(
  ctx: { db: Db; scope: AppScope },
  uid: string,
  lock?: ModelLock,
): Promise<ModelRecord> {
  const model = uidPattern.test(uid) ? await models.findModel(ctx.db, ctx.scope, uid, lock) : undefined
  if (!model) throw new AppError('NotFound')
  return model
}

/** The app's models by uid, without counters. */
export async function modelsByUid(ctx: { db: Db; scope: AppScope }): Promise<Map<string, ModelRecord>> {
  const found = await models.listModels(ctx.db, ctx.scope)
  return new Map(found.map((model) => [model.uid, model]))
}

/**
 * Counts what documents of a model have become, moves the model's version on and tells every process. The row is
 * taken by every writer of the model, so this is the last thing a transaction does.
 */
export async function countDocuments(
  ctx: { db: Db },
  scope: ModelScope,
  change: { documents: number; published: number },
): Promise<void> {
  await models.addToCounts(ctx.db, scope, change)
  await notify(ctx.db, { kind: 'model', modelId: scope.modelId })
}

/** Throws `ValidationFailed` naming every culprit, `ModelUidIsAlreadyInUse`. */
export async function createModel(ctx: AppContext, input: ModelInput): Promise<ModelWithCounts> {
  const others = await lockModels(ctx)
  const fields = readFields(input.fields ?? [], {
    existing: [],
    modelUids: new Set([...others.map((model) => model.uid), input.uid]),
  })
  const model = await models.insertModel(ctx.db, ctx.scope, {
    publicId: newId(),
    uid: input.uid,
    name: input.name,
    description: input.description ?? '',
    fields,
    titleField: chooseTitleField(fields, input.titleField, undefined),
  })
  await record(ctx, model, 'model.created', { uid: model.uid })
  return { ...model, documentCount: 0, publishedCount: 0, conversion: null }
}

/** Other changes of the app's models wait; a model of a deleted app is 404. */
export async function lockModels(ctx: AppContext): Promise<ModelRecord[]> {
  if (!(await models.lockApp(ctx.db, ctx.scope))) throw new AppError('NotFound')
  return models.listModels(ctx.db, ctx.scope)
}

/** Puts the models in this order. Anything but exactly the uids of the app is 400. */
export async function updateModelOrder(ctx: AppContext, uids: string[]): Promise<ModelWithCounts[]> {
  const byUid = new Map((await lockModels(ctx)).map((model) => [model.uid, model]))
  const ordered = uids.flatMap((uid) => byUid.get(uid) ?? [])
  const complete = new Set(uids).size === uids.length && ordered.length === uids.length
  if (!complete || ordered.length !== byUid.size) throw invalid('modelIds', 'InvalidValue')
  const ids = ordered.map((model) => model.scope.modelId)
  await models.updateModelOrder(ctx.db, ctx.scope, ids)
  const subject = { appId: ctx.scope.appId, actor: ctx.actor }
  await recordEvent(ctx.db, ctx.scope, 'app.updated', { uid: ctx.app.uid }, subject)
  return withCounts(ctx, ordered)
}

/** Its documents vanish with it. Throws `ModelIsStillReferenced` while another model of the app refers to it. */
export async function deleteModel(ctx: AppContext, uid: string): Promise<void> {
  const others = (await lockModels(ctx)).filter((other) => other.uid !== uid)
  const model = await requireModel(ctx, uid, 'update')
  const referrers = others.filter((other) => refersTo(other, uid)).map((other) => other.uid)
  if (referrers.length > 0) throw new AppError('ModelIsStillReferenced', { details: { models: referrers } })
  await models.deleteModel(ctx.db, model.scope)
  await record(ctx, model, 'model.deleted', { uid })
}

/** Writes the event of a model's change, and tells every process. Takes the model's counter row: call it last. */
export async function record<T extends 'model.created' | 'model.updated' | 'model.deleted'>(
  ctx: AppContext,
  { scope }: ModelRecord,
  type: T,
  payload: EventPayload<T>,
): Promise<void> {
  const subject = { appId: scope.appId, modelId: scope.modelId, actor: ctx.actor }
  await recordEvent(ctx.db, scope, type, payload, subject)
  await notify(ctx.db, { kind: 'registry', spaceId: scope.spaceId })
  await countDocuments(ctx, scope, { documents: 0, published: 0 })
}

async function withCounts(ctx: AppContext, found: ModelRecord[]): Promise<ModelWithCounts[]> {
  const idsOf = (list: ModelRecord[]) => list.map((model) => model.scope.modelId)
  const counts = await models.listCounts(ctx.db, ctx.scope, idsOf(found))
  const converting = found.filter(({ conversions }) => conversions.length > 0)
  const states = await models.listConversions(ctx.db, ctx.scope, idsOf(converting))
  return found.map((model) => ({
    ...model,
    ...(counts.get(model.scope.modelId) ?? { documentCount: 0, publishedCount: 0 }),
    conversion: states.get(model.scope.modelId) ?? null,
  }))
}

/** The model with its counters, and how far the conversion of its documents is. */
export async function withOwnCounts(ctx: AppContext, model: ModelRecord): Promise<ModelWithCounts> {
  const [counted] = await withCounts(ctx, [model])
  return counted ?? { ...model, documentCount: 0, publishedCount: 0, conversion: null }
}
