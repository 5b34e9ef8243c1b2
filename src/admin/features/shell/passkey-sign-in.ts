import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import { api } from '#admin/lib/api.ts'
import { PasskeyError } from '#admin/lib/errors.ts'
import type { Account } from '#admin/lib/session.ts'

/** Returns whether this browser supports passkeys. */
export const knowsPasskeys = () => typeof window.PublicKeyCredential === 'function'

/**
 * Signs in with a passkey: as the second factor of a pending sign-in, or without a password if `authenticatingUserId`
 * is omitted. Returns null if the account has no passkey. Throws {@link PasskeyError} if the browser's dialog was
 * closed or timed out.
 */
export async function signInByPasskey(authenticatingUserId?: string): Promise<Account | null> {
  const begun = await api('POST /api/auth/passkeyOptions', {
    body: authenticatingUserId === undefined ? {} : { authenticatingUserId },
  })
  if (!begun.options) return null
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const optionsJSON = begun.options as unknown as PublicKeyCredentialRequestOptionsJSON
  const signed = await startAuthentication({ optionsJSON }).catch(passkeyError('use'))
  const { id, response, ...rest } = signed
  const body = {
    authenticatingUserId: begun.authenticatingUserId,
    response: { ...rest, id, response: { ...response } },
  }
  return (await api('POST /api/auth/passkey', { body })).user
}

/**
 * Returns a handler for `catch`. It throws {@link PasskeyError} if the browser's dialog was closed or timed out,
 * otherwise the error itself.
 */
export const passkeyError =
  (purpose: PasskeyError['purpose']) =>
  (error: unknown): never => {
    const isDismissed = error instanceof Error && ['NotAllowedError', 'AbortError'].includes(error.name)
    throw isDismissed ? new PasskeyError(purpose, error) : error
  }
