import { Store, useStore } from '#admin/base/store.ts'
import type { Account } from '#shared/contract/accounts.ts'
import { api, forgetCsrfToken, getCsrfToken } from './api.ts'
import { closeAllToasts } from './toast.ts'

export type { Account }

/** Time in milliseconds after which a failed account check is repeated. */
export const accountRetryTime = 5000

const account = new Store<Account | null>(null)

/** Whether the server can send mail. True until the first successful {@link checkAccount}. */
const sendsMail = new Store(true)

export const useSendsMail = (): boolean => useStore(sendsMail)

/** Returns the signed-in account; null before the check and for visitors. */
export const currentAccount = account.get

/** Sets the signed-in account. Another account, or null, means another session, so the CSRF token is deleted. */
export function setAccount(next: Account | null): void {
  if (next?._id !== account.get()?._id) {
    forgetCsrfToken()
    if (next) closeAllToasts()
  }
  account.set(next)
}

export const subscribeToAccount = account.subscribe

export function useAccount(): Account | null {
  return useStore(account)
}

/**
 * Fetches the signed-in account, then the CSRF token if there is an account. Skips this if an account is known, unless
 * forced. Retries every five seconds until it succeeds, and calls `onFailure` after each failure.
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
      const answer = await api('GET /api/auth/getCurrentAccount', {})
      const { currentAccount } = answer
      sendsMail.set(answer.sendsMail)
      if (currentAccount?._id !== account.get()?._id) forgetCsrfToken()
      if (currentAccount) await getCsrfToken()
      account.set(currentAccount)
      return currentAccount
    } catch {
      onFailure?.()
      await new Promise((resolve) => setTimeout(resolve, accountRetryTime))
    }
  }
}
