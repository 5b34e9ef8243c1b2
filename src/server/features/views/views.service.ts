import { accountOf } from '#server/access/actor.ts'
import type { AppContext } from '#server/access/context.ts'
import { readsModelOf } from '#server/access/grants.ts'
import {
  loadResolver,
  type ModelRecord,
  modelsByUid,
  requireModel,
} from '#server/features/models/models.service.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { newId } from '#server/lib/ids.ts'
import type { ViewSettings } from '#shared/contract/views.ts'
import { AppError, invalid } from '#shared/errors.ts'
import type { EventType } from '#shared/events.ts'
import type { Field } from '#shared/fields/index.ts'
import { can } from '#shared/permissions.ts'
import type { ViewType } from '#shared/views.ts'
import { type PathFields, renameFields, toIds, toUids } from './field-paths.ts'
import * as store from './views.repository.ts'

/** Maximum number of shared views of a model, and of each account's own views of a model. */
const maximumViews = 100

/** A view as clients receive it: its settings refer to fields by their current uids. */
export interface View extends Omit<store.ViewRecord, 'modelId' | 'ownerId'> {
  modelUid: string
  personal: boolean
}

export interface NewView {
  modelUid: string
  name: string
  type: ViewType
  personal: boolean
  settings: ViewSettings
}

/**
 * Returns the shared views, then the actor's own views, each in their order. Views of models that the actor may not
 * read are omitted.
 */
export async function listViews(ctx: AppContext): Promise<View[]> {
  return present(ctx, await store.listViews(ctx.db, ctx.scope, accountOf(ctx.actor)))
}

/**
 * Appends a view. Throws `Forbidden` for a shared view without the right to it, and 404 for an unknown model. Throws
 * `ValidationFailed` for a field that the model does not have, and for more than {@link maximumViews} views.
 */
export async function createView(ctx: AppContext, input: NewView): Promise<View> {
  const { modelUid, personal, name, type } = input
  if (!personal) requireRight(ctx)
  const ownerId = personal ? accountOf(ctx.actor) : null
  // Only accounts have their own views.
  if (personal && ownerId === null) throw new AppError('Forbidden')
  const { byUid, fieldsOf } = await loadModels(ctx)
  const model = byUid.get(modelUid)
  if (!model || !readsModelOf(ctx.grants, model.publicId)) throw new AppError('NotFound')
  const settings = toStored(input.settings, fieldsOf(model))
  const values = { uid: newId(), ownerId, name, type, settings }
  const view = await store.insertView(ctx.db, model.scope, values, maximumViews)
  if (!view) throw invalid('data', 'TooManyItems', { maximum: maximumViews })
  await record(ctx, view, 'appView.created')
  return toView(view, model, fieldsOf(model))
}

/** Missing properties stay unchanged. */
export interface ViewUpdate {
  name?: string | undefined
  type?: ViewType | undefined
  settings?: ViewSettings | undefined
  /** The version that the caller has read. */
  version?: number | undefined
}

/** Updates a view. Throws 404, `Forbidden`, `VersionConflict` (with the `current` version), `ValidationFailed`. */
export async function updateView(ctx: AppContext, uid: string, input: ViewUpdate): Promise<View> {
  const before = await requireView(ctx, uid)
  const { name = before.name, type = before.type, version = before.version } = input
  const { byId, fieldsOf } = await loadModels(ctx)
  const model = byId.get(before.modelId)
  if (!model) throw new AppError('NotFound')
  const settings = input.settings ? toStored(input.settings, fieldsOf(model)) : before.settings
  const view = await store.updateView(ctx.db, ctx.scope, uid, version, { name, type, settings })
  if (!view) throw new AppError('VersionConflict', { details: { current: before.version } })
  await record(ctx, view, 'appView.updated')
  return toView(view, model, fieldsOf(model))
}

/** Deletes a view. Throws 404, `Forbidden`. */
export async function deleteView(ctx: AppContext, uid: string): Promise<void> {
  const view = await requireView(ctx, uid)
  await store.deleteView(ctx.db, ctx.scope, uid)
  await record(ctx, view, 'appView.deleted')
}

