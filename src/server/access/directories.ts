import { sql } from 'kysely'
import { type Db, entering, type SpaceScope, spaceScope, type Tx } from '#server/db/scope.ts'
import { AppError } from '#shared/errors.ts'
import type { TokenActor } from './actor.ts'
import type { SpaceContext } from './context.ts'
import { allGrants } from './grants.ts'
import { toSpaceRow } from './membership.ts'

/** The columns of `scim_connection` that are needed when a directory calls. */
export interface DirectoryConnection {
  id: string
  lastUsedAt: Date | null
}

/**
 * Authenticates a directory by its token for the space with this `uid`, and enters the space. The directory gets all
 * rights, because only members with all rights can create the token. Throws 401 if the space does not exist or has
 * another token.
 */
export async function admitDirectory(
  tx: Tx,
  uid: string,
  tokenHash: Buffer,
): Promise<
  Pick<SpaceContext, 'scope' | 'space' | 'grants'> & { actor: TokenActor; connection: DirectoryConnection }
> {
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
  if (!row) throw new AppError('Unauthorized')
  const { connectionId: id, lastUsedAt } = row
  return {
    scope: spaceScope(row.id),
    space: toSpaceRow(row),
    grants: allGrants,
    actor: { kind: 'token', tokenId: id, name: 'SCIM' },
    connection: { id, lastUsedAt },
  }
}

const usedEvery = 600_000

/** Updates the time of the directory's last call, at most once every 10 minutes. */
export async function markDirectorySeen(
  db: Db,
  { spaceId }: SpaceScope,
  { lastUsedAt }: DirectoryConnection,
  now: Date,
): Promise<void> {
  if (lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < usedEvery) return
  await db
    .updateTable('scim_connection')
    .set({ last_used_at: sql`now()` })
    .where('space_id', '=', spaceId)
    .execute()
}
