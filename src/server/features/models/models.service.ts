import { isDeepStrictEqual } from 'node:util'
import { noteAudit } from '#server/access/audit.ts'
import type { AppContext } from '#server/access/context.ts'
import { requireQuota } from '#server/access/entitlements.ts'
import { readsModelOf } from '#server/access/grants.ts'
import { notify } from '#server/db/notices.ts'
import type { AppScope, Db, ModelScope } from '#server/db/scope.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { newId } from '#server/lib/ids.ts'
import { AppError, invalid } from '#shared/errors.ts'
import type { EventPayload } from '#shared/events.ts'
import { createResolver, namesCustomTypes } from '#shared/fields/custom-types.ts'
import type { Field } from '#shared/fields/index.ts'
import { chooseTitleField, type FieldBody } from '#shared/fields/read-fields.ts'
import { customTypesIn, refersTo } from '#shared/fields/references.ts'
import { uidPattern } from '#shared/identifiers.ts'
import { listCustomTypes, rewriteCustomTypes } from './custom-types.repository.ts'
import type { KeptChange } from './kept.repository.ts'
import { askForConversion } from './models.change.ts'
import { readFields } from './models.fields.ts'
import type { ModelCounts, ModelLock, ModelRecord } from './models.repository.ts'
import * as models from './models.repository.ts'
import { type ConversionState, listConversions } from './progress.repository.ts'

export * from './custom-types.repository.ts'
export {
  cannotTakeBack,
  endTypeChange,
  endTypeChanges,
  findKept,
  type KeptTypeChange,
  keepValues,
  listTypeChanges,
} from './kept.repository.ts'
export {
  type Affected,
  type ChangeOptions,
  type ChangePlan,
  type Consequences,
  changeFields,
  convertModel,
  type ModelLoss,
  type Touched,
} from './models.change.ts'
export { fieldsBefore, readCarriedFields, readFields } from './models.fields.ts'
export { concealed, concealedOne } from './models.hidden.ts'
export type { ModelRecord } from './models.repository.ts'
export { raiseVersion } from './models.repository.ts'
/** A model with its counters. `conversion` null: all documents are converted. */
export type ModelWithCounts = ModelRecord & ModelCounts & { conversion: ConversionState | null }

/** Returns the model in the form of responses. */
export const presentModel = ({ scope: _, conversions: _shapes, publicId, ...model }: ModelWithCounts) => ({
  _id: publicId,
  ...model,
})

/** Returns a change that can be undone in the form of responses. */
export const presentChange = ({
  version,
  changes,
  changedBy,
  changedAt,
  until,
}: Omit<KeptChange, 'positions' | 'titleField'>) => ({
  version,
  fields: changes.map(({ from, to }) => ({
    uid: from.uid,
    name: from.name,
    from: from.type,
    to: to?.type ?? null,
  })),
  changedBy,
  changedAt,
  until,
})

/** Input for a model. Its fields have the form of the request body. */
export interface ModelInput {
  uid: string
  name: string
  description?: string | undefined
  fields?: FieldBody[] | undefined
  /** uid of the title field. null: no title. */
  titleField?: string | null | undefined
}

/** Returns the models of the app that the caller may read, in their order. */
export async function listModels(ctx: AppContext): Promise<ModelWithCounts[]> {
  const found = await models.listModels(ctx.db, ctx.scope)
  return withCounts(
    ctx,
    found.filter((model) => readsModelOf(ctx.grants, model.publicId)),
  )
}

/** Returns a model with its counters. Throws 404 for an unknown uid. */
export async function getModel(ctx: AppContext, uid: string): Promise<ModelWithCounts> {
  return withOwnCounts(ctx, await requireModel(ctx, uid))
}

