import { sql } from 'kysely'
import { rightsOf } from '#server/access/grants.ts'
import type { AppScope, Db, SpaceScope } from '#server/db/scope.ts'
import type { Language } from '#shared/languages.ts'

/** A member's request for access to an app. `id`: the id of the member. */
export interface AccessRequestRow {
  id: string
  name: string
  email: string
  message: string
  createdAt: Date
}

/** Number of days for which a declined member cannot ask again. */
const quietDays = 7

/**
 * Stores a request and returns its app. Returns null without a change if no private app has the uid, or if the member
 * is in the app or sees every app. Also returns null if the request exists already or was recently declined.
 */
export async function insertRequest(
  db: Db,
  { spaceId }: SpaceScope,
  memberId: string,
  { app, message, seesEveryApp }: { app: string; message: string; seesEveryApp: boolean },
): Promise<{ appId: number; name: string } | null> {
  const { rows } = await sql<{ appId: number; name: string }>`
    INSERT INTO access_request (space_id, app_id, member_id, message)
    SELECT space_id, id, ${memberId}, ${message} FROM app
    WHERE space_id = ${spaceId} AND uid = ${app} AND deleted_at IS NULL AND visibility = 'private' AND NOT ${seesEveryApp}::boolean
      AND NOT EXISTS (SELECT FROM app_member WHERE app_member.space_id = app.space_id AND app_member.app_id = app.id
        AND app_member.member_id = ${memberId})
    ON CONFLICT (space_id, app_id, member_id) DO UPDATE SET message = excluded.message, created_at = now(), declined_at = NULL
      WHERE access_request.declined_at < now() - make_interval(days => ${quietDays})
    RETURNING app_id AS "appId", (SELECT name FROM app WHERE space_id = ${spaceId} AND id = app_id) AS name`.execute(
    db,
  )
  return rows[0] ?? null
}

/**
 * Returns up to `limit` managers of the app: first the members of the app, then other members of the space. Omits
 * members that a directory created and no person has claimed.
 */
export async function findKeepers(
  db: Db,
  { spaceId, appId }: AppScope,
  limit: number,
): Promise<{ email: string; language: Language }[]> {
  const { rows } = await sql<{ email: string; language: Language }>`
    SELECT account.email, account.language FROM space_member
    JOIN account ON account.id = space_member.account_id AND account.provisioned_by IS NULL
    LEFT JOIN app_member ON app_member.space_id = ${spaceId} AND app_member.app_id = ${appId}
      AND app_member.member_id = space_member.id
    WHERE space_member.space_id = ${spaceId}
      AND (${rightsOf('app_member')} @> '{app.manage}' OR ${rightsOf('space_member')} @> '{app.manage}')
    ORDER BY app_member.member_id IS NULL, space_member.created_at LIMIT ${limit}`.execute(db)
  return rows
}

const open = (db: Db, scope: AppScope) =>
  db
    .selectFrom('access_request')
    .innerJoin('space_member', (join) =>
      join
        .onRef('space_member.space_id', '=', 'access_request.space_id')
        .onRef('space_member.id', '=', 'access_request.member_id'),
    )
    .innerJoin('account', 'account.id', 'space_member.account_id')
    .select(['access_request.member_id as id', 'account.name', 'account.email'])
    .select(['access_request.message', 'access_request.created_at as createdAt'])
    .where('access_request.space_id', '=', scope.spaceId)
    .where('access_request.app_id', '=', scope.appId)
    .where('access_request.declined_at', 'is', null)

/** Returns pending requests, oldest first. */
export function listRequests(db: Db, scope: AppScope, limit: number): Promise<AccessRequestRow[]> {
  return open(db, scope)
    .orderBy('access_request.created_at')
    .orderBy('access_request.member_id')
    .limit(limit)
    .execute()
}

export async function findRequest(db: Db, scope: AppScope, id: string): Promise<AccessRequestRow | null> {
  return (await open(db, scope).where('access_request.member_id', '=', id).executeTakeFirst()) ?? null
}

export async function deleteRequest(db: Db, scope: AppScope, id: string): Promise<void> {
  await db
    .deleteFrom('access_request')
    .where('space_id', '=', scope.spaceId)
    .where('app_id', '=', scope.appId)
    .where('member_id', '=', id)
    .execute()
}

export async function declineRequest(db: Db, scope: AppScope, id: string): Promise<void> {
  await db
    .updateTable('access_request')
    .set({ declined_at: sql`now()` })
    .where('space_id', '=', scope.spaceId)
    .where('app_id', '=', scope.appId)
    .where('member_id', '=', id)
    .execute()
}
