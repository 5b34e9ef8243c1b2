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
  type ChangePlan,
  changeFields,
  convertModel,
  type ModelLoss,
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

/** A change of a model. Missing properties stay unchanged. */
export interface ModelUpdate extends Omit<ModelInput, 'uid' | 'name'> {
  uid?: string | undefined
  name?: string | undefined
  /** The version on which the caller's change is based. */
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
 * Changes a model. Documents of a small model are converted in the same transaction. Documents of a large model are
 * converted by a job, and losses are counted beforehand without locks. `dryRun` changes nothing.
 *
 * Throws `VersionConflict` and `ModelUidIsAlreadyInUse`. Throws `ValidationFailed` with `losses` if values would be
 * lost without `acceptLoss`. Throws `ValidationFailed` with `repeated` if published documents have the same value in a
 * field that is unique after the change.
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

/** Returns losses and document count in the form of {@link Updated}. */
export const told = (losses: ModelLoss[], touched: Touched[]) => ({
  losses: losses.map(({ model: _, ...loss }): Loss => loss),
  documents: touched[0]?.documents ?? 0,
})

/** Locks the app and the model, and reads the input. */
async function planUpdate(
  ctx: AppContext,
  uid: string,
  input: ModelUpdate,
): Promise<ChangePlan<ModelWithCounts>> {
  const others = (await lockModels(ctx)).filter((other) => other.uid !== uid)
  const before = await requireModel(ctx, uid, 'update')
  if (input.version !== undefined && input.version !== before.version)
    throw new AppError('VersionConflict', { details: { current: before.version } })

  const newUid = input.uid ?? before.uid
  requireUid('model', newUid, before.uid, 'data.uid')
  // References of the model to itself get its new uid, both in stored fields and in fields that a caller read before
  // the change.
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

/** Returns the model for the audit log. Its fields become one text with the uid and type of each field. */
const audited = ({ fields, ...model }: ModelRecord) => ({
  ...model,
  fields: fields.map(({ uid, type }) => `${uid} (${type})`).join(', '),
})

/** Writes the model. Its documents are converted now or later. */
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
