import { z } from 'zod'
import type { Secrets } from '#server/config.ts'
import type { Db } from '#server/db/scope.ts'
import { readSignedValue, signValue } from '#server/lib/signed-value.ts'
import { findSessionByHash, type Session } from './sessions.ts'

/*
 * A program that somebody starts themselves acts for them with a key that they made in the admin: in one space, only where an
 * endpoint says so (`programs` in the contract), and no longer than they are signed in. Nothing is kept of it.
 */

const purpose = 'program.key'
const hours = 12
const prefix = 'imori_key_'
const keySchema = z.object({ session: z.string(), space: z.string() })

/** A key to a space for the programs of who is signed in. */
export function makeProgramKey(
  secrets: Secrets,
  session: Session,
  spaceUid: string,
): { key: string; expiresAt: Date } {
  const expiresAt = new Date(Date.now() + hours * 3_600_000)
  const value = { session: session.idHash.toString('hex'), space: spaceUid.toLowerCase() }
  return { key: prefix + signValue(secrets.sessionKey, purpose, value, expiresAt), expiresAt }
}

/** Whose key comes in the header `Authorization`; null for none, and for one to another space or that has ended. */
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
