import { sql } from 'kysely'
import { type Db, type SpaceScope, spaceScope } from '#server/db/scope.ts'
import type { SignupConfirmation, SignupMode } from '#shared/sign-up.ts'

export interface SignupChoices {
  signup?: SignupMode | undefined
  signupConfirmation?: SignupConfirmation | undefined
}

/** Sets who may sign up, and when addresses are verified; omitted settings stay. */
export async function setSignup(db: Db, { signup, signupConfirmation }: SignupChoices): Promise<void> {
  const row = {
    ...(signup === undefined ? {} : { signup }),
    ...(signupConfirmation === undefined ? {} : { signup_confirmation: signupConfirmation }),
    updated_at: sql<Date>`now()`,
  }
  await db
    .insertInto('installation_setting')
    .values(row)
    .onConflict((conflict) => conflict.column('only_one').doUpdateSet(row))
    .execute()
}

/** The space with this uid, ignoring case, or null. Must run outside spaces. */
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
