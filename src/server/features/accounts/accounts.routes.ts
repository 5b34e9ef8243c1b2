import type { AccountRow } from '#server/http/context.ts'
import { implement } from '#server/http/endpoints.ts'
import { accountEndpoints } from '#shared/contract/accounts.ts'
import { success } from '#shared/contract/common.ts'
import { hasAccounts } from './accounts.repository.ts'
import * as accounts from './accounts.service.ts'

const present = ({ id, ...account }: AccountRow) => ({ _id: id, ...account })

export const accountRoutes = implement(accountEndpoints, {
  getSignupState: async ({ db }) => ({ firstAccount: !(await hasAccounts(db)) }),
  signup: async (ctx, { body }) => ({
    account: present(await accounts.signUp(ctx, body)),
    errorMessage: null,
  }),
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
