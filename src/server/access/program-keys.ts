import { z } from 'zod'
import type { Secrets } from '#server/config.ts'
import type { Db } from '#server/db/scope.ts'
import { readSignedValue, signValue } from '#server/lib/signed-value.ts'
import { findSessionByHash, type Session } from './sessions.ts'

/*
 * Keys for programs that users start themselves, created in the admin. A key acts as its owner in one space, only on
 * endpoints that allow it (`programs` in the contract). It ends with the session that created it, or after 12 hours.
 * Nothing is stored.
 */

const purpose = 'program.key'
const hours = 12
const prefix = 'imori_key_'
const keySchema = z.object({ session: z.string(), space: z.string() })

/** Creates a key for one space. */
export function makeProgramKey(
  secrets: Secrets,
  session: Session,
  spaceUid: string,
): { key: string; expiresAt: Date } {
  const expiresAt = new Date(Date.now() + hours * 3_600_000)
  const value = { session: session.idHash.toString('hex'), space: spaceUid.toLowerCase() }
  return { key: prefix + signValue(secrets.sessionKey, purpose, value, expiresAt), expiresAt }
}

/**
 * Returns the session and account of the key in the `Authorization` header. null: no key, an invalid or expired key, a
 * key for another space, or a key whose session has ended.
 */
export async function findByProgramKey(
  db: Db,
  secrets: Secrets,
  authorization: string | undefined,
  spaceUid: string | undefined,
): ReturnType<typeof findSessionByHash> {
  const key = authorization?.startsWith(`Bearer ${prefix}`)
    ? authorization.slice(7 + prefix.length)
    : undefined
  if (key === undefined || key.length > 1000) return null
  const { data } = keySchema.safeParse(readSignedValue(secrets.sessionKey, purpose, key))
  if (!data || data.space !== spaceUid?.toLowerCase()) return null
  return findSessionByHash(db, Buffer.from(data.session, 'hex'))
}
