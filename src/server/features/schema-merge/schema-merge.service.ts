import { isDeepStrictEqual } from 'node:util'
import type { AppContext } from '#server/access/context.ts'
import {
  changeCustomType,
  deleteCustomType,
  insertCustomType,
  listCustomTypes,
} from '#server/features/custom-types/custom-types.service.ts'
import {
  type Affected,
  addModel,
  type CustomTypeRecord,
  deleteModels,
  lockModels,
  type ModelRecord,
  type ModelWithCounts,
  requireModel,
} from '#server/features/models/models.service.ts'
import { changeModel, keptChange } from '#server/features/models/planned-changes.service.ts'
import { createView, deleteView, updateView, type View } from '#server/features/views/views.service.ts'
import { Pace } from '#server/lib/pace.ts'
import { compiles } from '#server/lib/patterns.ts'
import { AppError, type Issue } from '#shared/errors.ts'
import { createResolver } from '#shared/fields/custom-types.ts'
import { customTypesIn } from '#shared/fields/references.ts'
import { type Merged, type MergeInput, mergeSteps } from '#shared/schema-merge/merge.ts'
import { issuesOf, type OwnSchema, type Refusal } from '#shared/schema-merge/schema.ts'

/*
 * The server's part of merging schemas (docs/decisions/0109): reads and locks the schema of an app, and writes the
 * result of `shared/schema-merge`.
 */

type Input = MergeInput<ModelRecord, CustomTypeRecord, View>
export type AppMerge = Merged<ModelRecord, CustomTypeRecord, View>
export type AppSchema = OwnSchema<ModelRecord, CustomTypeRecord>

/** The empty schema of an app that does not exist yet. */
export const noSchema: AppSchema = { models: [], customTypes: [] }

/** Reads the schema of an app and blocks other changes of its models and custom types. Throws 404 for a deleted app. */
export async function lockSchema(ctx: AppContext): Promise<AppSchema> {
  const models = await lockModels(ctx)
  return { models, customTypes: await listCustomTypes(ctx) }
}

/** Computes the merge of the incoming schema into an app, or into {@link noSchema}. Writes nothing. */
export function merge(input: Omit<Input, 'compiles'>): AppMerge {
  const steps = mergeSteps({ ...input, compiles })
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Merges like {@link merge}, but yields to the event loop, because an app may have a thousand models. */
export async function mergeInTurns(input: Omit<Input, 'compiles'>): Promise<AppMerge> {
  const steps = mergeSteps({ ...input, compiles })
  const pace = new Pace()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await pace.giveWay()
  }
}

/**
 * Throws 400 with everything that was refused, except parts that stay because they are referenced. `place`: path of a
 * refusal in the request body ({@link issuesOf}). `more`: further issues.
 */
export function requireWhole(
  { refusals }: AppMerge,
  place?: (refusal: Refusal) => string,
  more: readonly Issue[] = [],
): void {
  const left = refusals.filter(({ reason }) => reason !== 'used')
  const issues = [...more, ...issuesOf(left, place)]
  if (left.length + more.length > 0) throw new AppError('ValidationFailed', { issues })
}

/**
 * Calls `work`. Converts an error with issues to `ValidationFailed`, and replaces `data` at the start of their paths by
 * `path`.
 */
export async function issuesAt<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || !error.issues) throw error
    const issues = error.issues.map((issue) => ({ ...issue, path: issue.path.replace(/^data/, path) }))
    throw new AppError('ValidationFailed', { issues })
  }
}

/**
 * Locks and returns the models whose documents a merge changes. `takesBack`: versions of the changes that the merge
 * undoes, by the models' `_id`s.
 */
export async function affectedModels(
  ctx: AppContext,
  here: AppSchema,
  { after }: AppMerge,
  takesBack: Record<string, number> = {},
): Promise<Affected[]> {
  const [was, will] = [createResolver(here.customTypes), createResolver(after.customTypes)]
  const affected: Affected[] = []
  for (const { uid, publicId, fields } of here.models) {
    const now = after.models.find((model) => model.uid === uid)
    if (!now) continue
    const change = { from: was(fields), to: will(now.fields) }
    if (isDeepStrictEqual(change.from, change.to)) continue
    const model = await requireModel(ctx, uid, 'update')
    const version = takesBack[publicId]
    const kept = version === undefined ? undefined : await keptChange(ctx, model, version, change.to)
    affected.push({ model, change, ...(kept ? { takesBack: kept } : {}) })
  }
  return affected
}

/** The models and custom types that a merge created, in the order of the input. */
export interface Written {
  models: ModelWithCounts[]
  customTypes: CustomTypeRecord[]
  /** Versions of the changed models by their `_id`s, as `takesBack` of {@link affectedModels} needs them. */
  versions: Record<string, number>
}

/**
 * Writes a merge in the caller's transaction, which has locked the app. `affected`: its {@link affectedModels}. Throws
 * 403, and 400 for a view with unknown fields (`views.0.settings.…`).
 */
export async function writeMerged(
  ctx: AppContext,
  merged: AppMerge,
  affected: readonly Affected[] = [],
): Promise<Written> {
  const { customTypes, models, views, removed, after } = merged
  const written: Written = { models: [], customTypes: [], versions: {} }
  // Views reference fields: deleted views must be removed before their fields, and the others need their fields to
  // exist.
  for (const { before, values } of views) if (before && !values) await deleteView(ctx, before.uid)
  for (const { before, values } of customTypes) {
    const { _id, ...changed } = values
    if (before) await changeCustomType(ctx, before.id, changed)
    else written.customTypes.push(await insertCustomType(ctx, values))
  }
  for (const { before, values } of models) if (!before) written.models.push(await addModel(ctx, values))
  const renamed = models.flatMap(({ before }): Affected[] => {
    if (!before || affected.some(({ model }) => model.uid === before.uid)) return []
    return [{ model: before, change: { from: before.fields, to: before.fields } }]
  })
  for (const one of [...affected, ...renamed]) {
    const now = after.models.find(({ uid }) => uid === one.model.uid)
    if (!now) continue
    const { uid, name, description, fields, titleField } = now
    const model = await changeModel(ctx, one, { uid, name, description, fields, titleField })
    written.versions[model.publicId] = model.version
  }
  for (const { index, before, values } of views) {
    if (!values) continue
    const { modelUid, ...changed } = values
    await issuesAt(`views.${index}`, () =>
      before
        ? updateView(ctx, before.uid, changed)
        : createView(ctx, { ...changed, modelUid, personal: false }),
    )
  }
  await remove(ctx, removed)
  return written
}

/** Deletes models, then custom types. A custom type is deleted before the custom types nested in it. */
async function remove(ctx: AppContext, { models, customTypes }: AppSchema): Promise<void> {
  if (models.length > 0)
    await deleteModels(
      ctx,
      models.map(({ uid }) => uid),
    )
  let left = customTypes
  while (left.length > 0) {
    const named = new Set(left.flatMap(({ fields }) => customTypesIn(fields)).map(({ uid }) => uid))
    for (const { uid, _id } of left) if (!named.has(uid)) await deleteCustomType(ctx, _id)
    left = left.filter(({ uid }) => named.has(uid))
  }
}
