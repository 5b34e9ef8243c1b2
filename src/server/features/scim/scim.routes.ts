import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { scimEndpoints } from '#shared/contract/scim.ts'
import * as scim from './scim.service.ts'

export const scimRoutes = implement(scimEndpoints, {
  getScim: async (ctx) => ({ scim: await scim.getConnection(ctx) }),
  createScim: async (ctx, { body }) => ({ scim: await scim.createConnection(ctx, body.data) }),
  updateScim: async (ctx, { body }) => ({ scim: await scim.updateConnection(ctx, body.data) }),
  deleteScim: async (ctx) => {
    await scim.deleteConnection(ctx)
    return success
  },
})
