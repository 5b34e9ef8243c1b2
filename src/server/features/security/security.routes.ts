import { implement } from '#server/http/endpoints.ts'
import { securityEndpoints } from '#shared/contract/security.ts'
import * as security from './security.service.ts'

export const securityRoutes = implement(securityEndpoints, {
  getSecurity: async (ctx, _input, { ip }) => ({
    security: await security.getSecurity(ctx),
    yourAddress: ip,
  }),
  updateSecurity: async (ctx, { body }, { ip, session }) => ({
    security: await security.updateSecurity(ctx, body, { ip, session }),
    yourAddress: ip,
  }),
  confirmRanges: async (ctx, _input, { ip }) => ({
    security: await security.confirmRanges(ctx),
    yourAddress: ip,
  }),
  validateSecondFactor: (ctx) => security.validateSecondFactor(ctx),
  validateIp: (ctx, _input, { ip }) => security.validateIp(ctx, ip),
})
