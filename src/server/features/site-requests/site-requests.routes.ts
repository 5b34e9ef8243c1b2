import { implement } from '#server/http/endpoints.ts'
import { siteRequestEndpoints } from '#shared/contract/site-requests.ts'
import { listSiteRequests } from './site-requests.service.ts'

export const siteRequestRoutes = implement(siteRequestEndpoints, {
  listSiteRequests: async (ctx) => ({ siteRequests: await listSiteRequests(ctx) }),
})
