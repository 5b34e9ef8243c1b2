import { sql } from 'kysely'
import type { AppRow } from '#server/access/context.ts'
import { type ActorGrants, seesApp } from '#server/access/grants.ts'
import { toAppRow } from '#server/access/membership.ts'
import type { AppScope, Db, SpaceScope } from '#server/db/scope.ts'
import type { AppPictureTable, AppTable } from '#server/db/tables.ts'
import { whenTaken } from '#server/db/unique-violation.ts'
import type { AppIcon, AppImage } from '#shared/app-pictures.ts'
import { AppError } from '#shared/errors.ts'

const whenUidIsTaken = whenTaken('app_uid', 'AppUidIsAlreadyInUse', 'data.uid')

/** The editable properties of an app; `undefined` leaves them unchanged. */
export interface AppValues {
  uid?: string | undefined
  name?: string | undefined
  description?: string | undefined
  icon?: AppIcon | null | undefined
  cover?: AppImage | null | undefined
}

/** Returns the apps visible with these grants, in the space's order. */
export async function listApps(db: Db, scope: SpaceScope, grants: ActorGrants): Promise<AppRow[]> {
  const rows = await db
    .selectFrom('app')
    .leftJoin('app_member', (join) =>
      join
        .onRef('app_member.space_id', '=', 'app.space_id')
        .onRef('app_member.app_id', '=', 'app.id')
        .on('app_member.member_id', '=', sql<string>`${grants.memberId}`),
    )
    .selectAll('app')
    .select('app_member.role as app_role')
    .where('app.space_id', '=', scope.spaceId)
    .where('app.deleted_at', 'is', null)
    .where(seesApp(grants))
    .orderBy('app.position')
    .orderBy('app.id')
    .execute()
  return rows.map((row) => toAppRow(row, row.app_role))
}

/** Adds an app after all others. Throws `AppUidIsAlreadyInUse`. */
export async function insertApp(
  db: Db,
  scope: SpaceScope,
  app: AppValues & { uid: string; name: string },
): Promise<AppRow> {
  const row = await db
    .insertInto('app')
    .values({
      space_id: scope.spaceId,
      uid: app.uid,
      name: app.name,
      description: app.description ?? '',
      icon: app.icon ? JSON.stringify(app.icon) : null,
      position: sql`(SELECT coalesce(max(position), 0) + 1 FROM app WHERE space_id = ${scope.spaceId})`,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch(whenUidIsTaken)
  return toAppRow(row, null)
}

/** Updates an app. `appRole` is the caller's role in it, for the result. Throws `AppUidIsAlreadyInUse`, 404. */
export async function updateApp(
  db: Db,
  scope: AppScope,
  values: AppValues,
  appRole: string | null,
): Promise<AppRow> {
  const { uid, name, description, icon, cover } = values
  return change(db, scope, appRole, {
    ...(uid === undefined ? {} : { uid }),
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(icon === undefined ? {} : { icon: icon && JSON.stringify(icon) }),
    ...(cover === undefined ? {} : { cover: cover && JSON.stringify(cover) }),
  })
}

export async function updateAppAccess(
  db: Db,
  scope: AppScope,
  access: { visibility: 'open' | 'private'; defaultRole: string },
  appRole: string | null,
): Promise<AppRow> {
  return change(db, scope, appRole, { visibility: access.visibility, default_role: access.defaultRole })
}

/**
 * Changes the version of the space's models for delivery (decisions/0084): the trigger of `app` changes it at any
 * update.
 */
export async function renewVersion(db: Db, scope: AppScope): Promise<void> {
  await db
    .updateTable('app')
    .set(({ ref }) => ({ uid: ref('uid') }))
    .where('space_id', '=', scope.spaceId)
    .where('id', '=', scope.appId)
    .execute()
}

async function change(
  db: Db,
  scope: AppScope,
  appRole: string | null,
  values: Partial<Pick<AppTable, 'uid' | 'name'>> & {
    description?: string
    icon?: string | null
    cover?: string | null
    visibility?: 'open' | 'private'
    default_role?: string
  },
): Promise<AppRow> {
  const row = await db
    .updateTable('app')
    .set({ ...values, updated_at: sql`now()` })
    .where('space_id', '=', scope.spaceId)
    .where('id', '=', scope.appId)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
    .catch(whenUidIsTaken)
  if (!row) throw new AppError('NotFound')
  return toAppRow(row, appRole)
}

/** Inserts or replaces a picture of the app. */
export async function putPicture(
  db: Db,
  scope: AppScope,
  { kind, ...picture }: Pick<AppPictureTable, 'kind' | 'id' | 'media_type' | 'bytes'>,
): Promise<void> {
  await db
    .insertInto('app_picture')
    .values({ space_id: scope.spaceId, app_id: scope.appId, kind, ...picture })
    .onConflict((conflict) => conflict.columns(['space_id', 'app_id', 'kind']).doUpdateSet(picture))
    .execute()
}

/** Returns the app's picture of this kind, or null. */
export async function findPicture(
  db: Db,
  scope: AppScope,
  kind: AppPictureTable['kind'],
): Promise<Pick<AppPictureTable, 'id' | 'media_type' | 'bytes'> | null> {
  const row = await db
    .selectFrom('app_picture')
    .select(['id', 'media_type', 'bytes'])
    .where('space_id', '=', scope.spaceId)
    .where('app_id', '=', scope.appId)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return row ?? null
}

export async function deletePicture(db: Db, scope: AppScope, kind: AppPictureTable['kind']): Promise<void> {
  await db
    .deleteFrom('app_picture')
    .where('space_id', '=', scope.spaceId)
    .where('app_id', '=', scope.appId)
    .where('kind', '=', kind)
    .execute()
}

/**
 * Marks the app as deleted, which frees its uid. Waits for concurrent changes of the app. Throws 404 if it does not
 * exist.
 */
export async function deleteApp(db: Db, scope: AppScope): Promise<void> {
  const row = await db
    .updateTable('app')
    .set({ deleted_at: sql`now()` })
    .where('space_id', '=', scope.spaceId)
    .where('id', '=', scope.appId)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (!row) throw new AppError('NotFound')
}

/** Sets the order of the apps. */
export async function updateAppOrder(db: Db, scope: SpaceScope, ids: number[]): Promise<void> {
  await sql`
    UPDATE app SET position = wanted.position
    FROM unnest(${ids}::int[]) WITH ORDINALITY AS wanted (id, position)
    WHERE app.space_id = ${scope.spaceId} AND app.id = wanted.id`.execute(db)
}

/** Returns which of these apps exist. */
export async function findLiveApps(
  db: Db,
  { spaceId }: SpaceScope,
  ids: readonly number[],
): Promise<number[]> {
  const rows = await db
    .selectFrom('app')
    .select('id')
    .where('space_id', '=', spaceId)
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`id = ANY(${[...ids]}::int[])`)
    .execute()
  return rows.map(({ id }) => id)
}
