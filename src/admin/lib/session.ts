import { Store, useStore } from '#admin/base/store.ts'
import type { Account } from '#shared/contract/accounts.ts'
import { api, forgetCsrfToken, getCsrfToken } from './api.ts'

export type { Account }

/** A failed account check is tried again after this time, in milliseconds (specification §9). */
export const accountRetryTime = 5000

const account = new Store<Account | null>(null)

/** The signed-in account; null before the check and for visitors. */
export const currentAccount = account.get

/** Sets who is signed in. Another person, or nobody, means another session: its CSRF token is forgotten. */
export function setAccount(next: Account | null): void {
  if (next?._id !== account.get()?._id) forgetCsrfToken()
  account.set(next)
}

export const subscribeToAccount = account.subscribe

export function useAccount(): Account | null {
  return useStore(account)
}

/**
 * Asks the server who is signed in, then for the CSRF token. Skipped when an account is present unless forced.
 * A failure is tried again every five seconds until it succeeds; `onFailure` hears of each one.
 */
export async function checkAccount({
  force = false,
  onFailure,
}: {
  force?: boolean
  onFailure?: () => void
} = {}): Promise<Account | null> {
  const known = account.get()
  if (known && !force) return known
  for (;;) {
    try {
      const { currentAccount: found } = await api('GET /api/auth/getCurrentAccount', {})
      if (found?._id !== account.get()?._id) forgetCsrfToken()
      if (found) await getCsrfToken()
      account.set(found)
      return found
    } catch {
      onFailure?.()
      await new Promise((resolve) => setTimeout(resolve, accountRetryTime))
    }
  }
}
