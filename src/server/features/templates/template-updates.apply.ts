import { isDeepStrictEqual } from 'node:util'
import type { AppContext } from '#server/access/context.ts'
import {
  changeCustomType,
  deleteCustomType,
  insertCustomType,
} from '#server/features/custom-types/custom-types.service.ts'
import {
  type Affected,
  addModel,
  type CustomTypeRecord,
  deleteModels,
  type ModelRecord,
  requireModel,
} from '#server/features/models/models.service.ts'
import { changeModel, keptChange } from '#server/features/models/planned-changes.service.ts'
import { createView, deleteView, listViews, updateView } from '#server/features/views/views.service.ts'
import type { TemplateUpdateItem } from '#shared/contract/templates.ts'
import { viewSettingsSchema } from '#shared/contract/views.ts'
import { invalid } from '#shared/errors.ts'
import { type CustomType, createResolver } from '#shared/fields/custom-types.ts'
import { customTypesIn, refersTo } from '#shared/fields/references.ts'
import { viewTypes } from '#shared/views.ts'
import type { Parts } from './template-updates.compare.ts'
import type { Merged } from './template-updates.merge.ts'

/* Writes what was merged, in the transaction of its plan. */

/** The models whose documents follow, locked. `changes`: what is taken back of each, by its `_id`. */
export async function affectedModels(
  ctx: AppContext,
  merged: Merged,
  customTypes: CustomTypeRecord[],
  changes: Record<string, number> = {},
): Promise<Affected[]> {
  const types = new Map(customTypes.map((type): [string, CustomType] => [type.uid, type]))
  for (const { before: _, ...values } of merged.customTypes) types.set(values.uid, values)
  const [was, will] = [createResolver(customTypes), createResolver([...types.values()])]
  const affected: Affected[] = []
  for (const { before, fields } of merged.models) {
    if (!before) continue
    const change = { from: was(before.fields), to: will(fields) }
    if (isDeepStrictEqual(change.from, change.to)) continue
    const model = await requireModel(ctx, before.uid, 'update')
    const version = changes[model.publicId]
    const takesBack = version === undefined ? undefined : await keptChange(ctx, model, version, change.to)
    affected.push({ model, change, ...(takesBack ? { takesBack } : {}) })
  }
  return affected
}

/** Makes and changes custom types and models. Answers the versions of models whose change can be taken back. */
export async function applyMerged(
  ctx: AppContext,
  merged: Merged,
  affected: readonly Affected[],
): Promise<Record<string, number>> {
  for (const { before, ...values } of merged.customTypes) {
    if (!before) await insertCustomType(ctx, values)
    else if (!isDeepStrictEqual(values, only(values, before))) await changeCustomType(ctx, before.id, values)
  }
  for (const { before, ...values } of merged.models) if (!before) await addModel(ctx, values)
  const versions: Record<string, number> = {}
  for (const { before, ...values } of merged.models) {
    if (!before) continue
    const own = affected.find(({ model }) => model.scope.modelId === before.scope.modelId)
    if (!own && isDeepStrictEqual(values, only(values, before))) continue
    const unchanged = { model: before, change: { from: before.fields, to: before.fields } }
    const model = await changeModel(ctx, own ?? unchanged, values)
    versions[model.publicId] = model.version
  }
  return versions
}

const only = <T extends object>(values: T, record: T): T =>
  Object.fromEntries(Object.keys(values).map((key) => [key, record[key as keyof T]])) as T

type ChosenView = TemplateUpdateItem & { kind: 'view' }
export const isView = (item: TemplateUpdateItem): item is ChosenView => item.kind === 'view'

/** Makes, changes and deletes views. */
export async function applyViews(
  ctx: AppContext,
  target: Parts,
  chosen: TemplateUpdateItem[],
): Promise<void> {
  const views = chosen.filter(isView)
  if (views.length === 0) return
  const own = (await listViews(ctx)).filter(({ personal }) => !personal)
  for (const { owner, name, key } of views) {
    const isIt = (view: { modelUid: string; name: string }) =>
      view.modelUid === owner?.uid && view.name === name
    const [here, there] = [own.find(isIt), target.views.find(isIt)]
    if (!there) {
      if (here) await deleteView(ctx, here.uid)
      continue
    }
    const type = viewTypes.find((known) => known === there.type)
    const settings = viewSettingsSchema.safeParse(there.settings)
    if (!type || !settings.success) throw invalid(key, 'InvalidValue')
    const values = { name, type, settings: settings.data }
    if (here) await updateView(ctx, here.uid, values)
    else await createView(ctx, { ...values, modelUid: there.modelUid, personal: false })
  }
}

/** What an update has added, as far as nothing uses it that is to stay. */
export interface Added {
  models: ModelRecord[]
  customTypes: CustomTypeRecord[]
}

/** Of what an update has added, what nothing uses that is to stay when it is taken back. */
export function unusedOf(added: Added, merged: Merged, customTypes: readonly CustomTypeRecord[]): Added {
  const written = new Map(merged.customTypes.map((type) => [type.uid, type.fields]))
  const types = customTypes.map(({ uid, fields }) => ({ uid, fields: written.get(uid) ?? fields }))
  let { models: goneModels, customTypes: goneTypes } = added
  for (;;) {
    const staying = [
      ...merged.models.filter(({ uid }) => !goneModels.some((model) => model.uid === uid)),
      ...types.filter(({ uid }) => !goneTypes.some((type) => type.uid === uid)),
    ]
    const models = goneModels.filter(({ uid }) => !staying.some((owner) => refersTo(owner, uid)))
    const named = new Set(staying.flatMap(({ fields }) => customTypesIn(fields)).map(({ uid }) => uid))
    const left = goneTypes.filter(({ uid }) => !named.has(uid))
    if (models.length === goneModels.length && left.length === goneTypes.length)
      return { models, customTypes: left }
    goneModels = models
    goneTypes = left
  }
}

/** Deletes it, those custom types first that others lie in. */
export async function removeAdded(ctx: AppContext, { models, customTypes }: Added): Promise<void> {
  const uids = models.map(({ uid }) => uid)
  if (uids.length > 0) await deleteModels(ctx, uids)
  let left = customTypes
  while (left.length > 0) {
    const named = new Set(left.flatMap(({ fields }) => customTypesIn(fields)).map(({ uid }) => uid))
    for (const { uid, _id } of left) if (!named.has(uid)) await deleteCustomType(ctx, _id)
    left = left.filter(({ uid }) => named.has(uid))
  }
}
