import { sql } from 'kysely'
import type { Db } from '#server/db/scope.ts'
import type { SignupMode } from '#shared/sign-up.ts'

/** Sets who may make an account. */
export async function setSignup(db: Db, signup: SignupMode): Promise<void> {
  const row = { signup, updated_at: sql<Date>`now()` }
  await db
    .insertInto('installation_setting')
    .values(row)
    .onConflict((conflict) => conflict.column('only_one').doUpdateSet(row))
    .execute()
}
