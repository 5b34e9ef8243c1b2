import type { SpaceContext } from '#server/access/context.ts'
import { createApp } from '#server/features/apps/apps.service.ts'
import type { FieldBody } from '#server/features/models/models.service.ts'
import {
  type AppParts,
  type MadeModel,
  makeParts,
  readParts,
} from '#server/features/portable-apps/portable-apps.service.ts'
import type { MovePlan, PlannedField } from '#shared/contract/move-plans.ts'
import { AppError } from '#shared/errors.ts'

const bodiesOf = (planned: PlannedField[]): FieldBody[] =>
  planned.map(({ field }) => {
    const { _id, ...body } = field
    return body as FieldBody
  })

/** Reads the models and custom types of a plan. Throws 400 naming every culprit by its path in `data`. */
export function readPlan({ app, models, customTypes }: MovePlan): AppParts {
  try {
    return readParts({
      app,
      models: models.map((model) => ({ ...model, fields: bodiesOf(model.fields) })),
      customFieldTypes: customTypes.map((type) => ({ ...type, fields: bodiesOf(type.fields) })),
    })
  } catch (error) {
    if (!(error instanceof AppError) || !error.issues) throw error
    const inPlan = (path: string) =>
      `data.${path}`
        .replace(/^data\.customFieldTypes/, 'data.customTypes')
        .replace(/(\.fields\.\d+)\./, '$1.field.')
    throw new AppError(error.code, {
      issues: error.issues.map((issue) => ({ ...issue, path: inPlan(issue.path) })),
    })
  }
}

/** Makes the app of a plan with its models, empty. Throws `AppUidIsAlreadyInUse`, and what {@link readPlan} throws. */
export async function makePlannedApp(
  ctx: SpaceContext,
  plan: MovePlan,
): Promise<{ appId: number; models: MadeModel[] }> {
  const parts = readPlan(plan)
  const app = await createApp(ctx, plan.app)
  const made = await makeParts(app, parts)
  const models = made.map(({ uid, scope }, index) => {
    const { from = uid, documents } = plan.models[index] ?? {}
    const { draft = 0, published = 0, changed = 0, unpublished = 0 } = documents ?? {}
    return { model: from, modelId: scope.modelId, total: draft + published + changed + unpublished }
  })
  return { appId: app.scope.appId, models }
}
