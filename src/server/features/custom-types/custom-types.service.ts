import { isDeepStrictEqual } from 'node:util'
import { noteAudit } from '#server/access/audit.ts'
import type { AppContext, OwnTransactions } from '#server/access/context.ts'
import { notify } from '#server/db/notices.ts'
import * as store from '#server/features/models/models.service.ts'
import {
  type Affected,
  type ChangeOptions,
  type ChangePlan,
  type Consequences,
  type CustomTypeRecord,
  changeFields,
  convertModel,
  countDocuments,
  type KeptTypeChange,
  lockModels,
  type ModelLoss,
  type ModelRecord,
  readFields,
  requireModel,
  rewriteFields,
  type Touched,
} from '#server/features/models/models.service.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { newId } from '#server/lib/ids.ts'
import { AppError } from '#shared/errors.ts'
import type { EventPayload, EventType } from '#shared/events.ts'
import { createResolver, nestingIssues, uses } from '#shared/fields/custom-types.ts'
import type { Field } from '#shared/fields/index.ts'
import type { FieldBody } from '#shared/fields/read-fields.ts'
import { customTypesIn, repointCustomType } from '#shared/fields/references.ts'
import { allFields } from '#shared/fields/walk.ts'

/** A custom type in a request body. */
export interface CustomTypeInput {
  uid: string
  name: string
  description?: string | undefined
  fields?: FieldBody[] | undefined
}

/** Returns the custom types of the app, ordered by name. */
export function listCustomTypes(ctx: AppContext): Promise<CustomTypeRecord[]> {
  return store.listCustomTypes(ctx.db, ctx.scope)
}

/** Returns a custom type of the app. Throws 404 for an unknown `_id`. */
export async function getCustomType(ctx: AppContext, id: string): Promise<CustomTypeRecord> {
  return findIn(await listCustomTypes(ctx), id)
}

export function findIn(types: CustomTypeRecord[], id: string): CustomTypeRecord {
  const found = types.find((type) => type._id === id)
  if (!found) throw new AppError('NotFound')
  return found
}

/**
 * Creates a custom type. Throws `ValidationFailed` with the issues of its fields, and `CustomFieldTypeIsAlreadyInUse`
 * if uid or name is taken.
 */
export async function createCustomType(ctx: AppContext, input: CustomTypeInput): Promise<CustomTypeRecord> {
  const models = await lockModels(ctx)
  const fields = readFields(input.fields ?? [], {
    existing: [],
    modelUids: new Set(models.map((model) => model.uid)),
    customTypes: await listCustomTypes(ctx),
    owner: input.uid,
  })
  return insertCustomType(ctx, { ...input, description: input.description ?? '', fields })
}

/** Adds a custom type with parsed fields. Throws `CustomFieldTypeIsAlreadyInUse`. */
export async function insertCustomType(
  ctx: AppContext,
  values: store.CustomTypeValues & { _id?: string },
): Promise<CustomTypeRecord> {
  const customType = await store.insertCustomType(ctx.db, ctx.scope, { _id: newId(), ...values })
  await record(ctx, 'customType.created', { uid: customType.uid })
  return customType
}

/** Updates a custom type whose uid stays the same. The caller must convert the documents of the models that use it. */
export async function changeCustomType(
  ctx: AppContext,
  id: number,
  values: store.CustomTypeValues,
): Promise<void> {
  const { uid, version } = await store.updateCustomType(ctx.db, ctx.scope, id, values)
  await record(ctx, 'customType.updated', { uid, version })
}

/** A change of a custom type. Missing properties stay unchanged. */
export interface CustomTypeUpdate extends Omit<CustomTypeInput, 'uid' | 'name'> {
  uid?: string | undefined
  name?: string | undefined
  /** The version on which the caller's change is based. */
  version?: number | undefined
}

/**
 * Changes a custom type and converts the documents of all models that use it, immediately or, for large models, in
 * jobs. `dryRun` changes nothing.
 *
 * Throws `VersionConflict` and `CustomFieldTypeIsAlreadyInUse`. Throws `ValidationFailed` with `losses` if values would
 * be lost without `acceptLoss`. Throws `ValidationFailed` with `repeated` if published documents have the same value in
 * a field that is unique after the change.
 */
export async function updateCustomType(
  own: Pick<OwnTransactions<AppContext>, 'inSpace'>,
  id: string,
  input: CustomTypeUpdate,
  options: ChangeOptions = {},
): Promise<Consequences & { customType: CustomTypeRecord; losses: ModelLoss[]; models: Touched[] }> {
  const { result, ...told } = await changeFields(own, (ctx) => planUpdate(ctx, id, input), options)
  return { customType: result, ...told }
}

async function planUpdate(
  ctx: AppContext,
  id: string,
  input: CustomTypeUpdate,
): Promise<ChangePlan<CustomTypeRecord>> {
  const models = await lockModels(ctx)
  const types = await listCustomTypes(ctx)
  const before = findIn(types, id)
  if (input.version !== undefined && input.version !== before.version)
    throw new AppError('VersionConflict', { details: { current: before.version } })

  const uid = input.uid ?? before.uid
  const others = othersRenamed(types, before, uid)
  const fields = input.fields
    ? readFields(input.fields, {
        existing: before.fields,
        modelUids: new Set(models.map((model) => model.uid)),
        customTypes: others,
        owner: uid,
      })
    : before.fields
  const { name, description } = before
  const values = {
    uid,
    name: input.name ?? name,
    description: input.description ?? description,
    fields,
  }
  return planChange(ctx, { models, types, before, values })
}

const othersRenamed = (types: CustomTypeRecord[], before: CustomTypeRecord, uid: string) =>
  types
    .filter((type) => type !== before)
    .map((type) => ({
      ...type,
      fields: type.fields.map((field) => repointCustomType(field, before.uid, uid)),
    }))

