import { isDeepStrictEqual } from 'node:util'
import type { AppContext, OwnTransactions } from '#server/access/context.ts'
import { isUnique } from '#server/content/unique.ts'
import { documentsSince, newestEvent } from '#server/jobs/events.ts'
import { AppError, type Issue } from '#shared/errors.ts'
import { type FieldChange, fieldChanges } from '#shared/fields/convert.ts'
import { createResolver } from '#shared/fields/custom-types.ts'
import type { Field } from '#shared/fields/index.ts'
import { repoint } from '#shared/fields/references.ts'
import { allFields } from '#shared/fields/walk.ts'
import { requireUid } from '#shared/identifiers.ts'
import { listCustomTypes } from './models.custom-types.ts'
import { chooseTitleField, readFields } from './models.fields.ts'
import { countLosses, countLossesInTurns, findMoreLosses, type Loss } from './models.losses.ts'
import type { ModelRecord, ModelValues } from './models.repository.ts'
import * as models from './models.repository.ts'
import {
  convertModel,
  type FieldsChange,
  getModel,
  isLarge,
  lockModels,
  type ModelInput,
  type ModelWithCounts,
  record,
  requireModel,
  rewriteFields,
  withOwnCounts,
} from './models.service.ts'

/** What is left out stays. */
export interface ModelUpdate extends Omit<ModelInput, 'uid' | 'name'> {
  uid?: string | undefined
  name?: string | undefined
  /** The version the caller edited. */
  version?: number | undefined
}

interface UpdateOptions {
  acceptLoss?: boolean
  /** Only say what would be lost. */
  dryRun?: boolean
}

interface Updated {
  model: ModelWithCounts
  losses: Loss[]
}

/** How often a change is begun anew because somebody else changed the model while losses were counted. */
const maximumAttempts = 5

/**
 * Changes a model. The documents of a small one are converted in the same transaction; those of a large one by a job,
 * and what they would lose is counted beforehand, while nobody waits. Throws `VersionConflict`, `ValidationFailed` (with
 * `losses` when values would be lost and `acceptLoss` is not given), `ModelUidIsAlreadyInUse`. `dryRun` changes nothing.
 */
export async function updateModel(
  { inSpace }: OwnTransactions<AppContext>,
  uid: string,
  input: ModelUpdate,
  options: UpdateOptions = {},
): Promise<Updated> {
  for (let attempt = 1; attempt <= maximumAttempts; attempt++) {
    const begun = await inSpace((ctx) => begin(ctx, uid, input, options))
    if ('done' in begun) return begun.done
    const { before, changes, event } = begun.counting
    const losses = await countLossesInTurns(
      (work) => inSpace((ctx) => work(ctx.db)),
      before.scope,
      before,
      changes,
    )
    if (options.dryRun) return inSpace(async (ctx) => ({ model: await withOwnCounts(ctx, before), losses }))
    requireAccepted(losses, options)
    const updated = await inSpace(async (ctx) => {
      const plan = await planChange(ctx, uid, input)
      if (!plan || plan.before.version !== before.version) return undefined
      const written = await documentsSince(ctx.db, before.scope, event)
      const more = await findMoreLosses(ctx.db, before.scope, before, changes, written, losses)
      requireAccepted(more, options)
      return { model: await apply(ctx, plan), losses: [...losses, ...more] }
    })
    if (updated) return updated
  }
  throw new AppError('VersionConflict')
}

/** What is to become of a model that is locked, with the models beside it. */
interface Plan {
  before: ModelRecord
  others: ModelRecord[]
  values: ModelValues
  /** The fields whole, as they would be called by the model's new uid. */
  change: FieldsChange
  changes: FieldChange[]
}

/** Losses of a large model that are to be counted; what is written to it from now on is told of behind `event`. */
interface Counting {
  before: ModelRecord
  changes: FieldChange[]
  event: number
}

async function begin(
  ctx: AppContext,
  uid: string,
  input: ModelUpdate,
  options: UpdateOptions,
): Promise<{ done: Updated } | { counting: Counting }> {
  const plan = await planChange(ctx, uid, input)
  if (!plan) return { done: { model: await getModel(ctx, uid), losses: [] } }
  const { before, changes } = plan
  if (changes.length > 0 && (await isLarge(ctx, before))) {
    refuseUnique(plan)
    return { counting: { before, changes, event: await newestEvent(ctx.db, before.scope) } }
  }
  const losses = await countLosses(ctx.db, before.scope, before, changes)
  if (options.dryRun) return { done: { model: await withOwnCounts(ctx, before), losses } }
  requireAccepted(losses, options)
  return { done: { model: await apply(ctx, plan), losses } }
}

/** Locks the app and the model, and reads what is to change. Null: nothing. */
async function planChange(ctx: AppContext, uid: string, input: ModelUpdate): Promise<Plan | null> {
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
  const old = { uid: before.uid, name, description, fields: before.fields, titleField }
  if (isDeepStrictEqual(values, old)) return null
  const resolve = createResolver(customTypes)
  const change = { from: resolve(oldFields), to: resolve(fields) }
  return { before, others, values, change, changes: fieldChanges(change.from, change.to) }
}

/** Nobody can tell which documents have the same value before all are converted. */
function refuseUnique({ values: { fields }, changes }: Plan): void {
  const issues = changes.flatMap(({ to }): Issue[] => {
    if (!to || !allFields([to]).some(isUnique)) return []
    const index = fields.findIndex(({ _id }) => _id === to._id)
    return [{ path: `data.fields.${index}.unique`, code: 'UniqueWhileConverted' }]
  })
  if (issues.length > 0) throw new AppError('ValidationFailed', { issues })
}

function requireAccepted(losses: Loss[], { acceptLoss = false }: UpdateOptions): void {
  if (losses.length > 0 && !acceptLoss)
    throw new AppError('ValidationFailed', { message: 'Values would be lost', details: { losses } })
}

/** Writes the model; its documents follow now or later. Throws 400 for values that repeat in a field that is to be unique. */
async function apply(ctx: AppContext, plan: Plan): Promise<ModelWithCounts> {
  const { before, others, values, change } = plan
  const { uid, fields } = values
  const changed = await models.updateModel(ctx.db, before.scope, values)
  if (uid !== before.uid) await rewriteFields(ctx, others, (field) => repoint(field, before.uid, uid))
  const { model, duplicated } = await convertModel(ctx, changed, change)
  if (duplicated.length > 0)
    throw new AppError('ValidationFailed', {
      message: 'Documents are published with the same value in a field that is to be unique',
      issues: duplicated.map((fieldUid) => ({
        path: `data.fields.${fields.findIndex((field) => field.uid === fieldUid)}.unique`,
        code: 'DuplicatedValue',
      })),
    })
  await record(ctx, model, 'model.updated', { uid: model.uid, version: model.version })
  return withOwnCounts(ctx, model)
}
