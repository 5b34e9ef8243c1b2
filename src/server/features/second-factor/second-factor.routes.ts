import { presentAccount } from '#server/access/account.ts'
import { admit } from '#server/http/admission.ts'
import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { secondFactorEndpoints } from '#shared/contract/second-factor.ts'
import * as passkeys from './passkeys.service.ts'
import * as resets from './resets.service.ts'
import * as factor from './second-factor.service.ts'

export const secondFactorRoutes = implement(secondFactorEndpoints, {
  finishSignIn: async (ctx, { body }, exchange) => {
    const admission = await factor.finishSignIn(ctx, body, exchange)
    exchange.setChallengeCookie(null)
    return { user: presentAccount(admit(exchange, admission)) }
  },
  getSecondFactor: async (ctx, { params }) => {
    const { passkeys: found, ...rest } = await factor.readSecondFactor(ctx, params.id)
    return { ...rest, passkeys: found.map(({ id, ...passkey }) => ({ _id: id, ...passkey })) }
  },
  beginPasskey: async (ctx, { params, body }, exchange) => {
    const caller = { ...exchange, email: exchange.account.email }
    const { challenge, options } = await passkeys.beginPasskey(ctx, params.id, body.password, caller)
    exchange.setChallengeCookie(challenge.token)
    return { challengeId: challenge.id, options: { ...options } }
  },
  addPasskey: async (ctx, { params, body }, exchange) => {
    const recoveryCodes = await passkeys.addPasskey(ctx, params.id, body, exchange)
    exchange.setChallengeCookie(null)
    return { recoveryCodes }
  },
  deletePasskey: async (ctx, { params, body }, exchange) => {
    const what = { passkeyId: params.passkey, password: body.password }
    await passkeys.deletePasskey(ctx, params.id, what, exchange)
    return success
  },
  beginPasskeySignIn: async (ctx, { body }, exchange) => {
    const { challenge, options } = await passkeys.beginPasskeySignIn(ctx, body, exchange)
    if (challenge) exchange.setChallengeCookie(challenge.token)
    return {
      authenticatingUserId: challenge?.id ?? body.authenticatingUserId ?? '',
      options: options && { ...options },
    }
  },
  finishByPasskey: async (ctx, { body }, exchange) => {
    const admission = await passkeys.finishByPasskey(ctx, body, exchange)
    exchange.setChallengeCookie(null)
    return { user: presentAccount(admit(exchange, admission)) }
  },
  beginTotp: (ctx, { params, body }, exchange) =>
    factor.beginTotp(ctx, params.id, body.password, { ...exchange, email: exchange.account.email }),
  confirmTotp: async (ctx, { params, body }, exchange) => ({
    recoveryCodes: await factor.confirmTotp(ctx, params.id, body.code, exchange),
  }),
  renewRecoveryCodes: async (ctx, { params, body }, exchange) => ({
    recoveryCodes: await factor.renewRecoveryCodes(ctx, params.id, body.password, exchange),
  }),
  getMemberFactor: async (ctx, { params }) => ({
    hasSecondFactor: (await resets.memberFactor(ctx, params.id)).has,
  }),
  askNewFactor: async (ctx, { params }) => {
    await resets.askNewFactor(ctx, params.id)
    return success
  },
  resetSecondFactor: async (ctx, { body }, exchange) => {
    await resets.resetByLink(ctx, body, exchange)
    return success
  },
  findAccountForAdmin: async (ctx, { query }) => ({ account: await resets.findForAdmin(ctx, query.email) }),
  resetSecondFactorByAdmin: async (ctx, { params, body }, exchange) => {
    await resets.resetByAdmin(ctx, params.id, body.password, exchange)
    return success
  },
  disableSecondFactor: async (ctx, { params, body }, exchange) => {
    await factor.disableSecondFactor(ctx, params.id, body.password, exchange)
    return success
  },
})
