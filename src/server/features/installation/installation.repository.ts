import { sql } from 'kysely'
import { type Db, type SpaceScope, spaceScope } from '#server/db/scope.ts'
import type { SignupConfirmation, SignupMode, SpaceCreation } from '#shared/sign-up.ts'

/** Settings to change; omitted ones stay. */
export interface SettingChoices {
  signup?: SignupMode | undefined
  signupConfirmation?: SignupConfirmation | undefined
  spaceCreation?: SpaceCreation | undefined
}

/** Updates the settings of sign-up, of the verification of email addresses, and of creating spaces. */
export async function updateSettings(
  db: Db,
  { signup, signupConfirmation, spaceCreation }: SettingChoices,
): Promise<void> {
  const row = {
    ...(signup === undefined ? {} : { signup }),
    ...(signupConfirmation === undefined ? {} : { signup_confirmation: signupConfirmation }),
    ...(spaceCreation === undefined ? {} : { space_creation: spaceCreation }),
    updated_at: sql<Date>`now()`,
  }
  await db
    .insertInto('installation_setting')
    .values(row)
    .onConflict((conflict) => conflict.column('only_one').doUpdateSet(row))
    .execute()
}

/** Returns the space with this uid, ignoring case, or null. Must run outside spaces. */
export async function findSpaceByUid(
  db: Db,
  uid: string,
): Promise<{ scope: SpaceScope; uid: string; name: string } | null> {
  const row = await db
    .selectFrom('space')
    .select(['id', 'uid', 'name'])
    .where(sql`lower(uid)`, '=', uid.toLowerCase())
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row ? { scope: spaceScope(row.id), uid: row.uid, name: row.name } : null
}
