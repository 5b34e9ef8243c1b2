import { leaveNoAudit } from '#server/access/audit.ts'
import type { AppContext } from '#server/access/context.ts'
import { insertCustomType, listCustomTypes } from '#server/features/custom-types/custom-types.service.ts'
import { openOtherApp } from '#server/features/custom-types/other-apps.service.ts'
import {
  addModel,
  chooseTitleField,
  type FieldBody,
  type FieldSurroundings,
  listModels,
  lockModels,
  type ModelRecord,
  type ModelWithCounts,
  readCarriedFields,
} from '#server/features/models/models.service.ts'
import type { CopyPlan, PortableModelInput } from '#shared/contract/model-copies.ts'
import { AppError, type Issue, invalid } from '#shared/errors.ts'
import { nestingIssues } from '#shared/fields/custom-types.ts'
import { type Field, fieldSchema } from '#shared/fields/index.ts'
import { carryReferences, portableModel, sameFields } from '#shared/fields/portable.ts'
import { joinPath } from '#shared/fields/walk.ts'
import { uidProblem } from '#shared/identifiers.ts'

/** What was made, or would be (`model` null). */
export interface Copied {
  model: ModelWithCounts | null
  plan: CopyPlan
}

interface CopyOptions {
  /** Only say what would be made. */
  dryRun?: boolean
}

/** A model of this space, and what its copy is called. */
export interface ModelSource {
  fromAppId: string
  fromModelId: string
  uid?: string | undefined
  name?: string | undefined
}

/**
 * Makes a model like one of this or another app, without its documents. Throws 400 for what is not there, 403 for an app
 * that the caller may not read, `ModelUidIsAlreadyInUse`, and `CustomFieldTypeIsAlreadyInUse` with the custom types that
 * are other ones here.
 */
export async function duplicateModel(
  ctx: AppContext,
  { fromAppId, fromModelId, uid, name }: ModelSource,
  options: CopyOptions = {},
): Promise<Copied> {
  const taken = await lockUids(ctx)
  const from = fromAppId === ctx.app.uid ? ctx : await openOtherApp(ctx, fromAppId)
  const source = await readableModel(from, fromModelId)
  const portable = portableModel(source, await listCustomTypes(from))
  const copy = { uid: uid ?? freeUid(source.uid, taken), name: name ?? source.name }
  return carry(ctx, { ...portable, ...copy }, { ownUid: source.uid, taken, ...options })
}

/**
 * Makes a model from its portable form. Throws 400 that names every culprit by its path in `data`,
 * `ModelUidIsAlreadyInUse`, and `CustomFieldTypeIsAlreadyInUse` as {@link duplicateModel} does.
 */
export async function importModel(
  ctx: AppContext,
  data: PortableModelInput,
  options: CopyOptions = {},
): Promise<Copied> {
  return carry(ctx, data, { ownUid: data.uid, taken: await lockUids(ctx), ...options })
}

/** A model that the caller may read, by its uid or `_id`. Throws `ValidationFailed` for any other. */
async function readableModel(from: AppContext, id: string): Promise<ModelRecord> {
  const readable = await listModels(from)
  const found = readable.find(({ uid }) => uid === id) ?? readable.find(({ publicId }) => publicId === id)
  if (!found) throw invalid('fromModelId', 'InvalidValue')
  return found
}

/** The uids of the app's models, which stay as they are. */
async function lockUids(ctx: AppContext): Promise<Set<string>> {
  return new Set((await lockModels(ctx)).map((model) => model.uid))
}

/** `uid`, or `uid-2`, `uid-3`… when it is taken. */
function freeUid(uid: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `-${number}`
    const candidate = uid.slice(0, 64 - suffix.length) + suffix
    if (!taken.has(candidate) && uidProblem('model', candidate) === null) return candidate
  }
}

interface Carrying extends CopyOptions {
  /** What references of the model call itself. */
  ownUid: string
  /** The uids of the app's models. */
  taken: ReadonlySet<string>
}

