import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'

/** The identity of an account at the identity provider of a space. */
export interface IdentityView {
  issuer: string
  subject: string
  createdAt: Date
  lastUsedAt: Date
}
export type OwnIdentity = IdentityView & { id: string; spaceId: number; spaceUid: string; spaceName: string }

const columns = [
  'issuer',
  'subject',
  'sso_identity.created_at as createdAt',
  'last_used_at as lastUsedAt',
] as const

export async function findIdentityOf(
  db: Db,
  { spaceId }: SpaceScope,
  accountId: string,
): Promise<IdentityView | null> {
  const row = await db
    .selectFrom('sso_identity')
    .select(columns)
    .where('space_id', '=', spaceId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row ?? null
}

/** Returns the directory's user for a member. null: the directory does not list the member. */
export async function findDirectoryUser(
  db: Db,
  { spaceId }: SpaceScope,
  memberId: string,
): Promise<{ userName: string; externalId: string | null } | null> {
  const row = await db
    .selectFrom('scim_user')
    .select(['user_name as userName', 'external_id as externalId'])
    .where('space_id', '=', spaceId)
    .where('member_id', '=', memberId)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Returns all identities of an account in existing spaces. `id` is the id of the connection. Must run outside a space's
 * transaction, because row-level security hides the other spaces there.
 */
export async function listIdentities(db: Db, accountId: string): Promise<OwnIdentity[]> {
  return db
    .selectFrom('sso_identity')
    .innerJoin('space', 'space.id', 'sso_identity.space_id')
    .select(columns)
    .select([
      'connection_id as id',
      'space.id as spaceId',
      'space.uid as spaceUid',
      'space.name as spaceName',
    ])
    .where('account_id', '=', accountId)
    .where('space.deleted_at', 'is', null)
    .orderBy('sso_identity.created_at')
    .execute()
}

/** Deletes the identity and the sessions that depend on it alone. Returns the issuer; null if there was no identity. */
export async function unlinkIdentity(
  db: Db,
  { spaceId }: Pick<SpaceScope, 'spaceId'>,
  accountId: string,
): Promise<string | null> {
  const { rows } = await sql<{ issuer: string | null }>`
    SELECT unlink_sso_identity(${spaceId}, ${accountId}) AS issuer`.execute(db)
  return rows[0]?.issuer ?? null
}
