import { presentAccount } from '#server/access/account.ts'
import { admit } from '#server/http/admission.ts'
import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { secondFactorEndpoints } from '#shared/contract/second-factor.ts'
import * as factor from './second-factor.service.ts'

export const secondFactorRoutes = implement(secondFactorEndpoints, {
  finishSignIn: async (ctx, { body }, exchange) => {
    const admission = await factor.finishSignIn(ctx, body, exchange)
    exchange.setChallengeCookie(null)
    return { user: presentAccount(admit(exchange, admission)) }
  },
  getSecondFactor: (ctx, { params }) => factor.readSecondFactor(ctx, params.id),
  beginTotp: (ctx, { params, body }, exchange) =>
    factor.beginTotp(ctx, params.id, body.password, { ...exchange, email: exchange.account.email }),
  confirmTotp: async (ctx, { params, body }, exchange) => ({
    recoveryCodes: await factor.confirmTotp(ctx, params.id, body.code, exchange),
  }),
  renewRecoveryCodes: async (ctx, { params, body }, exchange) => ({
    recoveryCodes: await factor.renewRecoveryCodes(ctx, params.id, body.password, exchange),
  }),
  disableSecondFactor: async (ctx, { params, body }, exchange) => {
    await factor.disableSecondFactor(ctx, params.id, body.password, exchange)
    return success
  },
})
