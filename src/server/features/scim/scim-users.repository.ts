import { type RawBuilder, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { KeptRoles } from '#server/db/tables.ts'
import { whenTaken } from '#server/db/unique-violation.ts'

/** Somebody who is a member, or whom the directory knows. */
export interface UserRow {
  id: string
  memberId: string
  /** The directory has spoken of them. */
  isKnown: boolean
  userName: string
  externalId: string | null
  /** In the directory's words; null of a member whom it has not spoken of. */
  attributes: Record<string, unknown> | null
  version: number
  createdAt: Date
  updatedAt: Date
  /** They are a member now; the next four are of that membership. */
  isActive: boolean
  role: string | null
  accountId: string | null
  email: string | null
  name: string | null
  /** Nobody has become that member yet. */
  isProvisioned: boolean
  /** Whose membership the directory has ended, and with which roles. */
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

/** Which people come into question; what is left out is not asked for. */
export interface UserSearch {
  id?: string | undefined
  userNameKey?: string | undefined
  externalId?: string | undefined
}

const found = ({ id, userNameKey, externalId }: UserSearch): RawBuilder<boolean> => {
  const asked = [
    ...(id === undefined ? [] : [sql`id = ${id}`]),
    ...(userNameKey === undefined ? [] : [sql`user_name_key = ${userNameKey}`]),
    ...(externalId === undefined ? [] : [sql`"externalId" = ${externalId}`]),
  ]
  return asked.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(asked, sql` AND `)})`
}

/** Oldest first; without a page all of them. */
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

/** Is there anybody else whom this name or address means: by the directory's name for them, or as a member? */
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

/** What the directory says of somebody, as it is kept. */
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

const whenKnown = (error: unknown) => {
  try {
    return whenTaken('scim_user_name', 'EmailIsAlreadyInUse', 'userName')(error)
  } catch (other) {
    return whenTaken('scim_user_external', 'EmailIsAlreadyInUse', 'externalId')(other)
  }
}

/** Throws `EmailIsAlreadyInUse` at `userName` or `externalId`. */
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

/** Throws `EmailIsAlreadyInUse` at `userName` or `externalId`. */
export async function updateUser(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
  changes: {
    known?: KnownUser
    /** A membership that ended: whose it was, and the roles. Null: it has begun again. */
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

/** An account that nobody can sign in to, for a member who has not come yet. */
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

/** Nothing happens to an account that the space's directory has not made, and to one that somebody has taken. */
export async function changeProvisionedAccount(
  db: Db,
  { id, email, name, language }: ProvisionedAccount,
): Promise<void> {
  await sql`SELECT change_provisioned_account(${id}, ${email}, ${name}, ${language})`.execute(db)
}

/** The roles that a member has in apps, by the app's id. */
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

/** Gives a member their roles in apps back, as far as apps and roles are still there; answers which, by the apps' uids. */
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

/** Does an account still exist, and is it no member here? */
export async function canComeBack(db: Db, { spaceId }: SpaceScope, accountId: string): Promise<boolean> {
  const { rows } = await sql`SELECT FROM account WHERE id = ${accountId} AND NOT EXISTS (
    SELECT FROM space_member WHERE space_id = ${spaceId} AND account_id = account.id)`.execute(db)
  return rows.length > 0
}
