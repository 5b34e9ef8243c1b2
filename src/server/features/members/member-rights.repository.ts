import { type ActorGrants, seesApp } from '#server/access/grants.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'

/** An app of the space and a member's role in it; `role` is null when they have not joined. */
export interface AppOfMember {
  id: number
  uid: string
  name: string
  visibility: 'open' | 'private'
  role: string | null
  roleName: string | null
}

/**
 * Returns the apps of the space that are visible with `grants`, ordered by position, with this member's role in each.
 */
export function findAppsOf(
  db: Db,
  scope: SpaceScope,
  memberId: string,
  grants: ActorGrants,
): Promise<AppOfMember[]> {
  return db
    .selectFrom('app')
    .leftJoin('app_member', (join) =>
      join
        .onRef('app_member.space_id', '=', 'app.space_id')
        .onRef('app_member.app_id', '=', 'app.id')
        .on('app_member.member_id', '=', memberId),
    )
    .leftJoin('role', (join) =>
      join
        .onRef('role.space_id', '=', 'app.space_id')
        .onRef('role.app_id', '=', 'app.id')
        .onRef('role.uid', '=', 'app_member.role'),
    )
    .select(['app.id', 'app.uid', 'app.name', 'app.visibility', 'app_member.role', 'role.name as roleName'])
    .where('app.space_id', '=', scope.spaceId)
    .where('app.deleted_at', 'is', null)
    .where(seesApp(grants))
    .orderBy('app.position')
    .orderBy('app.id')
    .execute()
}

/** Returns all models of the space, ordered by position. */
export function findModelsOf(db: Db, scope: SpaceScope) {
  return db
    .selectFrom('model')
    .select(['public_id as publicId', 'app_id as appId', 'uid', 'name', 'fields'])
    .where('space_id', '=', scope.spaceId)
    .where('deleted_at', 'is', null)
    .orderBy('position')
    .orderBy('id')
    .execute()
}
