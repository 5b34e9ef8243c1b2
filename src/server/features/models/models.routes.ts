import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { modelEndpoints } from '#shared/contract/models.ts'
import * as models from './models.service.ts'
import { updateModel } from './models.update.ts'

const present = ({ scope: _, conversions: _shapes, publicId, ...model }: models.ModelWithCounts) => ({
  _id: publicId,
  ...model,
})

export const modelRoutes = implement(modelEndpoints, {
  listModels: async (ctx) => ({ models: (await models.listModels(ctx)).map(present) }),
  createModel: async (ctx, { body }) => ({ model: present(await models.createModel(ctx, body.data)) }),
  updateModelOrder: async (ctx, { body }) => ({
    models: (await models.updateModelOrder(ctx, body.modelIds)).map(present),
  }),
  getModel: async (ctx, { params }) => ({ model: present(await models.getModel(ctx, params.m)) }),
  updateModel: async (ctx, { params, body }) => {
    const { model, losses } = await updateModel(ctx, params.m, body.data, {
      acceptLoss: body.acceptLoss ?? false,
      dryRun: body.dryRun ?? false,
    })
    return { model: present(model), losses }
  },
  deleteModel: async (ctx, { params }) => {
    await models.deleteModel(ctx, params.m)
    return success
  },
})
