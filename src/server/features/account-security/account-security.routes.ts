import { admit } from '#server/http/browsers/admission.ts'
import { implement } from '#server/http/endpoints.ts'
import { accountSecurityEndpoints } from '#shared/contract/account-security.ts'
import { success } from '#shared/contract/common.ts'
import * as security from './account-security.service.ts'
import * as email from './email.service.ts'

export const accountSecurityRoutes = implement(accountSecurityEndpoints, {
  getAccountSecurity: async (ctx, { params }, { session }) => {
    const { sessions, emailChange } = await security.readSecurity(ctx, params.id, session)
    return { sessions: sessions.map(({ id, ...row }) => ({ _id: id, ...row })), emailChange }
  },
  sendEmailVerification: async (ctx, { params }) => {
    await email.sendEmailVerification(ctx, params.id)
    return success
  },
  sendEmailVerificationByAuth: async (ctx, { params }) => {
    await email.sendEmailVerification(ctx, params.id)
    return success
  },
  confirmEmail: (ctx, { body }, { session, account }) =>
    email.confirmEmail(ctx, body.token, { session, accountId: account?.id ?? null }),
  confirmOwnEmail: async (ctx, { params, body }, { browser, session }) => {
    await email.confirmOwnEmail(ctx, params.id, body.password, { browser, session })
    return success
  },
  changeEmail: async (ctx, { params, body }, { browser }) => {
    await email.changeEmail(ctx, params.id, body, browser)
    return success
  },
  cancelEmailChange: async (ctx, { params }) => {
    await email.cancelEmailChange(ctx, params.id)
    return success
  },
  changePassword: async (ctx, { params, body }, exchange) => {
    const { account, browser } = exchange
    admit(exchange, await security.changePassword(ctx, params.id, body, account.email, browser))
    return success
  },
  forgotPassword: async (ctx, { body }) => {
    await security.forgotPassword(ctx, body.email)
    return success
  },
  lookAtReset: (ctx, { body }) => security.lookAtReset(ctx, body.token),
  resetPassword: async (ctx, { body }) => {
    await security.resetPassword(ctx, body)
    return success
  },
  endSession: async (ctx, { params }) => {
    await security.endSession(ctx, params.id, params.session)
    return success
  },
  endOtherSessions: async (ctx, { params }, { session }) => {
    await security.endOtherSessions(ctx, params.id, session)
    return success
  },
  deleteAccount: async (ctx, { params, body }, { browser, cookies }) => {
    await security.deleteAccount(ctx, params.id, body.password, browser)
    cookies.set('sid', null)
    return success
  },
})
