import { isDeepStrictEqual } from 'node:util'
import { accountOf } from '#server/access/actor.ts'
import type { AppContext } from '#server/access/context.ts'
import { notify } from '#server/db/notices.ts'
import type { AppScope, Db, ModelScope } from '#server/db/scope.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { newId } from '#server/lib/ids.ts'
import { AppError, invalid } from '#shared/errors.ts'
import type { EventPayload } from '#shared/events.ts'
import { createResolver, namesCustomTypes } from '#shared/fields/custom-types.ts'
import type { Field } from '#shared/fields/index.ts'
import { customTypesIn, refersTo, repoint } from '#shared/fields/references.ts'
import { requireUid, uidPattern } from '#shared/identifiers.ts'
import {
  convertDocuments,
  countLosses,
  type FieldChange,
  fieldChanges,
  isRemoval,
  type Loss,
  rebuildUniqueValues,
} from './models.conversion.ts'
import { listCustomTypes, rewriteCustomTypes } from './models.custom-types.ts'
import { chooseTitleField, type FieldBody, readFields } from './models.fields.ts'
import { removeValuesJob } from './models.jobs.ts'
import type { ModelCounts, ModelLock, ModelRecord } from './models.repository.ts'
import * as models from './models.repository.ts'

export type { Loss } from './models.conversion.ts'
export * from './models.custom-types.ts'
export { type FieldBody, readFields } from './models.fields.ts'
export type { ModelRecord } from './models.repository.ts'
export type ModelWithCounts = ModelRecord & ModelCounts

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

/**
 * The model's fields with the custom types that they name: values are read by these. Of a model that is not locked they
 * are those of a moment later, when a type was renamed meanwhile.
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

/** {@link requireModel} for who reads or writes documents of it. */
export async function openModel(
  ctx: { db: Db; scope: AppScope },
  uid: string,
  lock?: 'share',
): Promise<models.OpenedModel> {
  const model = uidPattern.test(uid) ? await models.openModel(ctx.db, ctx.scope, uid, lock) : undefined
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
}

