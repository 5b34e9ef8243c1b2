import { implement } from '#server/http/endpoints.ts'
import { groupRoleEndpoints } from '#shared/contract/group-roles.ts'
import * as groupRoles from './group-roles.service.ts'

export const groupRoleRoutes = implement(groupRoleEndpoints, {
  getGroupRoles: async (ctx) => ({ groupRoles: await groupRoles.getGroupRoles(ctx) }),
  updateGroupRoles: async (ctx, { body }) => ({
    groupRoles: await groupRoles.updateGroupRoles(ctx, body.data),
  }),
})