/** Returns the model with that uid, locked if requested. Throws 404 for an unknown uid. */
export async function requireModel(
  ctx: { db: Db; scope: AppScope },
  uid: string,
  lock?: ModelLock,
): Promise<ModelRecord> {
  const model = uidPattern.test(uid) ? await models.findModel(ctx.db, ctx.scope, uid, lock) : undefined
  if (!model) throw new AppError('NotFound')
  return model
}

/**
 * Returns the model's fields with resolved custom types, which reading values requires. Without a lock, the result is
 * newer than `fields` if a custom type was renamed meanwhile.
 */
export async function resolveModelFields(
  ctx: { db: Db; scope: AppScope },
  { scope, fields }: Pick<ModelRecord, 'scope' | 'fields'>,
): Promise<Field[]> {
  if (!namesCustomTypes(fields)) return fields
  const types = await listCustomTypes(ctx.db, ctx.scope)
  const known = new Set(types.map((type) => type.uid))
  if (customTypesIn(fields).every(({ uid }) => known.has(uid))) return createResolver(types)(fields)
  const model = await models.findModelById(ctx.db, scope)
  if (!model) throw new AppError('NotFound')
  return resolveModelFields(ctx, model)
}

/** Returns a model for reading or writing its documents. Throws 404 for an unknown uid. */
export async function openModel(
  ctx: { db: Db; scope: AppScope },
  uid: string,
  lock?: 'share',
): Promise<models.OpenedModel> {
  const model = uidPattern.test(uid) ? await models.openModel(ctx.db, ctx.scope, uid, lock) : undefined
  if (!model) throw new AppError('NotFound')
  return model
}

/** Returns the app's models by uid, without counters. */
export async function modelsByUid(ctx: { db: Db; scope: AppScope }): Promise<Map<string, ModelRecord>> {
  const found = await models.listModels(ctx.db, ctx.scope)
  return new Map(found.map((model) => [model.uid, model]))
}

/**
 * Updates the counters of a model, increments the version that caches use as key, and notifies every process. Should be
 * called late in a transaction, because every writer locks the row of the counters.
 */
export async function countDocuments(
  ctx: { db: Db },
  scope: ModelScope,
  change: { documents: number; published: number },
): Promise<void> {
  await models.addToCounts(ctx.db, scope, change)
}

/**
 * Creates a model. Throws `ValidationFailed` with the issues of its fields or of the title field, and
 * `ModelUidIsAlreadyInUse`, and `ModelQuotaExceeded`.
 */
export async function createModel(ctx: AppContext, input: ModelInput): Promise<ModelWithCounts> {
  const others = await lockModels(ctx)
  const customTypes = await listCustomTypes(ctx.db, ctx.scope)
  const fields = readFields(input.fields ?? [], {
    existing: [],
    modelUids: new Set([...others.map((model) => model.uid), input.uid]),
    customTypes,
  })
  const { uid, name, description = '', titleField } = input
  const title = chooseTitleField(fields, titleField, undefined)
  return addModel(ctx, { uid, name, description, fields, titleField: title })
}

/** Inserts a model with parsed fields after all others. Throws `ModelUidIsAlreadyInUse`, `ModelQuotaExceeded`. */
export async function addModel(ctx: AppContext, values: models.ModelValues): Promise<ModelWithCounts> {
  await requireQuota(ctx, 'models')
  const model = await models.insertModel(ctx.db, ctx.scope, { publicId: newId(), ...values })
  await record(ctx, model, 'model.created', { uid: model.uid })
  return { ...model, documentCount: 0, publishedCount: 0, conversion: null }
}

/** Locks the app's models and custom types against other changes. Throws 404 if the app is deleted. */
export async function lockModels(ctx: AppContext): Promise<ModelRecord[]> {
  if (!(await models.lockApp(ctx.db, ctx.scope))) throw new AppError('NotFound')
  return models.listModels(ctx.db, ctx.scope)
}

/** Resumes a stopped conversion. Returns the model unchanged if it has no conversion. */
export async function continueConversion(ctx: AppContext, uid: string): Promise<ModelWithCounts> {
  const model = await requireModel(ctx, uid)
  if (model.conversions.length > 0) await askForConversion(ctx, model)
  return withOwnCounts(ctx, model)
}