/**
 * Sets the order of a model's shared views, or of the actor's own views. Throws 400 unless `appViewIds` are exactly the
 * uids of these views.
 */
export async function updateViewOrder(
  ctx: AppContext,
  { modelUid, personal, appViewIds }: { modelUid: string; personal: boolean; appViewIds: string[] },
): Promise<View[]> {
  if (!personal) requireRight(ctx)
  const { scope } = await requireModel(ctx, modelUid)
  const visible = await store.listViews(ctx.db, ctx.scope, accountOf(ctx.actor))
  const known = visible.filter(
    (view) => view.modelId === scope.modelId && (view.ownerId !== null) === personal,
  )
  const asked = new Set(appViewIds)
  const complete = asked.size === appViewIds.length && asked.size === known.length
  if (!complete || known.some(({ uid }) => !asked.has(uid))) throw invalid('appViewIds', 'InvalidValue')
  await store.updateViewOrder(ctx.db, ctx.scope, appViewIds)
  return listViews(ctx)
}

function requireRight(ctx: AppContext): void {
  if (!can(ctx.grants, 'view.manage')) throw new AppError('Forbidden')
}

/** Returns a view that the actor may change. Throws 404 (also for another account's own view), `Forbidden`. */
async function requireView(ctx: AppContext, uid: string): Promise<store.ViewRecord> {
  const view = await store.findView(ctx.db, ctx.scope, accountOf(ctx.actor), uid)
  if (!view) throw new AppError('NotFound')
  if (view.ownerId === null) requireRight(ctx)
  return view
}

/**
 * Returns the app's models, and a function that returns a model's fields with their custom types and referenced models.
 */
async function loadModels(ctx: AppContext) {
  const byUid = await modelsByUid(ctx)
  const resolve = await loadResolver(ctx.db, ctx.scope, ...[...byUid.values()].map(({ fields }) => fields))
  const known = new Map<string, Field[]>()
  function ofModel(uid: string): Field[] | undefined {
    const model = byUid.get(uid)
    const fields = known.get(uid) ?? (model && resolve(model.fields))
    if (fields) known.set(uid, fields)
    return fields
  }
  return {
    byUid,
    byId: new Map([...byUid.values()].map((model) => [model.scope.modelId, model])),
    fieldsOf: ({ uid }: ModelRecord): PathFields => ({ fields: ofModel(uid) ?? [], ofModel }),
  }
}

async function present(ctx: AppContext, views: store.ViewRecord[]): Promise<View[]> {
  if (views.length === 0) return []
  const { byId, fieldsOf } = await loadModels(ctx)
  return views.flatMap((view) => {
    const model = byId.get(view.modelId)
    return model && readsModelOf(ctx.grants, model.publicId) ? [toView(view, model, fieldsOf(model))] : []
  })
}

function toView(
  { modelId: _, ownerId, ...view }: store.ViewRecord,
  model: ModelRecord,
  fields: PathFields,
): View {
  const settings = renameFields(view.settings, (path) => toUids(fields, path))
  return { ...view, modelUid: model.uid, personal: ownerId !== null, settings }
}

/**
 * Converts settings to their stored form. Throws `ValidationFailed` with `UnknownField` at the first path of a missing
 * field.
 */
function toStored(settings: ViewSettings, fields: PathFields): ViewSettings {
  return renameFields(settings, (path, at) => {
    const ids = toIds(fields, path)
    if (ids === undefined) throw invalid(`data.settings.${at}`, 'UnknownField')
    return ids
  })
}

/** Records events of shared views only; own views are private. */
async function record(
  ctx: AppContext,
  { uid, modelId, ownerId }: store.ViewRecord,
  type: Extract<EventType, `appView.${string}`>,
): Promise<void> {
  if (ownerId !== null) return
  const subject = { appId: ctx.scope.appId, modelId, actor: ctx.actor }
  await recordEvent(ctx.db, ctx.scope, type, { uid }, subject)
}
