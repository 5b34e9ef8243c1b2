import { presentModel } from '#server/features/models/models.service.ts'
import { implement } from '#server/http/endpoints.ts'
import { modelCopyEndpoints } from '#shared/contract/model-copies.ts'
import { type Copied, duplicateModel, importModel } from './model-copies.service.ts'

const present = ({ model, plan }: Copied) => ({ model: model && presentModel(model), plan })

export const modelCopyRoutes = implement(modelCopyEndpoints, {
  duplicateModel: async (ctx, { body: { dryRun, ...source } }) =>
    present(await duplicateModel(ctx, source, { dryRun: dryRun ?? false })),
  importModel: async (ctx, { body: { data, dryRun } }) =>
    present(await importModel(ctx, data, { dryRun: dryRun ?? false })),
})
