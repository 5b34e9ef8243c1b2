import { type RawBuilder, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { KeptRoles } from '#server/db/tables.ts'
import { whenTaken } from '#server/db/unique-violation.ts'

/** A member of the space, a user of the directory, or both. */
export interface UserRow {
  id: string
  memberId: string
  /** Whether the user has a row in `scim_user`: the directory sent the user, or put the member into a group. */
  isKnown: boolean
  userName: string
  externalId: string | null
  /** The stored SCIM attributes. null: the member has no row in `scim_user`. */
  attributes: Record<string, unknown> | null
  version: number
  createdAt: Date
  updatedAt: Date
  /** Whether the user is a member. The next four properties belong to this membership, and are null without it. */
  isActive: boolean
  role: string | null
  accountId: string | null
  email: string | null
  name: string | null
  /** Whether the account was provisioned by a directory and no person has claimed the membership yet. */
  isProvisioned: boolean
  /** The account whose membership the directory ended, and the roles to restore when the membership begins again. */
  formerAccountId: string | null
  kept: KeptRoles | null
}

const people = ({ spaceId }: SpaceScope) => sql`(
  SELECT coalesce(known.id, member.id) AS id, coalesce(known.member_id, member.id) AS "memberId",
    known.id IS NOT NULL AS "isKnown", coalesce(known.user_name, account.email) AS "userName",
    coalesce(known.user_name_key, lower(account.email)) AS user_name_key, known.external_id AS "externalId",
    known.attributes, coalesce(known.version, 0) AS version,
    coalesce(known.created_at, member.created_at) AS "createdAt",
    coalesce(known.updated_at, member.created_at) AS "updatedAt", member.id IS NOT NULL AS "isActive", member.role,
    account.id AS "accountId", account.email, account.name,
    account.provisioned_by IS NOT NULL AS "isProvisioned", known.account_id AS "formerAccountId", known.kept
  FROM (SELECT * FROM space_member WHERE space_id = ${spaceId}) AS member
  FULL JOIN (SELECT * FROM scim_user WHERE space_id = ${spaceId}) AS known ON known.member_id = member.id
  LEFT JOIN account ON account.id = member.account_id) AS person`

/** Filter of users; undefined properties do not filter. */
export interface UserSearch {
  id?: string | undefined
  ids?: readonly string[] | undefined
  userNameKey?: string | undefined
  externalId?: string | undefined
}

const found = ({ id, ids, userNameKey, externalId }: UserSearch): RawBuilder<boolean> => {
  const asked = [
    ...(id === undefined ? [] : [sql`id = ${id}`]),
    ...(ids === undefined ? [] : [sql`id = ANY(${ids}::text[])`]),
    ...(userNameKey === undefined ? [] : [sql`user_name_key = ${userNameKey}`]),
    ...(externalId === undefined ? [] : [sql`"externalId" = ${externalId}`]),
  ]
  return asked.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(asked, sql` AND `)})`
}

/** Returns users, oldest first. `page` null: all users. */
export async function listUsers(
  db: Db,
  scope: SpaceScope,
  search: UserSearch,
  page: { skip: number; limit: number } | null,
): Promise<UserRow[]> {
  const part = page ? sql`LIMIT ${page.limit} OFFSET ${page.skip}` : sql``
  const { rows } = await sql<UserRow>`SELECT * FROM ${people(scope)} WHERE ${found(search)}
    ORDER BY "createdAt", id ${part}`.execute(db)
  return rows
}

export async function countUsers(db: Db, scope: SpaceScope, search: UserSearch): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    SELECT count(*)::int AS total FROM ${people(scope)} WHERE ${found(search)}`.execute(db)
  return rows[0]?.total ?? 0
}

/**
 * Checks whether another user has this name or email address, in the directory or as a member. `beside`: the id of the
 * user to skip; null: none.
 */
export async function isTaken(
  db: Db,
  scope: SpaceScope,
  { userNameKey, email, beside }: { userNameKey: string; email: string; beside: string | null },
): Promise<boolean> {
  const { rows } = await sql`SELECT FROM ${people(scope)} WHERE id IS DISTINCT FROM ${beside}
    AND (user_name_key = ${userNameKey} OR lower(email) = ${email.toLowerCase()}
      OR (NOT "isKnown" AND lower(email) = ${userNameKey})) LIMIT 1`.execute(db)
  return rows.length > 0
}

export interface KnownUser {
  userName: string
  userNameKey: string
  externalId: string | null
  attributes: Record<string, unknown>
}

const columnsOf = ({ userName, userNameKey, externalId, attributes }: KnownUser) => ({
  user_name: userName,
  user_name_key: userNameKey,
  external_id: externalId,
  attributes: JSON.stringify(attributes),
})

const whenKnown = whenTaken('scim_user_name', 'EmailIsAlreadyInUse', 'userName')

