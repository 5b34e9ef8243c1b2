import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { roleEndpoints } from '#shared/contract/roles.ts'
import * as roles from './roles.service.ts'

export const roleRoutes = implement(roleEndpoints, {
  listRoles: async (ctx) => ({ roles: await roles.listRoles(ctx, 'project') }),
  createRole: async (ctx, { body }) => ({ role: await roles.createRole(ctx, 'project', body.data) }),
  updateRole: async (ctx, { params, body }) => ({
    role: await roles.updateRole(ctx, 'project', params.id, body.data),
  }),
  deleteRole: async (ctx, { params }) => {
    await roles.deleteRole(ctx, 'project', params.id)
    return success
  },
  listAppRoles: async (ctx) => ({ roles: await roles.listRoles(ctx, 'app') }),
  createAppRole: async (ctx, { body }) => ({ role: await roles.createRole(ctx, 'app', body.data) }),
  updateAppRole: async (ctx, { params, body }) => ({
    role: await roles.updateRole(ctx, 'app', params.id, body.data),
  }),
  deleteAppRole: async (ctx, { params }) => {
    await roles.deleteRole(ctx, 'app', params.id)
    return success
  },
})
