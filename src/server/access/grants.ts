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
  writingTokenRights,
} from '#shared/permissions.ts'

/** The rights of an actor, and their membership of the space. */
export interface ActorGrants extends Grants {
  /** `_id` of the member. null for an actor that is not a member, such as a token. */
  memberId: string | null
  /** `uid` of the role in the space. */
  projectRole: string | null
  /** `uid` of the role in the app. null outside of apps, and for actors who have not joined the app. */
  appRole: string | null
  /**
   * Whether the actor also sees private apps that they have not joined. For a member, only the role in the space can
   * grant this (by `document.read`).
   */
  seesEveryApp: boolean
  /** Models of the app in which the role has different rights or read-only fields, by public id. */
  models: ReadonlyMap<string, ModelGrants>
  /**
   * The rights in the app's models that `models` does not contain. `rights` is the union over all models, unless {@link
   * inModel} selected one.
   */
  elsewhere: ReadonlySet<Right>
  /** `_id`s of the read-only fields in the model that {@link inModel} selected. */
  readOnly: ReadonlySet<string>
  /**
   * In a preview, the member who previews. Database conditions by member must also allow this member ({@link
   * sharedBy}).
   */
  viewer?: { memberId: string; seesEveryApp: boolean }
  /** The apps of an API token, by their keys. null: every app. Undefined: the actor is not an API token. */
  tokenApps?: readonly number[] | null
}

export interface ModelGrants {
  rights: ReadonlySet<Right>
  /** `_id`s of fields that are read-only. */
  readOnly: ReadonlySet<string>
}

/** Rights of a role as PostgreSQL prints an array: `{a,b}`. */
type RightsText = string

/** A member's roles, as read by statements that select {@link heldBy}. */
export interface MemberRoles {
  memberId: string
  projectRole: string
  /** null: the role does not exist or was deleted, so it grants no rights. */
  projectRights: RightsText | null
  /**
   * Rights on apps that the member has in at least one app and that imply rights on the space (`impliedByAnyApp`).
   * null: none, or not loaded.
   */
  anyAppRights: RightsText | null
  appRole: string | null
  appRights: RightsText | null
  /** Exceptions for single models, from the role in the app. */
  appModels: RoleModels | null
}

/**
 * Selects the rights of the role whose `uid` is in `table.role`: a built-in role, or a custom role of the space
 * (`space_member`) or of the app (`app_member`).
 */
export const rightsOf = (table: 'space_member' | 'app_member') =>
  table === 'space_member'
    ? sql<string[] | null>`(
    SELECT role.rights FROM role WHERE role.target = 'project' AND role.uid = space_member.role
      AND (role.space_id IS NULL OR role.space_id = space_member.space_id))`
    : sql<string[] | null>`(SELECT role.rights FROM role WHERE ${namedInApp})`

/** Selects the rights of {@link rightsOf} as text, the form that {@link grantsOf} expects. */
export const heldBy = (table: 'space_member' | 'app_member') =>
  sql<RightsText | null>`${rightsOf(table)}::text`

const namedInApp = sql<boolean>`role.target = 'app' AND role.uid = app_member.role AND (role.space_id IS NULL
      OR (role.space_id = app_member.space_id AND role.app_id = app_member.app_id))`

/** Selects the exceptions for single models of the role that `app_member` names. */
export const modelsOf = () =>
  sql<RoleModels | null>`(SELECT role.models FROM role WHERE ${namedInApp} AND role.app_id IS NOT NULL)`

/** Returns a condition for `where`: the role that `app_member` names may read documents of `model`. */
export const readsModel = () =>
  sql<boolean>`(SELECT coalesce(role.models #> ARRAY[model.public_id, 'rights'], to_jsonb(role.rights)) @> '["document.read"]'
    FROM role WHERE ${namedInApp})`

/** Selects the rights that a member (`space_member`) has in any app and that imply rights on the space. */
export const anyAppRightsOf = () => sql<RightsText | null>`(
    SELECT array_agg(DISTINCT held)::text FROM app_member
      JOIN app ON app.space_id = app_member.space_id AND app.id = app_member.app_id AND app.deleted_at IS NULL
      JOIN role ON ${namedInApp}, unnest(role.rights) AS held
    WHERE app_member.space_id = space_member.space_id AND app_member.member_id = space_member.id
      AND held = ANY(${Object.keys(impliedByAnyApp)}::text[]))`

