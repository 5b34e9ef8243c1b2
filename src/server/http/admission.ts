import type { AccountRow } from '#server/access/account.ts'
import type { Exchange } from './context.ts'

/** Tells the browser that it is signed in, and known from now on. Answers whose account it is. */
export function admit(
  { cookies }: Pick<Exchange, 'cookies'>,
  { account, sessionId, device }: { account: AccountRow; sessionId: string; device: string },
): AccountRow {
  cookies.set('sid', sessionId)
  cookies.set('device', device)
  return account
}
