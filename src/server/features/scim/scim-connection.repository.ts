import { type Selectable, sql } from 'kysely'
import type { SpaceRow } from '#server/access/context.ts'
import { toSpaceRow } from '#server/access/membership.ts'
import { type Db, entering, type SpaceScope, spaceScope, type Tx } from '#server/db/scope.ts'
import type { ScimConnectionTable } from '#server/db/tables.ts'

/** The connection without its creator and without the hash of its token. */
export type ConnectionRow = Omit<Selectable<ScimConnectionTable>, 'space_id' | 'value_hash' | 'created_by'>

const columns = ['id', 'last4', 'sends_mail', 'created_at', 'renewed_at', 'last_used_at'] as const

export async function findConnection(db: Db, { spaceId }: SpaceScope): Promise<ConnectionRow | null> {
  const row = await db
    .selectFrom('scim_connection')
    .select(columns)
    .where('space_id', '=', spaceId)
    .executeTakeFirst()
  return row ?? null
}

/** Saves the connection, replacing an existing one. */
export function saveConnection(
  db: Db,
  { spaceId }: SpaceScope,
  connection: Pick<
    Selectable<ScimConnectionTable>,
    'id' | 'value_hash' | 'last4' | 'sends_mail' | 'created_by'
  >,
): Promise<ConnectionRow> {
  return db
    .insertInto('scim_connection')
    .values({ space_id: spaceId, ...connection })
    .onConflict((conflict) =>
      conflict
        .column('space_id')
        .doUpdateSet({ ...connection, renewed_at: sql<Date>`now()`, last_used_at: null }),
    )
    .returning(columns)
    .executeTakeFirstOrThrow()
}

/** Sets whether the connection sends mails. Returns null if the space has no connection. */
export async function updateConnection(
  db: Db,
  { spaceId }: SpaceScope,
  sendsMail: boolean,
): Promise<ConnectionRow | null> {
  const row = await db
    .updateTable('scim_connection')
    .set({ sends_mail: sendsMail })
    .where('space_id', '=', spaceId)
    .returning(columns)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Deletes the connection with the directory's users and groups; members stay. Returns false if the space has no
 * connection.
 */
export async function deleteConnection(db: Db, { spaceId }: SpaceScope): Promise<boolean> {
  const row = await db
    .deleteFrom('scim_connection')
    .where('space_id', '=', spaceId)
    .returning('id')
    .executeTakeFirst()
  if (!row) return false
  await db.deleteFrom('scim_group').where('space_id', '=', spaceId).execute()
  await db.deleteFrom('scim_user').where('space_id', '=', spaceId).execute()
  return true
}

/** Returns the space with that uid, if it has a connection. */
export async function findSpaceWithConnection(db: Db, uid: string): Promise<SpaceScope | null> {
  const row = await db
    .selectFrom('space')
    .innerJoin('scim_connection', 'scim_connection.space_id', 'space.id')
    .select('space.id')
    .where(sql`lower(space.uid)`, '=', uid.toLowerCase())
    .where('space.deleted_at', 'is', null)
    .executeTakeFirst()
  return row ? spaceScope(row.id) : null
}

/**
 * Enters the space with this `uid` if its connection has a token with this hash. Returns null if the space does not
 * exist or has another token.
 */
export async function enterAsDirectory(
  tx: Tx,
  uid: string,
  tokenHash: Buffer,
): Promise<{ scope: SpaceScope; space: SpaceRow; id: string; lastUsedAt: Date | null } | null> {
  const row = await tx
    .selectFrom('scim_connection')
    .innerJoin('space', 'space.id', 'scim_connection.space_id')
    .select(['space.id', 'space.uid', 'space.name', 'space.plan', 'space.time_zone'])
    .select(['space.created_at', 'space.updated_at'])
    .select(['scim_connection.id as connectionId', 'last_used_at as lastUsedAt'])
    .select(entering(sql.ref('space.id')).as('entered'))
    .where('value_hash', '=', tokenHash)
    .where(sql`lower(space.uid)`, '=', uid.toLowerCase())
    .where('space.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) return null
  const { connectionId: id, lastUsedAt } = row
  return { scope: spaceScope(row.id), space: toSpaceRow(row), id, lastUsedAt }
}

/** Sets the time of the directory's last call to now. */
export async function markUsed(db: Db, { spaceId }: SpaceScope): Promise<void> {
  await db
    .updateTable('scim_connection')
    .set({ last_used_at: sql`now()` })
    .where('space_id', '=', spaceId)
    .execute()
}
