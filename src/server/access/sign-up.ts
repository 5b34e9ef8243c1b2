import type { Config } from '#server/config.ts'
import type { Db } from '#server/db/scope.ts'
import type { SignupConfirmation, SignupMode } from '#shared/sign-up.ts'

/**
 * Returns who may create an account, apart from the first account. Sources in order of priority: the operator
 * (`IMORI_SIGNUP`), the installation's admins, the default `invited` (only invited users).
 */
export async function signupMode(db: Db, { signup }: Config): Promise<SignupMode> {
  if (signup) return signup
  const row = await db.selectFrom('installation_setting').select('signup').executeTakeFirst()
  return row?.signup ?? 'invited'
}

/**
 * Returns whether the e-mail address of a new account is confirmed before or after the account is created. Sources in
 * order of priority: the operator (`IMORI_SIGNUP_CONFIRMATION`), the installation's admins, the default `after`.
 */
export async function signupConfirmation(
  db: Db,
  { signupConfirmation: fixed }: Config,
): Promise<SignupConfirmation> {
  if (fixed) return fixed
  const row = await db.selectFrom('installation_setting').select('signup_confirmation').executeTakeFirst()
  return row?.signup_confirmation ?? 'after'
}