const known = new LRUCache<RightsText, readonly Right[]>({ max: 1000 })

/** Parses a text of rights. Rights that this version of the server does not define are ignored. */
function rightsIn(text: RightsText | null): readonly Right[] {
  if (text === null) return []
  let rights = known.get(text)
  if (!rights) {
    // PostgreSQL never quotes names of rights, so a quoted item cannot be a right.
    rights = text.slice(1, -1).split(',').filter(isRight)
    known.set(text, rights)
  }
  return rights
}

/**
 * Converts a member's roles to grants. The rights on the space come from the role in the space, and from rights on apps
 * that imply them (`impliedByAnyApp`). A role in an app directly grants only rights on apps.
 */
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
    // Members with `document.write.any` in the space may edit all fields in every app.
    readOnly: new Set(inSpace.has('document.write.any') ? [] : readOnly),
  }
}

/** Returns the grants in one model of the app, by its public id. */
export function inModel(grants: ActorGrants, publicId: string): ActorGrants {
  const { rights = grants.elsewhere, readOnly = grants.readOnly } = grants.models.get(publicId) ?? {}
  return { ...grants, rights, readOnly }
}

/** Returns whether the actor may read documents of this model. Otherwise the model must be invisible to them. */
export function readsModelOf(grants: ActorGrants, publicId: string): boolean {
  return inModel(grants, publicId).rights.has('document.read')
}

/** Returns the rights of a member in the space and in that app. null: the member does not exist or was removed. */
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
 * Returns the ids of the apps in which the member's role in the app grants this right in every model, and for a right
 * to write in every field. Rights from the role in the space apply to all apps and are not considered.
 */
export async function findAppsGiving(
  db: Db,
  { spaceId }: SpaceScope,
  memberId: string,
  right: AppRight,
): Promise<number[]> {
  const isWriting = right === 'document.write.own' || right === 'document.write.any'
  const rows = await db
    .selectFrom('app_member')
    .innerJoin('role', (join) => join.on(namedInApp))
    .select('app_member.app_id as id')
    .where('app_member.space_id', '=', spaceId)
    .where('app_member.member_id', '=', memberId)
    .where(sql<boolean>`${right} = ANY(role.rights)`)
    .where(
      sql<boolean>`NOT EXISTS (SELECT FROM jsonb_each(role.models) AS model
        WHERE (model.value ? 'rights' AND NOT model.value->'rights' ? ${right})
          OR (${isWriting} AND model.value->'readOnly' <> '[]'))`,
    )
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Returns the grants of `shown`, reduced to the rights that the previewing member (the second argument) has in all
 * models.
 */
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

/** Returns the members whose rights must all allow a read: the member, and in a preview also the previewing member. */
export function sharedBy({ memberId, seesEveryApp, viewer }: ActorGrants) {
  return [{ memberId, seesEveryApp }, ...(viewer ? [viewer] : [])]
}

const everyRight: ReadonlySet<Right> = new Set(allRights)

/** All rights, without membership: for the installation itself and for directories. */
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

/** No rights: for callers whose endpoint is the only one that they may call. */
export const noGrants: ActorGrants = {
  ...allGrants,
  seesEveryApp: false,
  rights: new Set(),
  elsewhere: new Set(),
}

/**
 * Returns the grants of an API token that may write, in the app `appId`, or outside of apps if `appId` is null.
 * `apps`: the apps of the token; null: every app.
 */
export function grantsOfToken(apps: readonly number[] | null, appId: number | null): ActorGrants {
  const isHere = apps === null || (appId !== null && apps.includes(appId))
  const rights = new Set<Right>([...writingTokenRights.space, ...(isHere ? writingTokenRights.app : [])])
  return {
    memberId: null,
    projectRole: null,
    appRole: null,
    seesEveryApp: apps === null,
    rights,
    models: new Map(),
    elsewhere: rights,
    readOnly: new Set(),
    tokenApps: apps,
  }
}

/** Returns a condition for `where`: the app in `app` is visible with these grants. */
export const seesApp = (grants: ActorGrants) =>
  sql<boolean>`(app.visibility = 'open' OR (${sql.join(
    sharedBy(grants).map(
      ({ memberId, seesEveryApp }) => sql`(${seesEveryApp} OR EXISTS (SELECT FROM app_member AS own
        WHERE own.space_id = app.space_id AND own.app_id = app.id AND own.member_id = ${memberId}))`,
    ),
    sql` AND `,
  )}))`
