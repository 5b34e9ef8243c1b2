import type { SpaceContext } from '#server/access/context.ts'
import { implement } from '#server/http/endpoints.ts'
import { securityEndpoints } from '#shared/contract/security.ts'
import * as security from './security.service.ts'

const addressOf = ({ origin }: SpaceContext) => origin?.ip ?? ''

export const securityRoutes = implement(securityEndpoints, {
  getSecurity: async (ctx) => ({
    security: await security.getSecurity(ctx),
    yourAddress: addressOf(ctx),
  }),
  updateSecurity: async (ctx, { body }, { session }) => ({
    security: await security.updateSecurity(ctx, body, { ip: addressOf(ctx), session }),
    yourAddress: addressOf(ctx),
  }),
  confirmRanges: async (ctx, { body }) => ({
    security: await security.confirmRanges(ctx, { ...body, ip: addressOf(ctx) }),
    yourAddress: addressOf(ctx),
  }),
  confirmTokenRanges: async (ctx, { body }) => ({
    security: await security.confirmTokenRanges(ctx, body.version),
    yourAddress: addressOf(ctx),
  }),
  validateSecondFactor: (ctx) => security.validateSecondFactor(ctx),
  validateIp: (ctx) => security.validateIp(ctx, addressOf(ctx)),
})
