import { isDeepStrictEqual } from 'node:util'
import { noteAudit } from '#server/access/audit.ts'
import type { AppContext, OwnTransactions } from '#server/access/context.ts'
import { AppError } from '#shared/errors.ts'
import { createResolver } from '#shared/fields/custom-types.ts'
import type { Field } from '#shared/fields/index.ts'
import { chooseTitleField } from '#shared/fields/read-fields.ts'
import { repoint } from '#shared/fields/references.ts'
import type { SiteChange } from '#shared/fields/site-changes.ts'
import { allFields } from '#shared/fields/walk.ts'
import { requireUid } from '#shared/identifiers.ts'
import { listCustomTypes } from './custom-types.repository.ts'
import type { Blocked } from './models.blocked.ts'
import {
  type Affected,
  type ChangeOptions,
  changeFields,
  convertModel,
  type ModelLoss,
  type Plan,
  type Touched,
} from './models.change.ts'
import { readFields } from './models.fields.ts'
import type { Loss } from './models.losses.ts'
import type { ModelRecord, ModelValues } from './models.repository.ts'
import * as models from './models.repository.ts'
import {
  lockModels,
  type ModelInput,
  type ModelWithCounts,
  record,
  requireModel,
  rewriteFields,
  withOwnCounts,
} from './models.service.ts'

/** Properties that are left out stay. */
export interface ModelUpdate extends Omit<ModelInput, 'uid' | 'name'> {
  uid?: string | undefined
  name?: string | undefined
  /** The version the caller edited. */
  version?: number | undefined
}

export interface Updated {
  model: ModelWithCounts
  losses: Loss[]
  site: SiteChange[]
  blocked: Blocked[]
  /** Number of the model's documents outside the trash. */
  documents: number
}

/**
 * Changes a model. Documents of a small model are converted in the same transaction; those of a large one by a job,
 * with losses counted beforehand without locks. Throws `VersionConflict`, `ValidationFailed` (with `losses` when values
 * would be lost without `acceptLoss`, with `repeated` when published documents have the same value in a field that is
 * to be unique), `ModelUidIsAlreadyInUse`. `dryRun` changes nothing.
 */
export async function updateModel(
  own: Pick<OwnTransactions<AppContext>, 'inSpace'>,
  uid: string,
  input: ModelUpdate,
  options: ChangeOptions = {},
): Promise<Updated> {
  const { result, losses, models, site, blocked } = await changeFields(
    own,
    (ctx) => planUpdate(ctx, uid, input),
    options,
  )
  return { model: result, ...told(losses, models), site, blocked }
}

/** Losses and document count in the shape of {@link Updated}. */
export const told = (losses: ModelLoss[], touched: Touched[]) => ({
  losses: losses.map(({ model: _, ...loss }): Loss => loss),
  documents: touched[0]?.documents ?? 0,
})

/** Locks the app and the model, and reads the input. */
async function planUpdate(ctx: AppContext, uid: string, input: ModelUpdate): Promise<Plan<ModelWithCounts>> {
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
  const current = () => withOwnCounts(ctx, before)
  const resolve = createResolver(customTypes)
  const affected = { model: before, change: { from: resolve(oldFields), to: resolve(fields) } }
  return {
    affected: [affected],
    newUid,
    current,
    apply: isDeepStrictEqual(values, old) ? current : () => apply(ctx, affected, others, values),
    pathOf: (fieldId) => {
      const index = fields.findIndex((field) =>
        allFields(resolve([field])).some(({ _id }) => _id === fieldId),
      )
      return `data.fields.${index}.unique`
    },
    tell: told,
  }
}

/** The model for the audit log: its fields by name and type. */
const audited = ({ fields, ...model }: ModelRecord) => ({
  ...model,
  fields: fields.map(({ uid, type }) => `${uid} (${type})`).join(', '),
})

/** Writes the model; its documents are converted now or later. */
async function apply(
  ctx: AppContext,
  affected: Affected,
  others: ModelRecord[],
  values: ModelValues,
): Promise<ModelWithCounts> {
  const { model: before } = affected
  const { uid } = values
  const changed = await models.updateModel(ctx.db, before.scope, values)
  if (uid !== before.uid) await rewriteFields(ctx, others, (field) => repoint(field, before.uid, uid))
  const model = await convertModel(ctx, changed, affected, changed.version)
  noteAudit(ctx, { before: audited(before), after: audited(model) })
  await record(ctx, model, 'model.updated', { uid: model.uid, version: model.version })
  return withOwnCounts(ctx, model)
}
