import type { AccountRow } from '#server/http/context.ts'
import { implement } from '#server/http/endpoints.ts'
import { refusalSentence } from '#server/http/sentences.ts'
import { accountEndpoints } from '#shared/contract/accounts.ts'
import { success } from '#shared/contract/common.ts'
import { AppError } from '#shared/errors.ts'
import { hasAccounts } from './accounts.repository.ts'
import * as accounts from './accounts.service.ts'

const present = ({ id, ...account }: AccountRow) => ({ _id: id, ...account })

export const accountRoutes = implement(accountEndpoints, {
  getSignupState: async ({ db }) => ({ firstAccount: !(await hasAccounts(db)) }),
  signup: async (ctx, { body }) => {
    const account = await accounts.signUp(ctx, body).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error
      const errorMessage = refusalSentence(body.language ?? ctx.language, error)
      throw error.with({ errorMessage })
    })
    return { account: present(account), errorMessage: null }
  },
  login: async (ctx, { body }) => ({
    user: present(await accounts.logIn(ctx, body)),
    authenticatingUserId: null,
  }),
  logout: async (ctx) => {
    await accounts.logOut(ctx)
    return success
  },
  getCurrentAccount: ({ account }) => ({ currentAccount: account && present(account) }),
  getCsrfToken: ({ session }) => ({ csrfToken: session?.csrfToken ?? null }),
  updateAccount: async (ctx, { params, body }) => ({
    account: present(await accounts.updateAccount(ctx, params.id, body)),
  }),
})
