import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#server/db/scope.ts'
import { sha256 } from '#server/lib/ids.ts'

/** Creates the code of a new invitation and its hash. Only the hash is stored. */
export function newInvitationCode(): { code: string; hash: Buffer } {
  const code = randomBytes(32).toString('base64url')
  return { code, hash: sha256(code) }
}

/**
 * Matches invitations that can still be accepted. Whether the inviter may still grant the roles of the invitation is
 * checked at acceptance.
 */
export const isOpenInvitation = sql<boolean>`(invitation.revoked_at IS NULL AND invitation.expires_at > now()
  AND (invitation.maximum_uses IS NULL OR invitation.uses < invitation.maximum_uses))`

/**
 * Returns the recipient of an invitation that can be accepted now; null for an invalid code. An invitation is bound to
 * its code only, so any address may use it. The code proves the address it was mailed to (`emailKey`, null for a link).
 * `db`: the pool or a transaction outside of any space.
 */
export async function findInvited(db: Db, code: string): Promise<{ emailKey: string | null } | null> {
  if (code.length > 100) return null
  const row = await db
    .selectFrom('invitation')
    .innerJoin('space', 'space.id', 'invitation.space_id')
    .select('invitation.email_key as emailKey')
    .where('code_hash', '=', sha256(code))
    .where('space.deleted_at', 'is', null)
    .where(isOpenInvitation)
    .executeTakeFirst()
  return row ?? null
}
