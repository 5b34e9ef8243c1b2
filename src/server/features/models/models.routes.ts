import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { modelEndpoints } from '#shared/contract/models.ts'
import * as models from './models.service.ts'
import { confirmModelChange, listModelChanges, takeBackModelChange } from './models.take-back.ts'
import { updateModel } from './models.update.ts'

const { presentModel: present, presentChange } = models

export const modelRoutes = implement(modelEndpoints, {
  listModels: async (ctx) => ({
    models: (await models.concealed(ctx, await models.listModels(ctx))).map(present),
  }),
  createModel: async (ctx, { body }) => ({ model: present(await models.createModel(ctx, body.data)) }),
  updateModelOrder: async (ctx, { body }) => ({
    models: (await models.updateModelOrder(ctx, body.modelIds)).map(present),
  }),
  getModel: async (ctx, { params }) => ({
    model: present(await models.concealedOne(ctx, await models.getModel(ctx, params.m))),
  }),
  updateModel: async (ctx, { params, body }) => {
    const { model, ...told } = await updateModel(ctx, params.m, body.data, {
      acceptLoss: body.acceptLoss ?? false,
      dryRun: body.dryRun ?? false,
    })
    return { model: present(model), ...told }
  },
  continueConversion: async (ctx, { params }) => ({
    model: present(await models.continueConversion(ctx, params.m)),
  }),
  listModelChanges: async (ctx, { params }) => ({
    changes: (await listModelChanges(ctx, params.m)).map(presentChange),
  }),
  takeBackModelChange: async (ctx, { params, body }) => {
    const { acceptLoss = false, dryRun = false } = body
    const options = { acceptLoss, dryRun }
    const { model, ...told } = await takeBackModelChange(ctx, params.m, body.version, options)
    return { model: present(model), ...told }
  },
  confirmModelChange: async (ctx, { params, body }) => ({
    changes: (await confirmModelChange(ctx, params.m, body.version)).map(presentChange),
  }),
  deleteModel: async (ctx, { params }) => {
    await models.deleteModel(ctx, params.m)
    return success
  },
})
