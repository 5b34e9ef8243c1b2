import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { RoleModels } from '#server/db/tables.ts'
import {
  type AppRight,
  allRights,
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
  /** Who looks with them: what is asked of the database by member must be open to this one, too ({@link sharedBy}). */
  viewer?: { memberId: string; seesEveryApp: boolean }
}

/** What a member may do in one model. */
export interface ModelGrants {
  rights: ReadonlySet<Right>
  /** `_id`s of fields. */
  readOnly: ReadonlySet<string>
}

/** Rights of a role as PostgreSQL writes them, `{a,b}`: see {@link heldBy}. */
type RightsText = string

/** A member's roles, as statements that select {@link heldBy} read them. */
export interface MemberRoles {
  memberId: string
  projectRole: string
  /** null: there is no such role (any more), hence no right. */
  projectRights: RightsText | null
  /** Rights held in at least one app, as far as more follows from them; null for none. */
  anyAppRights: RightsText | null
  appRole: string | null
  appRights: RightsText | null
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

/** The same as a text, which {@link grantsOf} takes. */
export const heldBy = (table: 'space_member' | 'app_member') =>
  sql<RightsText | null>`${rightsOf(table)}::text`

/** Is the row of `role` the one that `app_member` names? */
const namedInApp = sql<boolean>`role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL
      OR (role.space_id = app_member.space_id AND role.app_id = app_member.app_id))`

/** What the role that `app_member` names says of single models, for a select. */
export const modelsOf = () =>
  sql<RoleModels | null>`(SELECT role.models FROM role WHERE ${namedInApp} AND role.app_id IS NOT NULL)`

/** Does the role that `app_member` names let documents of `model` be read? For a `where`. */
export const readsModel = () =>
  sql<boolean>`(SELECT coalesce(role.models #> ARRAY[model.public_id, 'rights'], to_jsonb(role.rights)) @> '["document.read"]'
    FROM role WHERE ${namedInApp})`

/** Which of the rights that imply others the member (`space_member`) holds in any app, for a select. */
export const anyAppRightsOf = () => sql<RightsText | null>`(
    SELECT array_agg(DISTINCT held)::text FROM app_member
      JOIN app ON app.space_id = app_member.space_id AND app.id = app_member.app_id AND app.deleted_at IS NULL
      JOIN role ON ${namedInApp}, unnest(role.rights) AS held
    WHERE app_member.space_id = space_member.space_id AND app_member.member_id = space_member.id
      AND held = ANY(${Object.keys(impliedByAnyApp)}::text[]))`

/** Roles are few and asked for with every request: rights are read from each text once. */
const known = new LRUCache<RightsText, readonly Right[]>({ max: 1000 })

/** Those of the rights that the running version knows. */
function rightsIn(text: RightsText | null): readonly Right[] {
  if (text === null) return []
  let rights = known.get(text)
  if (!rights) {
    // Names of rights are never quoted: what is, is none.
    rights = text.slice(1, -1).split(',').filter(isRight)
    known.set(text, rights)
  }
  return rights
}

/** The one place where roles become rights: those of the role in the space, and on apps those of the role in the app. */
export function grantsOf(member: MemberRoles): ActorGrants {
  const { memberId, projectRole, appRole, appModels } = member
  const inSpace = new Set(rightsIn(member.projectRights))
  for (const right of [...inSpace, ...rightsIn(member.anyAppRights)])
    if (isAppRight(right)) for (const implied of impliedByAnyApp[right] ?? []) inSpace.add(implied)
  const added = rightsIn(member.appRights).filter(isAppRight)
  const elsewhere = new Set([...inSpace, ...added])
  const models = new Map(
    Object.entries(appModels ?? {}).map(([id, model]) => [id, grantsInModel(inSpace, added, model)]),
  )
  return {
    memberId,
    projectRole,
    appRole,
    seesEveryApp: inSpace.has('document.read'),
    rights: new Set([...elsewhere, ...[...models.values()].flatMap((model) => [...model.rights])]),
    elsewhere,
    models,
    readOnly: new Set(),
  }
}

function grantsInModel(
  inSpace: ReadonlySet<Right>,
  inApp: AppRight[],
  { rights, readOnly = [] }: RoleModels[string],
): ModelGrants {
  const own = rights?.filter(isRight).filter(isAppRight).filter(isDocumentRight)
  return {
    rights: new Set([
      ...inSpace,
      ...(own ? [...inApp.filter((right) => !isDocumentRight(right)), ...own] : inApp),
    ]),
    // Whoever edits everything in every app does so here.
    readOnly: new Set(inSpace.has('document.write.any') ? [] : readOnly),
  }
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
    .select([heldBy('space_member').as('projectRights'), heldBy('app_member').as('appRights')])
    .select([anyAppRightsOf().as('anyAppRights'), modelsOf().as('appModels')])
    .where('space_member.space_id', '=', spaceId)
    .where('space_member.id', '=', memberId)
    .executeTakeFirst()
  return row ? grantsOf(row) : null
}

/**
 * The apps in which the role that a member has there gives this right in every model. What the role in the space gives holds in all of
 * them, and is not looked at.
 */
export async function findAppsGiving(
  db: Db,
  { spaceId }: SpaceScope,
  memberId: string,
  right: AppRight,
): Promise<number[]> {
  const rows = await db
    .selectFrom('app_member')
    .innerJoin('role', (join) => join.on(namedInApp))
    .select('app_member.app_id as id')
    .where('app_member.space_id', '=', spaceId)
    .where('app_member.member_id', '=', memberId)
    .where(sql<boolean>`${right} = ANY(role.rights)`)
    .where(
      sql<boolean>`NOT EXISTS (SELECT FROM jsonb_each(role.models) AS model
        WHERE model.value ? 'rights' AND NOT model.value->'rights' ? ${right})`,
    )
    .execute()
  return rows.map(({ id }) => id)
}

/** What both may, as the first one's membership: rights that the second one holds in some models only are not shared. */
export function common(shown: ActorGrants, { elsewhere, models, seesEveryApp }: ActorGrants): ActorGrants {
  const everywhere: ReadonlySet<unknown>[] = [elsewhere, ...[...models.values()].map(({ rights }) => rights)]
  const kept = <T>(rights: ReadonlySet<T>) =>
    new Set([...rights].filter((right) => everywhere.every((held) => held.has(right))))
  return {
    ...shown,
    rights: kept(shown.rights),
    elsewhere: kept(shown.elsewhere),
    models: new Map([...shown.models].map(([id, model]) => [id, { ...model, rights: kept(model.rights) }])),
    seesEveryApp: shown.seesEveryApp && seesEveryApp,
  }
}

/** The members whose rights must both allow what is looked at: one, or with somebody's rights that one and who looks. */
export function sharedBy({ memberId, seesEveryApp, viewer }: ActorGrants) {
  return [{ memberId, seesEveryApp }, ...(viewer ? [viewer] : [])]
}

const everyRight: ReadonlySet<Right> = new Set(allRights)

/** What the installation itself may do, and a directory: no member, and every right. Given out by the one door only (enter.ts). */
export const allGrants: ActorGrants = {
  memberId: null,
  projectRole: null,
  appRole: null,
  seesEveryApp: true,
  rights: everyRight,
  models: new Map(),
  elsewhere: everyRight,
  readOnly: new Set(),
}

/** May who holds this know of the app in `app`? For a `where`. */
export const seesApp = (grants: ActorGrants) =>
  sql<boolean>`(app.visibility = 'open' OR (${sql.join(
    sharedBy(grants).map(
      ({ memberId, seesEveryApp }) => sql`(${seesEveryApp} OR EXISTS (SELECT FROM app_member AS own
        WHERE own.space_id = app.space_id AND own.app_id = app.id AND own.member_id = ${memberId}))`,
    ),
    sql` AND `,
  )}))`
