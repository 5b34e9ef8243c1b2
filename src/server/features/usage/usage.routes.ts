import { implement } from '#server/http/endpoints.ts'
import { usageEndpoints } from '#shared/contract/usage.ts'
import { getUsage } from './usage.service.ts'

export const usageRoutes = implement(usageEndpoints, {
  getUsage: async (ctx, { query }) => ({ usage: await getUsage(ctx, query) }),
})
