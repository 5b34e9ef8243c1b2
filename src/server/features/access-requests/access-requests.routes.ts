import { presentMember } from '#server/features/members/members.service.ts'
import { implement } from '#server/http/endpoints.ts'
import { accessRequestEndpoints } from '#shared/contract/access-requests.ts'
import { success } from '#shared/contract/common.ts'
import * as requests from './access-requests.service.ts'

export const accessRequestRoutes = implement(accessRequestEndpoints, {
  askForAccess: async (ctx, { body }) => {
    await requests.askForAccess(ctx, body)
    return success
  },
  listAccessRequests: async (ctx) => ({
    accessRequests: (await requests.listAccessRequests(ctx)).map(({ id, ...request }) => ({
      _id: id,
      ...request,
    })),
  }),
  acceptAccessRequest: async (ctx, { params, body }) => ({
    member: presentMember(await requests.acceptAccessRequest(ctx, params.id, body.roleId), ctx),
  }),
  declineAccessRequest: async (ctx, { params }) => {
    await requests.declineAccessRequest(ctx, params.id)
    return success
  },
})
