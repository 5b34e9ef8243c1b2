import { type AccountRow, presentAccountIcon } from '#server/access/account.ts'
import type { Exchange } from '#server/http/context.ts'
import { implement } from '#server/http/endpoints.ts'
import { incomingPlace } from '#server/http/incoming-place.ts'
import { refusalSentence } from '#server/http/sentences.ts'
import { accountEndpoints } from '#shared/contract/accounts.ts'
import { success } from '#shared/contract/common.ts'
import { AppError } from '#shared/errors.ts'
import { hasAccounts } from './accounts.repository.ts'
import * as accounts from './accounts.service.ts'

/** Tells the browser that it is signed in, and known from now on. */
function admit(exchange: Exchange, { account, sessionId, device }: accounts.Admission): AccountRow {
  exchange.setSessionCookie(sessionId)
  exchange.setDeviceCookie(device)
  return account
}

const present = ({ id, iconId, ...account }: AccountRow) => ({
  _id: id,
  ...account,
  icon: presentAccountIcon(id, iconId),
})

export const accountRoutes = implement(accountEndpoints, {
  getSignupState: async ({ db }) => ({ firstAccount: !(await hasAccounts(db)) }),
  signup: async (ctx, { body }, exchange) => {
    const admission = await accounts.signUp(ctx, body, exchange).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error
      const errorMessage = refusalSentence(body.language ?? exchange.language, error)
      throw error.with({ errorMessage })
    })
    return { account: present(admit(exchange, admission)), errorMessage: null }
  },
  login: async (ctx, { body }, exchange) => ({
    user: present(admit(exchange, await accounts.logIn(ctx, body, exchange))),
    authenticatingUserId: null,
  }),
  logout: async (ctx, _input, exchange) => {
    await accounts.logOut(ctx, exchange.session)
    exchange.setSessionCookie(null)
    return success
  },
  getCurrentAccount: (_ctx, _input, { account }) => ({ currentAccount: account && present(account) }),
  getCsrfToken: (_ctx, _input, { session }) => ({ csrfToken: session?.csrfToken ?? null }),
  updateAccount: async (ctx, { params, body }) => ({
    account: present(await accounts.updateAccount(ctx, params.id, body)),
  }),
  getAccountIcon: (ctx, { params }) => accounts.readIcon(ctx, params.id, params.icon),
  uploadAccountIcon: async (ctx, { params, body }, exchange) => ({
    account: present(await accounts.uploadIcon(ctx, incomingPlace(exchange), params.id, body)),
  }),
})
