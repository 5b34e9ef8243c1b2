import type { Config } from '#server/config.ts'
import type { Db } from '#server/db/scope.ts'
import type { SignupConfirmation, SignupMode } from '#shared/sign-up.ts'

/**
 * Who may create an account, apart from the first one: as set by the operator (`IMORI_SIGNUP`, which has priority), by the
 * installation's admins, or else invited people only.
 */
export async function signupMode(db: Db, { signup }: Config): Promise<SignupMode> {
  if (signup) return signup
  const row = await db.selectFrom('installation_setting').select('signup').executeTakeFirst()
  return row?.signup ?? 'invited'
}

/** When a new account must confirm its address; set in the same places (`IMORI_SIGNUP_CONFIRMATION`). */
export async function signupConfirmation(
  db: Db,
  { signupConfirmation: fixed }: Config,
): Promise<SignupConfirmation> {
  if (fixed) return fixed
  const row = await db.selectFrom('installation_setting').select('signup_confirmation').executeTakeFirst()
  return row?.signup_confirmation ?? 'after'
}
