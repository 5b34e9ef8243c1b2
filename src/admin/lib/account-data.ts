import { spacesQuery } from './queries.ts'
import { queryClient } from './query-client.ts'
import { currentAccount, subscribeToAccount } from './session.ts'

/**
 * Deletes loaded and sent data whenever another account, or none, is signed in, because it belongs to the earlier
 * account. Then loads the spaces of the new one; if that fails, the page that needs them reports it.
 * @returns A function that ends this.
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
