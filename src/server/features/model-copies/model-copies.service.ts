import { leaveNoAudit } from '#server/access/audit.ts'
import type { AppContext } from '#server/access/context.ts'
import { listCustomTypes } from '#server/features/custom-types/custom-types.service.ts'
import { listModels, type ModelRecord, type ModelWithCounts } from '#server/features/models/models.service.ts'
import {
  type AppMerge,
  type AppSchema,
  lockSchema,
  merge,
  requireWhole,
  writeMerged,
} from '#server/features/schema-merge/schema-merge.service.ts'
import type { CopyPlan, PortableModelInput } from '#shared/contract/model-copies.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { portableModel } from '#shared/fields/portable.ts'
import { freeUid } from '#shared/free-uids.ts'
import { uidProblem } from '#shared/identifiers.ts'
import { placeOf, type Refusal } from '#shared/schema-merge/schema.ts'
import { openOtherApp } from './other-apps.ts'

/** The result of a copy. `model` null: a dry run. */
export interface Copied {
  model: ModelWithCounts | null
  plan: CopyPlan
}

interface CopyOptions {
  /** Whether only the plan is returned and nothing is created. */
  dryRun?: boolean
}

/** A model of this space, and the uid and name of its copy. */
export interface ModelSource {
  fromAppId: string
  fromModelId: string
  uid?: string | undefined
  name?: string | undefined
}

/**
 * Copies a model of this or another app, without its documents. Throws 400 for an unknown app or model, 403 for another
 * app that the caller may not read completely, and `ModelUidIsAlreadyInUse`. Throws `CustomFieldTypeIsAlreadyInUse`
 * with the custom types that differ in this app.
 */
export async function duplicateModel(
  ctx: AppContext,
  { fromAppId, fromModelId, uid, name }: ModelSource,
  options: CopyOptions = {},
): Promise<Copied> {
  const here = await lockSchema(ctx)
  const from = fromAppId === ctx.app.uid ? ctx : await openOtherApp(ctx, fromAppId)
  const source = await readableModel(from, fromModelId)
  const portable = portableModel(source, await listCustomTypes(from))
  const copy = { uid: uid ?? freeModelUid(source.uid, here), name: name ?? source.name }
  return carry(ctx, { ...portable, ...copy }, { ownUid: source.uid, here, ...options })
}

/**
 * Creates a model from its portable form. Throws 400 with the path in `data` of every problem,
 * `ModelUidIsAlreadyInUse`, and `CustomFieldTypeIsAlreadyInUse` like {@link duplicateModel}.
 */
export async function importModel(
  ctx: AppContext,
  data: PortableModelInput,
  options: CopyOptions = {},
): Promise<Copied> {
  return carry(ctx, data, { ownUid: data.uid, here: await lockSchema(ctx), ...options })
}

/** Returns a model that the caller may read, by its uid or `_id`. Throws `ValidationFailed` if it does not exist. */
async function readableModel(from: AppContext, id: string): Promise<ModelRecord> {
  const readable = await listModels(from)
  const found = readable.find(({ uid }) => uid === id) ?? readable.find(({ publicId }) => publicId === id)
  if (!found) throw invalid('fromModelId', 'InvalidValue')
  return found
}

const freeModelUid = (uid: string, { models }: AppSchema) =>
  freeUid(uid, new Set(models.map((model) => model.uid)), (candidate) => uidProblem('model', candidate))

interface Carrying extends CopyOptions {
  /** The uid with which references of the model to itself are written. */
  ownUid: string
  here: AppSchema
}

/** Creates the model and its custom types. For a dry run, only returns the plan. */
async function carry(
  ctx: AppContext,
  { customFieldTypes = [], uid, name, description, fields = [], titleField }: PortableModelInput,
  { ownUid, here, dryRun = false }: Carrying,
): Promise<Copied> {
  const merged = merge({
    theirs: {
      customTypes: customFieldTypes.map((type) => ({
        ...type,
        fields: type.fields ?? [],
        whenHere: 'same',
      })),
      models: [{ uid, name, description, fields, titleField, whenHere: 'refuse' }],
    },
    here,
    missingModels: 'leaveOut',
    // References of the model to itself then point to the copy, even if the original is in this app.
    renamedModels: new Map([[ownUid, uid]]),
  })
  const taken = merged.refusals.filter(({ reason }) => reason === 'taken')
  if (taken.some(({ kind }) => kind === 'model'))
    throw new AppError('ModelUidIsAlreadyInUse', { issues: [{ path: 'data.uid', code: 'DuplicatedValue' }] })
  if (taken.length > 0)
    throw new AppError('CustomFieldTypeIsAlreadyInUse', {
      details: { customFieldTypes: taken.map((type) => type.uid) },
    })
  requireWhole(merged, placeInBody)
  const made = merged.customTypes.map(({ values }) => values.uid)
  const plan = {
    uid,
    name,
    fields: merged.models.flatMap(({ values }) => values.fields.map((field) => field.uid)),
    customFieldTypes: { made, used: merged.used },
    leftOut: leftOutOf(merged, made),
  }
  if (dryRun) {
    leaveNoAudit(ctx)
    return { model: null, plan }
  }
  const [model] = (await writeMerged(ctx, merged)).models
  if (!model) throw new TypeError('the model itself was not made')
  return { model, plan }
}

/** Returns the path of a refusal in the request body, without `.models.0` because the body is the model itself. */
const placeInBody = (refusal: Refusal) => `data.${placeOf(refusal)}`.replace('.models.0', '')

/** Returns the fields left out of the model, then the fields left out of the custom types created with it. */
const leftOutOf = ({ leftOut }: AppMerge, made: string[]): CopyPlan['leftOut'] => [
  ...leftOut.flatMap(({ kind, path, model }) => (kind === 'model' ? [{ path, model }] : [])),
  ...leftOut.flatMap(({ kind, uid, path, model }) =>
    kind === 'customType' && made.includes(uid) ? [{ path: `${uid}.${path}`, model }] : [],
  ),
]
