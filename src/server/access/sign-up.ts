import type { Config } from '#server/config.ts'
import type { Db } from '#server/db/scope.ts'
import type { SignupMode } from '#shared/sign-up.ts'

/**
 * Who may make an account here, the first one apart: as the operator says (`IMORI_SIGNUP`, the last word), else the
 * installation's admins, else who is invited.
 */
export async function signupMode(db: Db, { signup }: Config): Promise<SignupMode> {
  if (signup) return signup
  const row = await db.selectFrom('installation_setting').select('signup').executeTakeFirst()
  return row?.signup ?? 'invited'
}

/** Is this the code of an invitation that can be accepted? There are no invitations yet. */
export async function isInvitationCode(_db: Db, _code: string): Promise<boolean> {
  return false
}
