import { sql } from 'kysely'
import type { SpaceRow } from '#server/access/context.ts'
import { toSpaceRow } from '#server/access/membership.ts'
import type { Db, SpaceScope, Tx } from '#server/db/scope.ts'
import { whenTaken } from '#server/db/unique-violation.ts'
import { AppError } from '#shared/errors.ts'

const columns = [
  'space.id',
  'space.uid',
  'space.name',
  'space.plan',
  'space.time_zone',
  'space.created_at',
  'space.updated_at',
] as const
const whenUidIsTaken = whenTaken('space_uid', 'SpaceUidIsAlreadyInUse', 'project.uid')

/**
 * Returns the spaces that an account is a member of, oldest first. Runs outside any space, so that only the account id
 * limits the result.
 */
export async function listSpaces(db: Db, accountId: string): Promise<SpaceRow[]> {
  const rows = await db
    .selectFrom('space_member')
    .innerJoin('space', 'space.id', 'space_member.space_id')
    .select(columns)
    .where('space_member.account_id', '=', accountId)
    .where('space.deleted_at', 'is', null)
    .orderBy('space.created_at')
    .orderBy('space.id')
    .execute()
  return rows.map(toSpaceRow)
}

/**
 * Returns the spaces that an account is a member of, and locks them until the transaction ends, so that changes of
 * members are serialised.
 */
export async function lockSpacesOf(tx: Tx, accountId: string) {
  return tx
    .selectFrom('space')
    .select(['id', 'uid', 'name'])
    .where('deleted_at', 'is', null)
    .where('id', 'in', (of) =>
      of.selectFrom('space_member').select('space_id').where('account_id', '=', accountId),
    )
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/** Inserts a space. Throws `SpaceUidIsAlreadyInUse`, also if the uids differ only in case. */
export async function insertSpace(db: Db, space: { uid: string; name: string }): Promise<SpaceRow> {
  const row = await db
    .insertInto('space')
    .values(space)
    .returning(columns)
    .executeTakeFirstOrThrow()
    .catch(whenUidIsTaken)
  return toSpaceRow(row)
}

/** Updates a space. Throws `SpaceUidIsAlreadyInUse`, and 404 if the space was deleted in the meantime. */
export async function updateSpace(
  db: Db,
  scope: SpaceScope,
  { timeZone, ...changes }: { uid?: string; name?: string; timeZone?: string },
): Promise<SpaceRow> {
  const row = await db
    .updateTable('space')
    .set({ ...changes, ...(timeZone ? { time_zone: timeZone } : {}), updated_at: sql`now()` })
    .where('id', '=', scope.spaceId)
    .where('deleted_at', 'is', null)
    .returning(columns)
    .executeTakeFirst()
    .catch(whenUidIsTaken)
  if (!row) throw new AppError('NotFound')
  return toSpaceRow(row)
}

/** Marks the space deleted and removes its tokens, so that no site can read from it. */
export async function deleteSpace(db: Db, scope: SpaceScope): Promise<void> {
  await db.updateTable('space').set({ deleted_at: sql`now()` }).where('id', '=', scope.spaceId).execute()
  await db.deleteFrom('token').where('space_id', '=', scope.spaceId).execute()
}
