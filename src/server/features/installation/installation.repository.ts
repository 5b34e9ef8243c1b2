import { sql } from 'kysely'
import { type Db, type SpaceScope, spaceScope } from '#server/db/scope.ts'
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

/** The space of that uid, however it is written; null for none. Outside of spaces. */
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
