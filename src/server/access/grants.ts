import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { RoleModels } from '#server/db/tables.ts'
import {
  type Grants,
  impliedByAnyApp,
  isAppRight,
  isDocumentRight,
  isRight,
  type Right,
} from '#shared/permissions.ts'

/** What the actor may do, and as which member of the space. */
export interface ActorGrants extends Grants {
  /** null for an actor that is no member, such as a token. */
  memberId: string | null
  /** uid of their role in the space. */
  projectRole: string | null
  /** uid of their role in the app; null outside of apps and for who has not joined. */
  appRole: string | null
  /** Private apps and those not joined too: by a right on apps in the role in the space, never by that in an app. */
  seesEveryApp: boolean
  /** Models of the app in which they may do other things than elsewhere, by public id. */
  models: ReadonlyMap<string, ModelGrants>
  /** What they hold in the app's other models; `rights` are those that they hold in any. */
  elsewhere: ReadonlySet<Right>
  /** Fields (by `_id`) that they cannot change, in the model that {@link inModel} was asked for. */
  readOnly: ReadonlySet<string>
}

/** What a member may do in one model. */
export interface ModelGrants {
  rights: ReadonlySet<Right>
  /** `_id`s of fields. */
  readOnly: ReadonlySet<string>
}

/** A member's roles, as statements that join {@link rightsOf} read them. */
export interface MemberRoles {
  memberId: string
  projectRole: string
  /** null: there is no such role (any more), hence no right. */
  projectRights: string[] | null
  /** Rights held in at least one app, as far as more follows from them; null for none. */
  anyAppRights: string[] | null
  appRole: string | null
  appRights: string[] | null
  /** What the role in the app says of single models. */
  appModels: RoleModels | null
}

/**
 * The rights of the role that a column of `table` names, for a select: the built-in role of that uid, or the space's own.
 */
export const rightsOf = (table: 'space_member' | 'app_member') =>
  table === 'space_member'
    ? sql<string[] | null>`(
    SELECT role.rights FROM role WHERE role.target = 'project' AND role.uid = space_member.role
      AND (role.space_id IS NULL OR role.space_id = space_member.space_id))`
    : sql<string[] | null>`(SELECT role.rights FROM role WHERE ${namedInApp})`

/** Is the row of `role` the one that `app_member` names? */
const namedInApp = sql`role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL
      OR (role.space_id = app_member.space_id AND role.app_id = app_member.app_id))`

/** What the role that `app_member` names says of single models, for a select. */
export const modelsOf = () =>
  sql<RoleModels | null>`(SELECT role.models FROM role WHERE ${namedInApp} AND role.app_id IS NOT NULL)`

/** Does the role that `app_member` names let documents of `model` be read? For a `where`. */
export const readsModel = () =>
  sql<boolean>`(SELECT coalesce(role.models #> ARRAY[model.public_id, 'rights'], to_jsonb(role.rights)) @> '["document.read"]'
    FROM role WHERE ${namedInApp})`

/** Which of the rights that imply others the member (`space_member`) holds in any app, for a select. */
export const anyAppRightsOf = () => sql<string[] | null>`(
    SELECT array_agg(DISTINCT held) FROM app_member
      JOIN app ON app.space_id = app_member.space_id AND app.id = app_member.app_id AND app.deleted_at IS NULL
      JOIN role ON ${namedInApp}, unnest(role.rights) AS held
    WHERE app_member.space_id = space_member.space_id AND app_member.member_id = space_member.id
      AND held = ANY(${Object.keys(impliedByAnyApp)}::text[]))`

/** The one place where roles become rights. */
export function grantsOf({
  memberId,
  projectRole,
  projectRights,
  anyAppRights,
  ...app
}: MemberRoles): ActorGrants {
  const rights = new Set((projectRights ?? []).filter(isRight))
  for (const right of [...rights, ...(anyAppRights ?? []).filter(isRight)])
    if (isAppRight(right)) for (const implied of impliedByAnyApp[right] ?? []) rights.add(implied)
  const seesEveryApp = rights.has('document.read')
  const none = { appRole: null, models: new Map(), elsewhere: rights, readOnly: new Set<string>() }
  return withAppRole({ ...none, memberId, projectRole, seesEveryApp, rights }, app)
}

/** The same with what the role in an app adds, which is rights on apps and no others. */
export function withAppRole(
  grants: ActorGrants,
  { appRole, appRights, appModels }: Pick<MemberRoles, 'appRole' | 'appRights' | 'appModels'>,
): ActorGrants {
  const onApps = (given: string[]) => given.filter(isRight).filter(isAppRight)
  const added = onApps(appRights ?? [])
  const elsewhere = new Set([...grants.rights, ...added])
  const models = new Map<string, ModelGrants>()
  const ofApp = added.filter((right) => !isDocumentRight(right))
  for (const [id, { rights, readOnly = [] }] of Object.entries(appModels ?? {}))
    models.set(id, {
      rights: new Set([
        ...grants.rights,
        ...(rights ? [...ofApp, ...onApps(rights).filter(isDocumentRight)] : added),
      ]),
      // Whoever edits everything in every app does so here.
      readOnly: new Set(grants.rights.has('document.write.any') ? [] : readOnly),
    })
  const rights = new Set([...elsewhere, ...[...models.values()].flatMap((model) => [...model.rights])])
  return { ...grants, appRole, rights, models, elsewhere }
}

/** What is held in one model of the app, by its public id. */
export function inModel(grants: ActorGrants, publicId: string): ActorGrants {
  const { rights = grants.elsewhere, readOnly = grants.readOnly } = grants.models.get(publicId) ?? {}
  return { ...grants, rights, readOnly }
}

/** May they read documents of this model? Of one that they may not read they know nothing. */
export function readsModelOf(grants: ActorGrants, publicId: string): boolean {
  return inModel(grants, publicId).rights.has('document.read')
}

/** What a member may do in the space, and in that app. Null for one that is not there (any more). */
export async function findGrants(
  db: Db,
  { spaceId }: SpaceScope,
  memberId: string,
  appId: number | null = null,
): Promise<ActorGrants | null> {
  const row = await db
    .selectFrom('space_member')
    .leftJoin('app_member', (join) =>
      join
        .onRef('app_member.space_id', '=', 'space_member.space_id')
        .onRef('app_member.member_id', '=', 'space_member.id')
        .on('app_member.app_id', '=', appId ?? -1),
    )
    .select(['space_member.id as memberId', 'space_member.role as projectRole', 'app_member.role as appRole'])
    .select([rightsOf('space_member').as('projectRights'), rightsOf('app_member').as('appRights')])
    .select([anyAppRightsOf().as('anyAppRights'), modelsOf().as('appModels')])
    .where('space_member.space_id', '=', spaceId)
    .where('space_member.id', '=', memberId)
    .executeTakeFirst()
  return row ? grantsOf(row) : null
}
