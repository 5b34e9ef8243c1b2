import type { Config } from '#server/config.ts'
import type { Db } from '#server/db/scope.ts'
import type { SpaceCreation } from '#shared/sign-up.ts'
import { signupMode } from './sign-up.ts'

/**
 * Returns who may create spaces. Sources in order of priority: the operator (`IMORI_SPACE_CREATION`), the
 * installation's admins, and the default: everyone if sign-up is open, otherwise admins.
 */
export async function spaceCreation(db: Db, config: Config): Promise<SpaceCreation> {
  if (config.spaceCreation) return config.spaceCreation
  const row = await db.selectFrom('installation_setting').select('space_creation').executeTakeFirst()
  return row?.space_creation ?? ((await signupMode(db, config)) === 'open' ? 'everyone' : 'admins')
}

/** Returns whether the account may create spaces. Admins of the installation, such as the first account, always may. */
export const mayCreateSpaces = async (db: Db, config: Config, account: { isAdmin: boolean }) =>
  account.isAdmin || (await spaceCreation(db, config)) === 'everyone'
