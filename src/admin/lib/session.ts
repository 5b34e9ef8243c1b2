import { useSyncExternalStore } from 'react'
import type { Account } from '#shared/contract/accounts.ts'
import { api, forgetCsrfToken, getCsrfToken } from './api.ts'

export type { Account }

/** A failed account check is tried again after this time, in milliseconds (specification §9). */
export const accountRetryTime = 5000

let account: Account | null = null
const listeners = new Set<() => void>()

/** The signed-in account; null before the check and for visitors. */
export function currentAccount(): Account | null {
  return account
}

function publish(next: Account | null): void {
  account = next
  for (const listener of listeners) listener()
}

/** Sets who is signed in. Another person, or nobody, means another session: its CSRF token is forgotten. */
export function setAccount(next: Account | null): void {
  if (next?._id !== account?._id) forgetCsrfToken()
  publish(next)
}

export function subscribeToAccount(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useAccount(): Account | null {
  return useSyncExternalStore(subscribeToAccount, currentAccount)
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
  if (account && !force) return account
  for (;;) {
    try {
      const { currentAccount: found } = await api('GET /api/auth/getCurrentAccount', {})
      if (found?._id !== account?._id) forgetCsrfToken()
      if (found) await getCsrfToken()
      publish(found)
      return found
    } catch {
      onFailure?.()
      await new Promise((resolve) => setTimeout(resolve, accountRetryTime))
    }
  }
}