/** Throws `ValidationFailed` naming every culprit, `ModelUidIsAlreadyInUse`. */
export async function createModel(ctx: AppContext, input: ModelInput): Promise<ModelWithCounts> {
  const others = await lockModels(ctx)
  const customTypes = await listCustomTypes(ctx.db, ctx.scope)
  const fields = readFields(input.fields ?? [], {
    existing: [],
    modelUids: new Set([...others.map((model) => model.uid), input.uid]),
    customTypes,
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
  return { ...model, documentCount: 0, publishedCount: 0 }
}

/** Other changes of the app's models and custom types wait; a model of a deleted app is 404. */
export async function lockModels(ctx: AppContext): Promise<ModelRecord[]> {
  if (!(await models.lockApp(ctx.db, ctx.scope))) throw new AppError('NotFound')
  return models.listModels(ctx.db, ctx.scope)
}

/** What is left out stays. */
export interface ModelUpdate extends Omit<ModelInput, 'uid' | 'name'> {
  uid?: string | undefined
  name?: string | undefined
  /** The version the caller edited. */
  version?: number | undefined
}

/**
 * Changes a model and converts its documents. Throws `VersionConflict`, `ValidationFailed` (with `losses` when values
 * would be lost and `acceptLoss` is not given), `ModelUidIsAlreadyInUse`. `dryRun` changes nothing.
 */
export async function updateModel(
  ctx: AppContext,
  uid: string,
  input: ModelUpdate,
  { acceptLoss = false, dryRun = false }: { acceptLoss?: boolean; dryRun?: boolean } = {},
): Promise<{ model: ModelWithCounts; losses: Loss[] }> {
  const others = (await lockModels(ctx)).filter((other) => other.uid !== uid)
  const before = await requireModel(ctx, uid, 'update')
  if (input.version !== undefined && input.version !== before.version)
    throw new AppError('VersionConflict', { details: { current: before.version } })

  const newUid = input.uid ?? before.uid
  requireUid('model', newUid, before.uid, 'data.uid')
  // References of the model to itself follow its uid, in the fields kept and in those a caller read before.
  const renamed = (field: Field) => repoint(field, before.uid, newUid)
  const oldFields = before.fields.map(renamed)
  const modelUids = new Set([...others.map((model) => model.uid), before.uid, newUid])
  const customTypes = await listCustomTypes(ctx.db, ctx.scope)
  const fields = input.fields
    ? readFields(input.fields, { existing: before.fields, modelUids, customTypes }).map(renamed)
    : oldFields
  const values = {
    uid: newUid,
    name: input.name ?? before.name,
    description: input.description ?? before.description,
    fields,
    titleField: chooseTitleField(fields, input.titleField, before.titleField),
  }
  const { name, description, titleField } = before
  const same = isDeepStrictEqual(values, {
    uid: before.uid,
    name,
    description,
    fields: before.fields,
    titleField,
  })
  if (same) return { model: await withOwnCounts(ctx, before), losses: [] }
  const resolve = createResolver(customTypes)
  const change = { from: resolve(oldFields), to: resolve(fields) }
  const changes = fieldChanges(change.from, change.to)
  const losses = await countLosses(ctx.db, before.scope, changes)
  if (dryRun) return { model: await withOwnCounts(ctx, before), losses }
  if (losses.length > 0 && !acceptLoss)
    throw new AppError('ValidationFailed', { message: 'Values would be lost', details: { losses } })

  const model = await models.updateModel(ctx.db, before.scope, values)
  if (newUid !== before.uid) await rewriteFields(ctx, others, (field) => repoint(field, before.uid, newUid))
  const duplicated = await convertModel(ctx, model, change)
  if (duplicated.length > 0)
    throw new AppError('ValidationFailed', {
      message: 'Documents are published with the same value in a field that is to be unique',
      issues: duplicated.map((fieldUid) => ({
        path: `data.fields.${fields.findIndex((field) => field.uid === fieldUid)}.unique`,
        code: 'DuplicatedValue',
      })),
    })
  await record(ctx, model, 'model.updated', { uid: model.uid, version: model.version })
  return { model: await withOwnCounts(ctx, model), losses }
}

/** What the resolved fields of a model were, and what they are to be. */
export interface FieldsChange {
  from: Field[]
  to: Field[]
}

/** What documents of the model would lose by such a change. */
export function findLosses(
  ctx: AppContext,
  { scope }: ModelRecord,
  { from, to }: FieldsChange,
): Promise<Loss[]> {
  return countLosses(ctx.db, scope, fieldChanges(from, to))
}

/**
 * Makes the documents of a model what its new fields say. Answers the uids of fields in which documents are published
 * with the same value, though there is one that is to be unique: then the caller must roll back.
 */
export async function convertModel(
  ctx: AppContext,
  model: ModelRecord,
  { from, to }: FieldsChange,
): Promise<string[]> {
  const changes = fieldChanges(from, to)
  const targets = new Map([...(await modelsByUid(ctx))].map(([uid, { scope }]) => [uid, scope.modelId]))
  const later = await takeLater(ctx, model, changes)
  const now = changes.filter((change) => !later.includes(change))
  await convertDocuments(ctx.db, model.scope, { fields: to, targets }, now)
  return rebuildUniqueValues(ctx.db, model.scope, from, to, changes)
}

/** From so many documents on, values of removed fields are taken out while people go on saving. */
const laterFrom = 2_000

/** Asks for a job for what nobody reads any more, if that takes long. Answers the changes it will see to. */
async function takeLater(
  ctx: AppContext,
  { scope }: ModelRecord,
  changes: FieldChange[],
): Promise<FieldChange[]> {
  const removals = changes.filter(isRemoval)
  if (removals.length === 0) return []
  const counts = (await models.listCounts(ctx.db, ctx.scope, [scope.modelId])).get(scope.modelId)
  if ((counts?.documentCount ?? 0) < laterFrom) return []
  const fieldIds = removals.map((change) => change.from._id)
  const { appId, modelId } = scope
  const options = { scope: ctx.scope, requestedBy: accountOf(ctx.actor) }
  await enqueue(ctx.db, removeValuesJob, { appId, modelId, fieldIds }, options)
  return removals
}

/** Rewrites the fields of models and custom types of the app where `map` changes them: what they name was renamed. */
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

/** Its documents vanish with it. Throws `ModelIsStillReferenced` while another model or a custom type of the app refers to it. */
export async function deleteModel(ctx: AppContext, uid: string): Promise<void> {
  const others = (await lockModels(ctx)).filter((other) => other.uid !== uid)
  const model = await requireModel(ctx, uid, 'update')
  const referrers = others.filter((other) => refersTo(other, uid)).map((other) => other.uid)
  const types = (await listCustomTypes(ctx.db, ctx.scope)).filter((type) => refersTo(type, uid))
  if (referrers.length > 0 || types.length > 0)
    throw new AppError('ModelIsStillReferenced', {
      details: {
        models: referrers,
        ...(types.length > 0 ? { customFieldTypes: types.map((type) => type.uid) } : {}),
      },
    })
  await models.deleteModel(ctx.db, model.scope)
  await record(ctx, model, 'model.deleted', { uid })
}

async function record<T extends 'model.created' | 'model.updated' | 'model.deleted'>(
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
  const counts = await models.listCounts(
    ctx.db,
    ctx.scope,
    found.map((model) => model.scope.modelId),
  )
  return found.map((model) => ({
    ...model,
    ...(counts.get(model.scope.modelId) ?? { documentCount: 0, publishedCount: 0 }),
  }))
}

async function withOwnCounts(ctx: AppContext, model: ModelRecord): Promise<ModelWithCounts> {
  const [counted] = await withCounts(ctx, [model])
  return counted ?? { ...model, documentCount: 0, publishedCount: 0 }
}