/** Throws `EmailIsAlreadyInUse` at `userName` for a name that is already used. */
export async function insertUser(
  db: Db,
  { spaceId }: SpaceScope,
  user: KnownUser & { id: string; memberId: string },
): Promise<void> {
  await db
    .insertInto('scim_user')
    .values({ space_id: spaceId, id: user.id, member_id: user.memberId, ...columnsOf(user) })
    .execute()
    .catch(whenKnown)
}

/** Like {@link insertUser}, for several users in one statement. */
export async function insertUsers(
  db: Db,
  { spaceId }: SpaceScope,
  users: readonly (KnownUser & { id: string; memberId: string })[],
): Promise<void> {
  const rows = users.map(({ id, memberId, ...known }) => ({
    id,
    member_id: memberId,
    ...columnsOf(known),
    attributes: known.attributes,
  }))
  await sql`INSERT INTO scim_user (space_id, id, member_id, user_name, user_name_key, external_id, attributes)
    SELECT ${spaceId}, * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS given (id text, member_id text,
      user_name text, user_name_key text, external_id text, attributes jsonb)`
    .execute(db)
    .catch(whenKnown)
}

/** Throws `EmailIsAlreadyInUse` at `userName` for a name that is already used. */
export async function updateUser(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
  changes: {
    known?: KnownUser
    /** The account and the roles of an ended membership. null: the membership has begun again. undefined: unchanged. */
    ended?: { accountId: string | null; kept: KeptRoles } | null
  },
): Promise<void> {
  const { known, ended } = changes
  await db
    .updateTable('scim_user')
    .set({
      version: sql`version + 1`,
      updated_at: sql`now()`,
      ...(known ? columnsOf(known) : {}),
      ...(ended === undefined
        ? {}
        : { account_id: ended?.accountId ?? null, kept: ended ? JSON.stringify(ended.kept) : null }),
    })
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .execute()
    .catch(whenKnown)
}

export async function deleteUser(db: Db, { spaceId }: SpaceScope, id: string): Promise<void> {
  await db.deleteFrom('scim_user').where('space_id', '=', spaceId).where('id', '=', id).execute()
}

/** An account without means to sign in, for a member who has not signed in yet. */
export interface ProvisionedAccount {
  id: string
  email: string
  name: string
  language: string
}

export async function provisionAccount(
  db: Db,
  { id, email, name, language }: ProvisionedAccount,
): Promise<void> {
  await sql`SELECT provision_account(${id}, ${email}, ${name}, ${language})`.execute(db)
}

/** Changes a provisioned account. Has no effect on an account that the space's directory did not provision. */
export async function changeProvisionedAccount(
  db: Db,
  { id, email, name, language }: ProvisionedAccount,
): Promise<void> {
  await sql`SELECT change_provisioned_account(${id}, ${email}, ${name}, ${language})`.execute(db)
}

/** Returns the roles of a member in apps, as pairs of app id and role. */
export async function findAppRoles(
  db: Db,
  { spaceId }: SpaceScope,
  memberId: string,
): Promise<[number, string][]> {
  const rows = await db
    .selectFrom('app_member')
    .select(['app_id', 'role'])
    .where('space_id', '=', spaceId)
    .where('member_id', '=', memberId)
    .orderBy('app_id')
    .execute()
  return rows.map(({ app_id, role }) => [app_id, role])
}

/**
 * Restores a member's roles in apps, if the apps and roles still exist. Returns the restored roles with the apps' uids.
 */
export async function restoreAppRoles(
  db: Db,
  { spaceId }: SpaceScope,
  memberId: string,
  apps: [number, string][],
): Promise<{ app: string; role: string }[]> {
  const { rows } = await sql<{ app: string; role: string }>`
    WITH given AS (INSERT INTO app_member (space_id, app_id, member_id, role)
    SELECT app.space_id, app.id, ${memberId}, kept.value->>1 FROM jsonb_array_elements(${JSON.stringify(apps)}::jsonb) AS kept
    JOIN app ON app.space_id = ${spaceId} AND app.id = (kept.value->>0)::int AND app.deleted_at IS NULL
    WHERE EXISTS (SELECT FROM role WHERE target = 'app' AND uid = kept.value->>1
      AND (role.space_id IS NULL OR (role.space_id = ${spaceId} AND role.app_id = app.id)))
    ON CONFLICT DO NOTHING RETURNING app_id, app_member.role)
    SELECT app.uid AS app, given.role FROM given JOIN app ON app.space_id = ${spaceId} AND app.id = given.app_id
    ORDER BY app.id`.execute(db)
  return rows
}

/** Checks whether the account still exists and is not a member of the space. */
export async function canComeBack(db: Db, { spaceId }: SpaceScope, accountId: string): Promise<boolean> {
  const { rows } = await sql`SELECT FROM account WHERE id = ${accountId} AND NOT EXISTS (
    SELECT FROM space_member WHERE space_id = ${spaceId} AND account_id = account.id)`.execute(db)
  return rows.length > 0
}
