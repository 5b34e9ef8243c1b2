import { spacesQuery } from './queries.ts'
import { queryClient } from './query-client.ts'
import { currentAccount, subscribeToAccount } from './session.ts'

/**
 * Deletes all cached queries and mutations when the user signs out or another account signs in, because they belong to
 * the earlier account. Then loads the spaces of the new account, if there is one. If that fails, the page that needs
 * the spaces reports the error.
 *
 * @returns a function that removes the listener
 */
export function clearDataOfAccounts(): () => void {
  let accountId = currentAccount()?._id
  return subscribeToAccount(() => {
    const next = currentAccount()?._id
    if (next === accountId) return
    accountId = next
    queryClient.removeQueries()
    queryClient.getMutationCache().clear()
    if (next) void queryClient.prefetchQuery(spacesQuery())
  })
}