/**
 * A change of a custom type in a locked app: all models and custom types of the app, the type before the change, and
 * its new values.
 */
export interface Changing {
  models: ModelRecord[]
  types: CustomTypeRecord[]
  before: CustomTypeRecord
  values: store.CustomTypeValues
  /** The earlier change that this one undoes. */
  takesBack?: KeptTypeChange
}

/**
 * Plans the change of a custom type for all models that use it, and locks them. Throws like {@link updateCustomType}.
 */
export async function planChange(
  ctx: AppContext,
  { models, types, before, values, takesBack }: Changing,
): Promise<ChangePlan<CustomTypeRecord>> {
  const { uid: uidBefore, name, description } = before
  const { fields } = values
  const renamed = (field: Field) => repointCustomType(field, uidBefore, values.uid)
  const isSame = isDeepStrictEqual(values, { uid: uidBefore, name, description, fields: before.fields })
  const after = [...othersRenamed(types, before, values.uid), { ...before, ...values }]
  checkNesting(models, before.uid, types, after, renamed)
  const [wasMade, isMade] = [createResolver(types), createResolver(after)]
  const affected: Affected[] = []
  for (const { uid: modelUid } of models.filter((model) => uses(model.fields, before.uid, types))) {
    const model = await requireModel(ctx, modelUid, 'update')
    const change = { from: wasMade(model.fields), to: isMade(model.fields.map(renamed)) }
    const kept = takesBack?.models.get(model.scope.modelId)
    affected.push({ model, change, ...(kept ? { takesBack: kept } : {}) })
  }
  const current = async () => before
  return {
    affected,
    current,
    apply: isSame ? current : () => apply(ctx, before, values, { models, affected, renamed, takesBack }),
    pathOf: (fieldId) => {
      const index = isMade(fields).findIndex((field) => allFields([field]).some(({ _id }) => _id === fieldId))
      return index < 0 ? 'data.fields' : `data.fields.${index}.unique`
    },
    tell: (losses, touched) => ({ losses, models: touched }),
  }
}

async function apply(
  ctx: AppContext,
  before: CustomTypeRecord,
  values: store.CustomTypeValues,
  around: Pick<Changing, 'models'> & {
    affected: Affected[]
    renamed: (field: Field) => Field
    takesBack: KeptTypeChange | undefined
  },
): Promise<CustomTypeRecord> {
  const { uid } = values
  const customType = await store.updateCustomType(ctx.db, ctx.scope, before.id, values)
  if (uid !== before.uid) await rewriteFields(ctx, around.models, around.renamed)
  const by = { customTypeId: before.id, customTypeVersion: customType.version }
  for (const affected of around.affected) {
    const { scope } = affected.model
    const model = await store.raiseVersion(ctx.db, scope)
    // An undo is not itself recorded as a change that can be undone.
    if (around.takesBack) await convertModel(ctx, model, affected)
    else await convertModel(ctx, model, affected, model.version, by)
    await countDocuments(ctx, scope, { documents: 0, published: 0 })
  }
  noteAudit(ctx, {
    objectId: customType._id,
    objectName: customType.name,
    before: audited(before),
    after: audited(customType),
  })
  if (around.takesBack) await store.endTypeChange(ctx.db, ctx.scope, before.id, around.takesBack.version)
  await record(ctx, 'customType.updated', { uid, version: customType.version })
  return customType
}

/** For the audit log, the fields become one text with the uid and type of each field. */
const audited = ({ fields, ...type }: CustomTypeRecord) => ({
  ...type,
  fields: fields.map(({ uid, type: kind }) => `${uid} (${kind})`).join(', '),
})

/**
 * Throws 400 if a model or type that uses the custom type would be nested too deeply, or have too many fields, after
 * the change.
 */
function checkNesting(
  models: ModelRecord[],
  uid: string,
  types: CustomTypeRecord[],
  after: CustomTypeRecord[],
  renamed: (field: Field) => Field,
): void {
  const users = [...after.map((type) => ({ fields: type.fields, owner: type.uid })), ...models]
  for (const user of users) {
    if (!uses(user.fields, uid, types)) continue
    const owner = 'owner' in user ? user.owner : undefined
    const [issue] = nestingIssues(user.fields.map(renamed), after, owner)
    if (issue) throw new AppError('ValidationFailed', { issues: [{ ...issue, path: 'data.fields' }] })
  }
}

/** Deletes a custom type. Throws `CustomFieldTypeIsAlreadyInUse` with the models and types that use it. */
export async function deleteCustomType(ctx: AppContext, id: string): Promise<void> {
  const models = await lockModels(ctx)
  const types = await listCustomTypes(ctx)
  const customType = findIn(types, id)
  const isUser = ({ fields }: { fields: Field[] }) =>
    customTypesIn(fields).some(({ uid }) => uid === customType.uid)
  const users = {
    models: models.filter(isUser).map((model) => model.uid),
    customFieldTypes: types.filter(isUser).map((type) => type.uid),
  }
  if (users.models.length + users.customFieldTypes.length > 0)
    throw new AppError('CustomFieldTypeIsAlreadyInUse', { details: users })
  await store.deleteCustomType(ctx.db, ctx.scope, customType.id)
  await record(ctx, 'customType.deleted', { uid: customType.uid })
}

async function record<T extends Extract<EventType, `customType.${string}`>>(
  ctx: AppContext,
  type: T,
  payload: EventPayload<T>,
): Promise<void> {
  await recordEvent(ctx.db, ctx.scope, type, payload, { appId: ctx.scope.appId, actor: ctx.actor })
  await notify(ctx.db, { kind: 'registry', spaceId: ctx.scope.spaceId })
}
