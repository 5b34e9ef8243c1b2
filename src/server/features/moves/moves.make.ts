import type { SpaceContext } from '#server/access/context.ts'
import { createApp } from '#server/features/apps/apps.service.ts'
import { insertCustomType } from '#server/features/custom-types/custom-types.service.ts'
import {
  addModel,
  chooseTitleField,
  type FieldBody,
  type FieldSurroundings,
  readFields,
} from '#server/features/models/models.service.ts'
import type { MovePlan, PlannedField } from '#shared/contract/moves.ts'
import { AppError, type Issue } from '#shared/errors.ts'
import type { CustomType } from '#shared/fields/custom-types.ts'
import type { Field } from '#shared/fields/index.ts'
import { type UidKind, uidProblem } from '#shared/identifiers.ts'

/** The parts of an app as they are made of a plan. */
export interface PlannedParts {
  customTypes: { uid: string; name: string; description: string; fields: Field[] }[]
  models: { uid: string; name: string; description: string; fields: Field[]; titleField: string | null }[]
}

/** Reads the models and custom types of a plan. Throws 400 naming every culprit by its path in `data`. */
export function readPlan({ app, models, customTypes }: MovePlan): PlannedParts {
  const issues: Issue[] = [
    ...uidIssues('app', [app], 'data.app'),
    ...uidIssues('model', models, 'data.models'),
    ...repeated(customTypes, 'data.customTypes'),
  ]
  const modelUids = new Set(models.map(({ uid }) => uid))
  const made: (PlannedParts['customTypes'][number] & Pick<CustomType, 'uid' | 'fields'>)[] = []
  customTypes.forEach(({ uid, name, description, fields }, index) => {
    const around = { existing: [], modelUids, customTypes: made, owner: uid }
    made.push({
      uid,
      name,
      description,
      fields: fieldsOf(fields, around, `data.customTypes.${index}`, issues),
    })
  })
  const read = models.map(({ uid, name, description, titleField, fields }, index) => {
    const around = { existing: [], modelUids, customTypes: made }
    const own = fieldsOf(fields, around, `data.models.${index}`, issues)
    return { uid, name, description, fields: own, titleField: titleOf(own, titleField, index, issues) }
  })
  if (issues.length > 0) throw new AppError('ValidationFailed', { issues })
  return { customTypes: made, models: read }
}

function uidIssues(kind: UidKind, named: readonly { uid: string }[], path: string): Issue[] {
  const at = (index: number) => (kind === 'app' ? `${path}.uid` : `${path}.${index}.uid`)
  const wrong = named.flatMap(({ uid }, index): Issue[] => {
    const code = uidProblem(kind, uid)
    return code ? [{ path: at(index), code }] : []
  })
  return [...wrong, ...repeated(named, path)]
}

const repeated = (named: readonly { uid: string }[], path: string): Issue[] =>
  named.flatMap(({ uid }, index): Issue[] =>
    named.findIndex((other) => other.uid === uid) < index
      ? [{ path: `${path}.${index}.uid`, code: 'DuplicatedValue' }]
      : [],
  )

function fieldsOf(
  planned: PlannedField[],
  around: FieldSurroundings,
  path: string,
  issues: Issue[],
): Field[] {
  const bodies = planned.map(({ field }) => {
    const { _id, ...body } = field
    return body as FieldBody
  })
  try {
    return readFields(bodies, around)
  } catch (error) {
    if (!(error instanceof AppError) || !error.issues) throw error
    for (const issue of error.issues)
      issues.push({ ...issue, path: issue.path.replace(/^data\.fields(\.\d+)?/, `${path}.fields$1.field`) })
    return []
  }
}

function titleOf(fields: Field[], uid: string | null, index: number, issues: Issue[]): string | null {
  if (fields.length === 0) return null
  try {
    return chooseTitleField(fields, uid, undefined)
  } catch (error) {
    if (!(error instanceof AppError) || !error.issues) throw error
    issues.push({ path: `data.models.${index}.titleField`, code: 'InvalidValue' })
    return null
  }
}

/** A model that is made, by the name it has in what is moved, with how many documents it will have. */
export interface MadeModel {
  model: string
  modelId: number
  total: number
}

/** Makes the app of a plan with its models, empty. Throws `AppUidIsAlreadyInUse`, and what {@link readPlan} throws. */
export async function makeApp(
  ctx: SpaceContext,
  plan: MovePlan,
): Promise<{ appId: number; models: MadeModel[] }> {
  const { customTypes, models } = readPlan(plan)
  const app = await createApp(ctx, plan.app)
  for (const type of customTypes) await insertCustomType(app, type)
  const made: MadeModel[] = []
  for (const [index, model] of models.entries()) {
    const { scope } = await addModel(app, model)
    const { from = model.uid, documents } = plan.models[index] ?? {}
    const { draft = 0, published = 0, changed = 0, unpublished = 0 } = documents ?? {}
    made.push({ model: from, modelId: scope.modelId, total: draft + published + changed + unpublished })
  }
  return { appId: app.scope.appId, models: made }
}
