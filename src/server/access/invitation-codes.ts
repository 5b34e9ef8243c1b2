import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#server/db/scope.ts'
import { sha256 } from '#server/lib/ids.ts'

/** Creates the code of a new invitation and its hash. The invitation's row contains only the hash. */
export function newInvitationCode(): { code: string; hash: Buffer } {
  const code = randomBytes(32).toString('base64url')
  return { code, hash: sha256(code) }
}

/**
 * Matches invitations that can still be accepted. Acceptance must also check whether the inviter may still grant the
 * roles.
 */
export const isOpenInvitation = sql<boolean>`(invitation.revoked_at IS NULL AND invitation.expires_at > now()
  AND (invitation.maximum_uses IS NULL OR invitation.uses < invitation.maximum_uses))`

/**
 * Returns the recipient of an invitation that can be accepted now; null for an invalid code. Any account may use the
 * code. `emailKey`: key of the e-mail address to which the code was mailed, and which the code therefore proves; null
 * for an invitation link. `db`: the pool or a transaction outside of any space.
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
