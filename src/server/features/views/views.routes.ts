import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { viewEndpoints } from '#shared/contract/views.ts'
import * as views from './views.service.ts'

export const viewRoutes = implement(viewEndpoints, {
  listAppViews: async (ctx) => ({ appViews: await views.listViews(ctx) }),
  createAppView: async (ctx, { body }) => ({ appView: await views.createView(ctx, body.data) }),
  updateAppView: async (ctx, { params, body }) => ({
    appView: await views.updateView(ctx, params.id, body.data),
  }),
  deleteAppView: async (ctx, { params }) => {
    await views.deleteView(ctx, params.id)
    return success
  },
  updateAppViewOrder: async (ctx, { body }) => ({ appViews: await views.updateViewOrder(ctx, body) }),
})
