import { presentAccount } from '#server/access/account.ts'
import { admit } from '#server/http/browsers/admission.ts'
import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { secondFactorEndpoints } from '#shared/contract/second-factor.ts'
import * as passkeys from './passkeys.service.ts'
import * as resets from './resets.service.ts'
import * as factor from './second-factor.service.ts'

export const secondFactorRoutes = implement(secondFactorEndpoints, {
  finishSignIn: async (ctx, { body }, exchange) => {
    const admission = await factor.finishSignIn(ctx, body, exchange.browser)
    exchange.cookies.set('challenge', null)
    return { user: presentAccount(admit(exchange, admission)) }
  },
  getSecondFactor: async (ctx, { params }) => {
    const { passkeys: found, ...rest } = await factor.readSecondFactor(ctx, params.id)
    return { ...rest, passkeys: found.map(({ id, ...passkey }) => ({ _id: id, ...passkey })) }
  },
  beginPasskey: async (ctx, { params, body }, exchange) => {
    const who = { email: exchange.account.email, browser: exchange.browser }
    const { challenge, options } = await passkeys.beginPasskey(ctx, params.id, body.password, who)
    exchange.cookies.set('challenge', challenge.token)
    return { challengeId: challenge.id, options: { ...options } }
  },
  addPasskey: async (ctx, { params, body }, exchange) => {
    const recoveryCodes = await passkeys.addPasskey(ctx, params.id, body, exchange.browser)
    exchange.cookies.set('challenge', null)
    return { recoveryCodes }
  },
  deletePasskey: async (ctx, { params, body }, { browser }) => {
    const what = { passkeyId: params.passkey, password: body.password }
    await passkeys.deletePasskey(ctx, params.id, what, browser)
    return success
  },
  beginPasskeySignIn: async (ctx, { body }, exchange) => {
    const { challenge, options } = await passkeys.beginPasskeySignIn(ctx, body, exchange.browser)
    if (challenge) exchange.cookies.set('challenge', challenge.token)
    return {
      authenticatingUserId: challenge?.id ?? body.authenticatingUserId ?? '',
      options: options && { ...options },
    }
  },
  finishByPasskey: async (ctx, { body }, exchange) => {
    const admission = await passkeys.finishByPasskey(ctx, body, exchange.browser)
    exchange.cookies.set('challenge', null)
    return { user: presentAccount(admit(exchange, admission)) }
  },
  beginTotp: (ctx, { params, body }, { account, browser }) =>
    factor.beginTotp(ctx, params.id, body.password, { email: account.email, browser }),
  confirmTotp: async (ctx, { params, body }, { session }) => ({
    recoveryCodes: await factor.confirmTotp(ctx, params.id, body.code, session),
  }),
  renewRecoveryCodes: async (ctx, { params, body }, { browser }) => ({
    recoveryCodes: await factor.renewRecoveryCodes(ctx, params.id, body.password, browser),
  }),
  getMemberFactor: async (ctx, { params }) => ({
    hasSecondFactor: (await resets.memberFactor(ctx, params.id)).has,
  }),
  askNewFactor: async (ctx, { params }) => {
    await resets.askNewFactor(ctx, params.id)
    return success
  },
  resetSecondFactor: async (ctx, { body }, { browser }) => {
    await resets.resetByLink(ctx, body, browser)
    return success
  },
  resetSecondFactorByAdmin: async (ctx, { params, body }, { browser }) => {
    await resets.resetByAdmin(ctx, params.id, body.password, browser)
    return success
  },
  disableSecondFactor: async (ctx, { params, body }, { browser }) => {
    await factor.disableSecondFactor(ctx, params.id, body.password, browser)
    return success
  },
})
