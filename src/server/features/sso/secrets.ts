import type { Secrets } from '#server/config.ts'
import { createKeyring } from '#server/lib/keyring.ts'
import { AppError } from '#shared/errors.ts'
import type { ConnectionRow } from './sso.repository.ts'

const ofConnection = (id: string) => `sso ${id}`
const ofSignIn = (id: string) => `sso sign-in ${id}`

export const sealSecret = ({ encryptionKeys }: Secrets, connectionId: string, secret: string) =>
  createKeyring(encryptionKeys).seal(secret, ofConnection(connectionId))

/**
 * Decrypts the client secret. Throws `SsoUnavailable` if the encryption key is lost or no secret is stored; the secret
 * must then be entered again.
 */
export function openSecret({ encryptionKeys }: Secrets, { id, secret }: ConnectionRow): string {
  const opened = secret === null ? null : createKeyring(encryptionKeys).open(secret, ofConnection(id))
  if (opened === null) throw new AppError('SsoUnavailable')
  return opened
}

/** Encrypts the values that a pending sign-in stores between two requests. */
export const sealKept = ({ encryptionKeys }: Secrets, signInId: string, kept: object) =>
  createKeyring(encryptionKeys).seal(JSON.stringify(kept), ofSignIn(signInId))

/** Decrypts the values of a pending sign-in. Throws `SsoHasEnded` if there are none, or if they cannot be decrypted. */
export function openKept<T>({ encryptionKeys }: Secrets, row: { id: string; kept: string | null }): T {
  const opened = row.kept === null ? null : createKeyring(encryptionKeys).open(row.kept, ofSignIn(row.id))
  if (opened === null) throw new AppError('SsoHasEnded')
  return JSON.parse(opened) as T
}
