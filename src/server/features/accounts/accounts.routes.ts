import { presentAccount as present } from '#server/access/account.ts'
import type { AccountActor } from '#server/access/actor.ts'
import type { PublicContext } from '#server/access/context.ts'
import type { Tx } from '#server/db/scope.ts'
import { acceptAtSignUp, presentTaken, type Taken } from '#server/features/invitations/invitations.service.ts'
import { admit } from '#server/http/browsers/admission.ts'
import type { Exchange } from '#server/http/context.ts'
import { implement } from '#server/http/endpoints.ts'
import { refusalSentence } from '#server/http/sentences.ts'
import { accountEndpoints } from '#shared/contract/accounts.ts'
import { success } from '#shared/contract/common.ts'
import { AppError } from '#shared/errors.ts'
import * as accounts from './accounts.service.ts'
import * as ownAccount from './own-account.service.ts'
import * as signUps from './sign-up.service.ts'

const joinOf = (ctx: PublicContext) => (tx: Tx, actor: AccountActor, code: string) =>
  acceptAtSignUp({ ...ctx, db: tx }, actor, code)

const presentSignedUp = (exchange: Exchange, admission: signUps.SignedUp<Taken>) => ({
  account: present(admit(exchange, admission)),
  joined: admission.joined && presentTaken(admission.joined),
})

export const accountRoutes = implement(accountEndpoints, {
  getSignupState: (ctx) => signUps.readSignupState(ctx),
  signup: async (ctx, { body }, exchange) => {
    const admission = await signUps
      .signUp(ctx, body, exchange.browser, joinOf(ctx))
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error
        const errorMessage = refusalSentence(body.language ?? exchange.language, error)
        throw error.with({ errorMessage })
      })
    if (!admission) return { account: null, joined: null, errorMessage: null }
    return { ...presentSignedUp(exchange, admission), errorMessage: null }
  },
  lookAtSignup: (ctx, { body }) => signUps.lookAtSignUp(ctx, body.token),
  finishSignup: async (ctx, { body }, exchange) =>
    presentSignedUp(exchange, await signUps.finishSignUp(ctx, body, exchange.browser, joinOf(ctx))),
  login: async (ctx, { body }, exchange) => {
    const result = await accounts.logIn(ctx, body, exchange.browser)
    if (!('challenge' in result))
      return { user: present(admit(exchange, result)), authenticatingUserId: null }
    exchange.cookies.set('challenge', result.challenge.token)
    return { user: null, authenticatingUserId: result.challenge.id }
  },
  logout: async (ctx, _input, exchange) => {
    await accounts.logOut(ctx, exchange.session)
    exchange.cookies.set('sid', null)
    return success
  },
  getCurrentAccount: ({ services }, _input, { account }) => ({
    currentAccount: account && present(account),
    sendsMail: services.config.mail.url !== undefined,
  }),
  getCsrfToken: (_ctx, _input, { session }) => ({ csrfToken: session?.csrfToken ?? null }),
  updateAccount: async (ctx, { params, body }) => ({
    account: present(await ownAccount.updateAccount(ctx, params.id, body)),
  }),
  getAccountIcon: (ctx, { params }) => ownAccount.readIcon(ctx, params.id, params.icon),
  uploadAccountIcon: async (ctx, { params, body }, { signal }) => ({
    account: present(await ownAccount.uploadIcon(ctx, signal, params.id, body)),
  }),
})
