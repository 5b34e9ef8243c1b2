import type { AppContext, OwnTransactions } from '#server/access/context.ts'
import * as store from '#server/features/models/models.service.ts'
import {
  type ChangeOptions,
  type ChangePlan,
  type Consequences,
  type CustomTypeRecord,
  cannotTakeBack,
  changeFields,
  fieldsBefore,
  type KeptTypeChange,
  lockModels,
  type ModelLoss,
  readFields,
  type Touched,
} from '#server/features/models/models.service.ts'
import { AppError } from '#shared/errors.ts'
import { type FieldChange, fieldChanges } from '#shared/fields/convert.ts'
import { type CustomType, createResolver } from '#shared/fields/custom-types.ts'
import { findIn, getCustomType, planChange } from './custom-types.service.ts'

/* A change of a custom type is undone as a whole: in all models that it changed (docs/decisions/0043). */

/** A change that can be undone, with its effect on the custom type's own fields. */
export interface CustomTypeChange
  extends Pick<KeptTypeChange, 'version' | 'changedBy' | 'changedAt' | 'until'> {
  changes: FieldChange[]
}

/** Returns the changes of the custom type that can be undone, newest first. Throws 404. */
export async function listCustomTypeChanges(ctx: AppContext, id: string): Promise<CustomTypeChange[]> {
  const customType = await getCustomType(ctx, id)
  const kept = await store.listTypeChanges(ctx.db, ctx.scope, customType.id)
  return kept.map((change) => ({ ...change, changes: ownChanges(change, id) }))
}

/**
 * Makes the change with this version, and all older ones, permanent. The former values of documents are deleted later.
 * Returns the changes that can still be undone. Throws 404.
 */
export async function confirmCustomTypeChange(
  ctx: AppContext,
  id: string,
  version: number,
): Promise<CustomTypeChange[]> {
  const customType = await getCustomType(ctx, id)
  const kept = await store.listTypeChanges(ctx.db, ctx.scope, customType.id)
  if (!kept.some((change) => change.version === version)) throw new AppError('NotFound')
  await store.endTypeChanges(ctx.db, ctx.scope, customType.id, version)
  return listCustomTypeChanges(ctx, id)
}

/**
 * Undoes the newest change of the custom type: restores its fields, and the values in documents of all models that use
 * it. Values written since are converted; if values would be lost, `acceptLoss` is required. Throws 404, 409
 * `ChangeCannotBeTakenBack`, and `ValidationFailed` like `updateCustomType`.
 */
export async function takeBackCustomTypeChange(
  own: Pick<OwnTransactions<AppContext>, 'inSpace'>,
  id: string,
  version: number,
  options: ChangeOptions = {},
): Promise<Consequences & { customType: CustomTypeRecord; losses: ModelLoss[]; models: Touched[] }> {
  const { result, ...told } = await changeFields(own, (ctx) => planTakingBack(ctx, id, version), options)
  return { customType: result, ...told }
}

async function planTakingBack(
  ctx: AppContext,
  id: string,
  version: number,
): Promise<ChangePlan<CustomTypeRecord>> {
  const models = await lockModels(ctx)
  const types = await store.listCustomTypes(ctx.db, ctx.scope)
  const before = findIn(types, id)
  const [change, ...older] = await store.listTypeChanges(ctx.db, ctx.scope, before.id)
  if (change?.version !== version) {
    if (older.some((candidate) => candidate.version === version)) throw cannotTakeBack('newer')
    throw new AppError('NotFound')
  }
  const others = types.filter((type) => type !== before)
  const changes = ownChanges(change, id)
  const fields = readFields(
    fieldsBefore(before.fields, {
      changes,
      positions: fieldsOf(change.types.before, id).map(({ _id }) => _id),
    }),
    {
      existing: [...before.fields, ...changes.map(({ from }) => from)],
      modelUids: new Set(models.map((model) => model.uid)),
      customTypes: others,
      owner: before.uid,
    },
  )
  const { uid, name, description } = before
  const values = { uid, name, description, fields }
  const plan = await planChange(ctx, { models, types, before, values, takesBack: change })
  for (const { model, change: back } of plan.affected) {
    if (model.conversions.length > 0) throw cannotTakeBack('converting')
    // The stored values have the structure that the model and its custom types had before the change.
    const then = change.models.get(model.scope.modelId)?.changes.map(({ from }) => from) ?? []
    const ids = new Set(then.map(({ _id }) => _id))
    const now = back.to.filter(({ _id }) => ids.has(_id))
    if (fieldChanges(then, now).length > 0) throw cannotTakeBack('types')
  }
  return plan
}

const fieldsOf = (types: CustomType[], id: string) => types.find(({ _id }) => _id === id)?.fields ?? []

function ownChanges({ types }: KeptTypeChange, id: string): FieldChange[] {
  const made = (those: CustomType[]) => createResolver(those)(fieldsOf(those, id))
  return fieldChanges(made(types.before), made(types.after))
}
