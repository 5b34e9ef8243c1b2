import { type Selectable, sql } from 'kysely'
import type { SpaceRow } from '#server/access/context.ts'
import { toSpaceRow } from '#server/access/membership.ts'
import { type Db, entering, type SpaceScope, spaceScope, type Tx } from '#server/db/scope.ts'
import type { ScimConnectionTable } from '#server/db/tables.ts'

/** The connection as it may be looked at; the hash of its token stays in the database. */
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

/** In place of the one that there may be. */
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

/** Null when the space has none. */
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

/** The directory's description of people and groups goes with it; members stay. False when the space has none. */
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

/** Where a token leads to. */
export interface Admitted {
  scope: SpaceScope
  space: SpaceRow
  connection: { id: string; sendsMail: boolean; lastUsedAt: Date | null }
}

/** Lets who holds this token into its space, if that has this uid: the transaction is in it from here on. Null for nobody. */
export async function admitToken(tx: Tx, uid: string, valueHash: Buffer): Promise<Admitted | null> {
  const row = await tx
    .selectFrom('scim_connection')
    .innerJoin('space', 'space.id', 'scim_connection.space_id')
    .select(['space.id', 'space.uid', 'space.name', 'space.plan', 'space.time_zone'])
    .select(['space.created_at', 'space.updated_at'])
    .select(['scim_connection.id as connectionId', 'sends_mail as sendsMail', 'last_used_at as lastUsedAt'])
    .select(entering(sql.ref('space.id')).as('entered'))
    .where('value_hash', '=', valueHash)
    .where(sql`lower(space.uid)`, '=', uid.toLowerCase())
    .where('space.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) return null
  const { connectionId: id, sendsMail, lastUsedAt } = row
  return { scope: spaceScope(row.id), space: toSpaceRow(row), connection: { id, sendsMail, lastUsedAt } }
}

/** The space of that uid, if it has a connection: where a wrong token is worth a word. */
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

export async function markUsed(db: Db, { spaceId }: SpaceScope): Promise<void> {
  await db
    .updateTable('scim_connection')
    .set({ last_used_at: sql`now()` })
    .where('space_id', '=', spaceId)
    .execute()
}