/** Updates the app's custom types and the models `found` where `map` changes their fields. */
export async function rewriteFields(
  ctx: AppContext,
  found: ModelRecord[],
  map: (field: Field) => Field,
): Promise<void> {
  await rewriteCustomTypes(ctx.db, ctx.scope, map)
  for (const model of found) {
    const fields = model.fields.map(map)
    if (isDeepStrictEqual(fields, model.fields)) continue
    const changed = await models.updateModel(ctx.db, model.scope, { ...model, fields })
    await record(ctx, changed, 'model.updated', { uid: changed.uid, version: changed.version })
  }
}

/** Sorts the models. Throws 400 unless `uids` are exactly the uids of the app's models. */
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

/**
 * Deletes a model with its documents. Throws `ModelIsStillReferenced` while another model or a custom type of the app
 * refers to it.
 */
export const deleteModel = (ctx: AppContext, uid: string): Promise<void> => deleteModels(ctx, [uid])

/** Deletes several models, which may refer to each other. Throws `ModelIsStillReferenced`. */
export async function deleteModels(ctx: AppContext, uids: readonly string[]): Promise<void> {
  const others = (await lockModels(ctx)).filter((other) => !uids.includes(other.uid))
  const gone: ModelRecord[] = []
  for (const uid of uids) gone.push(await requireModel(ctx, uid, 'update'))
  const isReferrer = (owner: { fields: Field[] }) => uids.some((uid) => refersTo(owner, uid))
  const referrers = others.filter(isReferrer).map((other) => other.uid)
  const types = (await listCustomTypes(ctx.db, ctx.scope)).filter(isReferrer)
  if (referrers.length > 0 || types.length > 0)
    throw new AppError('ModelIsStillReferenced', {
      details: {
        models: referrers,
        ...(types.length > 0 ? { customFieldTypes: types.map((type) => type.uid) } : {}),
      },
    })
  for (const model of gone) {
    await models.deleteModel(ctx.db, model.scope)
    await record(ctx, model, 'model.deleted', { uid: model.uid })
  }
}

/**
 * Records the event of a model's change and notifies every process. Locks the model's counter row, so it should be
 * called late in a transaction.
 */
export async function record<T extends 'model.created' | 'model.updated' | 'model.deleted'>(
  ctx: AppContext,
  { scope, publicId, name }: ModelRecord,
  type: T,
  payload: EventPayload<T>,
): Promise<void> {
  const subject = { appId: scope.appId, modelId: scope.modelId, actor: ctx.actor }
  noteAudit(ctx, { objectId: publicId, objectName: name })
  await recordEvent(ctx.db, scope, type, payload, subject)
  await notify(ctx.db, { kind: 'registry', spaceId: scope.spaceId })
  await countDocuments(ctx, scope, { documents: 0, published: 0 })
}

async function withCounts(ctx: AppContext, found: ModelRecord[]): Promise<ModelWithCounts[]> {
  const idsOf = (list: ModelRecord[]) => list.map((model) => model.scope.modelId)
  const counts = await models.listCounts(ctx.db, ctx.scope, idsOf(found))
  const converting = found.filter(({ conversions }) => conversions.length > 0)
  const states = await listConversions(ctx.db, ctx.scope, converting)
  return found.map((model) => ({
    ...model,
    ...(counts.get(model.scope.modelId) ?? { documentCount: 0, publishedCount: 0 }),
    conversion: states.get(model.scope.modelId) ?? null,
  }))
}

/** Returns the model with its counters and the progress of its conversion. */
export async function withOwnCounts(ctx: AppContext, model: ModelRecord): Promise<ModelWithCounts> {
  const [counted] = await withCounts(ctx, [model])
  return counted ?? { ...model, documentCount: 0, publishedCount: 0, conversion: null }
}
