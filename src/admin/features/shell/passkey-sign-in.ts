import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import { api } from '#admin/lib/api.ts'
import type { Account } from '#admin/lib/session.ts'

/** Can this browser make and use passkeys? */
export const knowsPasskeys = () => typeof window.PublicKeyCredential === 'function'

/**
 * Signs in by a passkey: as the second factor of a sign-in that has begun, or (without `authenticatingUserId`) alone. null when the
 * account has none, or the person has closed what the browser showed.
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

/** The browser tells neither why nor by whom its window was closed; other errors are thrown on. */
export function whenClosed(error: unknown): null {
  if (error instanceof Error && ['NotAllowedError', 'AbortError'].includes(error.name)) return null
  throw error
}
