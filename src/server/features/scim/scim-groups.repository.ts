import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { whenTaken } from '#server/db/unique-violation.ts'

/** A group of the directory. */
export interface GroupRow {
  id: string
  name: string
  externalId: string | null
  version: number
  createdAt: Date
  updatedAt: Date
}

/** Filter of groups; undefined properties do not filter. */
export interface GroupSearch {
  id?: string | undefined
  nameKey?: string | undefined
  externalId?: string | undefined
}

const groupsOf = (db: Db, { spaceId }: SpaceScope, { id, nameKey, externalId }: GroupSearch) => {
  let query = db.selectFrom('scim_group').where('space_id', '=', spaceId)
  if (id !== undefined) query = query.where('id', '=', id)
  if (nameKey !== undefined) query = query.where('name_key', '=', nameKey)
  if (externalId !== undefined) query = query.where('external_id', '=', externalId)
  return query
}

/** Returns groups, oldest first. `page` null: all groups. */
export function listGroups(
  db: Db,
  scope: SpaceScope,
  search: GroupSearch,
  page: { skip: number; limit: number } | null,
): Promise<GroupRow[]> {
  const all = groupsOf(db, scope, search)
    .select(['id', 'name', 'external_id as externalId', 'version'])
    .select(['created_at as createdAt', 'updated_at as updatedAt'])
    .orderBy('created_at')
    .orderBy('id')
  return (page ? all.offset(page.skip).limit(page.limit) : all).execute()
}

export async function countGroups(db: Db, scope: SpaceScope, search: GroupSearch): Promise<number> {
  const { total } = await groupsOf(db, scope, search)
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

/** Returns the members of these groups. */
export async function findMembers(
  db: Db,
  { spaceId }: SpaceScope,
  groupIds: string[],
): Promise<{ groupId: string; userId: string; name: string }[]> {
  const { rows } = await sql<{ groupId: string; userId: string; name: string }>`
    SELECT group_id AS "groupId", user_id AS "userId",
      coalesce(scim_user.attributes->>'displayName', scim_user.user_name) AS name
    FROM scim_group_member JOIN scim_user ON scim_user.space_id = ${spaceId} AND scim_user.id = user_id
    WHERE scim_group_member.space_id = ${spaceId} AND group_id = ANY(${groupIds}::text[]) ORDER BY user_id`.execute(
    db,
  )
  return rows
}

/** Returns the groups of these users. */
export async function findGroupsOf(
  db: Db,
  { spaceId }: SpaceScope,
  userIds: string[],
): Promise<{ userId: string; id: string; name: string }[]> {
  const { rows } = await sql<{ userId: string; id: string; name: string }>`
    SELECT user_id AS "userId", id, name FROM scim_group_member
    JOIN scim_group ON scim_group.space_id = ${spaceId} AND scim_group.id = group_id
    WHERE scim_group_member.space_id = ${spaceId} AND user_id = ANY(${userIds}::text[]) ORDER BY name_key`.execute(
    db,
  )
  return rows
}

interface GroupValues {
  name: string
  nameKey: string
  externalId: string | null
}

const columnsOf = ({ name, nameKey, externalId }: GroupValues) => ({
  name,
  name_key: nameKey,
  external_id: externalId,
})

const whenNamed = whenTaken('scim_group_name', 'EmailIsAlreadyInUse', 'displayName')

/** Throws `EmailIsAlreadyInUse` at `displayName` for a name that is already used. */
export async function insertGroup(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
  values: GroupValues,
): Promise<void> {
  await db
    .insertInto('scim_group')
    .values({ space_id: spaceId, id, ...columnsOf(values) })
    .execute()
    .catch(whenNamed)
}

/** Throws `EmailIsAlreadyInUse` at `displayName` for a name that is already used. */
export async function updateGroup(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
  values: GroupValues,
): Promise<void> {
  await db
    .updateTable('scim_group')
    .set({ ...columnsOf(values), version: sql`version + 1`, updated_at: sql`now()` })
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .execute()
    .catch(whenNamed)
}

export async function deleteGroup(db: Db, { spaceId }: SpaceScope, id: string): Promise<void> {
  await db.deleteFrom('scim_group').where('space_id', '=', spaceId).where('id', '=', id).execute()
}

export async function addMembers(
  db: Db,
  { spaceId }: SpaceScope,
  groupId: string,
  userIds: string[],
): Promise<void> {
  await sql`INSERT INTO scim_group_member (space_id, group_id, user_id)
    SELECT ${spaceId}, ${groupId}, unnest(${userIds}::text[]) ON CONFLICT DO NOTHING`.execute(db)
}

export async function removeMembers(
  db: Db,
  { spaceId }: SpaceScope,
  groupId: string,
  userIds: string[],
): Promise<void> {
  await sql`DELETE FROM scim_group_member
    WHERE space_id = ${spaceId} AND group_id = ${groupId} AND user_id = ANY(${userIds}::text[])`.execute(db)
}
