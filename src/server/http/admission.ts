import type { AccountRow } from '#server/access/account.ts'
import type { Exchange } from './context.ts'

/** Tells the browser that it is signed in, and known from now on. Answers whose account it is. */
export function admit(
  exchange: Exchange,
  { account, sessionId, device }: { account: AccountRow; sessionId: string; device: string },
): AccountRow {
  exchange.setSessionCookie(sessionId)
  exchange.setDeviceCookie(device)
  return account
}