/** Makes the model and its custom types. */
async function carry(
  ctx: AppContext,
  portable: PortableModelInput,
  { ownUid, taken, dryRun = false }: Carrying,
): Promise<Copied> {
  const { uid, name, description, titleField } = portable
  if (taken.has(uid))
    throw new AppError('ModelUidIsAlreadyInUse', { issues: [{ path: 'data.uid', code: 'DuplicatedValue' }] })
  const known = (model: string) => (taken.has(model) ? model : model === ownUid ? uid : undefined)

  const types = await carryTypes(ctx, portable.customFieldTypes ?? [], known)
  const read = readCarried(portable.fields, { customTypes: [...types.here, ...types.made] })
  // What refers to the model itself refers to the copy, though the one it was copied from be here, too.
  const { fields, leftOut } = carryReferences(read, (model) => (model === ownUid ? uid : known(model)))
  const title = chooseTitleField(fields, titleField, undefined)
  const plan = {
    uid,
    name,
    fields: fields.map((field) => field.uid),
    customFieldTypes: { made: types.made.map((type) => type.uid), used: types.used },
    leftOut: [...leftOut, ...types.leftOut],
  }
  if (dryRun) leaveNoAudit(ctx)
  if (dryRun) return { model: null, plan }
  for (const type of types.made) await insertCustomType(ctx, type)
  const values = { uid, name, description: description ?? '', fields, titleField: title }
  const model = await addModel(ctx, values)
  return { model, plan }
}

/** References are looked at when all has been read. */
const anyModel = { has: () => true }

const readCarried = (
  bodies: FieldBody[] | undefined,
  around: Pick<FieldSurroundings, 'customTypes' | 'owner'>,
) => readCarriedFields(bodies ?? [], { ...around, modelUids: anyModel })

/** The custom types that come along: those to be made, their references carried, and those that are here already. */
async function carryTypes(
  ctx: AppContext,
  portable: NonNullable<PortableModelInput['customFieldTypes']>,
  target: (modelUid: string) => string | undefined,
) {
  refuseRepeated(portable)
  const here = await listCustomTypes(ctx)
  // How they lie in each other is looked at when all have been read.
  const customTypes = [...here, ...portable].map(({ uid }) => ({ uid, fields: [] }))
  const read = portable.map(({ uid, name, description = '', fields: bodies }, index) => {
    const fields = at(pathOf(index), () => readCarried(bodies, { customTypes, owner: uid }))
    return { uid, name, description, ...carryReferences(fields, target) }
  })
  const all = [...here.filter(({ uid }) => !read.some((type) => type.uid === uid)), ...read]
  const circles = read.flatMap(({ uid, fields }, index) =>
    nestingIssues(fields, all, uid).map((issue) => ({ ...issue, path: joinPath(pathOf(index), issue.path) })),
  )
  if (circles.length > 0) throw new AppError('ValidationFailed', { issues: circles })
  const isSame = ({ uid, fields }: (typeof read)[number]) =>
    here.some((type) => type.uid === uid && sameFields(type.fields.map(asNow), fields))
  const used = read.filter(isSame).map((type) => type.uid)
  const toMake = read.filter((type) => !isSame(type))
  const clashing = toMake.filter(({ uid, name }) =>
    here.some((type) => type.uid === uid || type.name === name),
  )
  if (clashing.length > 0)
    throw new AppError('CustomFieldTypeIsAlreadyInUse', {
      details: { customFieldTypes: clashing.map((type) => type.uid) },
    })
  return {
    here,
    used,
    made: toMake.map(({ leftOut: _, ...type }) => type),
    leftOut: toMake.flatMap(({ uid, leftOut }) =>
      leftOut.map(({ path, model }) => ({ path: `${uid}.${path}`, model })),
    ),
  }
}

const pathOf = (index: number) => `data.customFieldTypes.${index}.fields`

function refuseRepeated(types: readonly { uid: string; name: string }[]): void {
  const issues = types.flatMap((type, index) =>
    (['uid', 'name'] as const).flatMap((key): Issue[] =>
      types.findIndex((other) => other[key] === type[key]) < index
        ? [{ path: `data.customFieldTypes.${index}.${key}`, code: 'DuplicatedValue' }]
        : [],
    ),
  )
  if (issues.length > 0) throw new AppError('ValidationFailed', { issues })
}

/** A stored field with today's settings of its type. */
const asNow = (field: Field): Field => fieldSchema.parse(field)

/** What `read` throws, with paths that begin with this one instead of `data.fields`. */
function at<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AppError) || !error.issues) throw error
    throw new AppError(error.code, {
      issues: error.issues.map((issue) => ({ ...issue, path: issue.path.replace(/^data\.fields/, path) })),
    })
  }
}
