import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { scimEndpoints } from '#shared/contract/scim.ts'
import * as scim from './scim.service.ts'

export const scimRoutes = implement(scimEndpoints, {
  getScim: async (ctx, _input, { config }) => ({ scim: await scim.getConnection(ctx, config.url) }),
  createScim: async (ctx, { body }, { config }) => ({
    scim: await scim.createConnection(ctx, body.data, config.url),
  }),
  updateScim: async (ctx, { body }, { config }) => ({
    scim: await scim.updateConnection(ctx, body.data, config.url),
  }),
  deleteScim: async (ctx) => {
    await scim.deleteConnection(ctx)
    return success
  },
})
