import { useRouter } from '@tanstack/react-router'
import { forgetKeptWork } from '#admin/lib/kept-work.ts'
import { setAccount } from '#admin/lib/session.ts'
import type { Account } from '#shared/contract/accounts.ts'
import { isServerPath, safeTarget } from './guards.ts'

/**
 * Returns a function that completes a sign-in. Sets the account and opens `to`, by default `target`, the page
 * originally requested. If the server handles that path, the browser leaves the admin instead.
 */
export function useSignIn(target: string | undefined): (account: Account, to?: string) => Promise<void> {
  const router = useRouter()
  return async (account, to = target) => {
    const path = safeTarget(to)
    if (isServerPath(path)) {
      location.replace(path)
      // The promise never resolves, so that the form stays busy until the browser has left the page.
      return new Promise(() => undefined)
    }
    setAccount(account)
    forgetKeptWork()
    await router.navigate({ href: path, replace: true })
  }
}
