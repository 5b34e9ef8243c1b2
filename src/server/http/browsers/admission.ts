import type { AccountRow } from '#server/access/account.ts'
import type { Exchange } from '../context.ts'

/** Sets the cookies of a new session and a known browser. Returns the account. */
export function admit(
  { cookies }: Pick<Exchange, 'cookies'>,
  { account, sessionId, device }: { account: AccountRow; sessionId: string; device: string },
): AccountRow {
  cookies.set('sid', sessionId)
  cookies.set('device', device)
  return account
}
