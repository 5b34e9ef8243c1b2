import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import { api } from '#admin/lib/api.ts'
import type { Account } from '#admin/lib/session.ts'

/** Whether this browser supports passkeys. */
export const knowsPasskeys = () => typeof window.PublicKeyCredential === 'function'

/**
 * Signs in with a passkey: as the second factor of a pending sign-in, or (without `authenticatingUserId`) on its own.
 * Null if the account has none or the person closed the browser's dialog.
 */
export async function signInByPasskey(authenticatingUserId?: string): Promise<Account | null> {
  const begun = await api('POST /api/auth/passkeyOptions', {
    body: authenticatingUserId === undefined ? {} : { authenticatingUserId },
  })
  if (!begun.options) return null
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const optionsJSON = begun.options as unknown as PublicKeyCredentialRequestOptionsJSON
  const signed = await startAuthentication({ optionsJSON }).catch(whenClosed)
  if (!signed) return null
  const { id, response, ...rest } = signed
  const body = {
    authenticatingUserId: begun.authenticatingUserId,
    response: { ...rest, id, response: { ...response } },
  }
  return (await api('POST /api/auth/passkey', { body })).user
}

/** Returns null if the browser's dialog was closed; its reason is unknown. Other errors are rethrown. */
export function whenClosed(error: unknown): null {
  if (error instanceof Error && ['NotAllowedError', 'AbortError'].includes(error.name)) return null
  throw error
}
