import type { Secrets } from '#server/config.ts'
import { createKeyring } from '#server/lib/keyring.ts'
import { createOutgoingHttp, type OutgoingHttp } from '#server/lib/outgoing-http.ts'
import type { Services } from '#server/services.ts'
import { AppError } from '#shared/errors.ts'
import type { ConnectionRow } from './sso.repository.ts'

const ofConnection = (id: string) => `sso ${id}`
const ofSignIn = (id: string) => `sso sign-in ${id}`

export const sealSecret = ({ encryptionKeys }: Secrets, connectionId: string, secret: string) =>
  createKeyring(encryptionKeys).seal(secret, ofConnection(connectionId))

/** Throws `SsoUnavailable` when the key is gone: it has to be entered again. */
export function openSecret({ encryptionKeys }: Secrets, { id, secret }: ConnectionRow): string {
  const opened = secret === null ? null : createKeyring(encryptionKeys).open(secret, ofConnection(id))
  if (opened === null) throw new AppError('SsoUnavailable')
  return opened
}

/** What a sign-in under way keeps between two calls. */
export const sealKept = ({ encryptionKeys }: Secrets, signInId: string, kept: object) =>
  createKeyring(encryptionKeys).seal(JSON.stringify(kept), ofSignIn(signInId))

/** Throws `SsoHasEnded` for what cannot be opened (any more). */
export function openKept<T>({ encryptionKeys }: Secrets, row: { id: string; kept: string | null }): T {
  const opened = row.kept === null ? null : createKeyring(encryptionKeys).open(row.kept, ofSignIn(row.id))
  if (opened === null) throw new AppError('SsoHasEnded')
  return JSON.parse(opened) as T
}

/** Identity providers in a private network are reached where the operator named them, and then nothing else there. */
export async function withOutgoing<T>(
  { config: { sso }, outgoing }: Pick<Services, 'config' | 'outgoing'>,
  issuer: string,
  work: (http: OutgoingHttp) => Promise<T>,
): Promise<T> {
  if (!sso.privateOrigins.includes(new URL(issuer).origin)) return work(outgoing)
  const trusted = createOutgoingHttp({ allowPrivate: sso.privateOrigins })
  try {
    return await work(trusted)
  } finally {
    await trusted.close()
  }
}
