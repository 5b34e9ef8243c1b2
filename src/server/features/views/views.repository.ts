import { type Selectable, sql } from 'kysely'
import type { AppScope, Db, ModelScope } from '#server/db/scope.ts'
import type { AppViewTable } from '#server/db/tables.ts'
import type { ViewSettings } from '#shared/contract/views.ts'
import type { ViewType } from '#shared/views.ts'

/** A view as stored: its settings reference fields by their `_id`s. */
export interface ViewRecord {
  uid: string
  modelId: number
  /** The account that owns it. null: a shared view. */
  ownerId: string | null
  name: string
  type: ViewType
  settings: ViewSettings
  version: number
  createdAt: Date
  updatedAt: Date
}

const toRecord = (row: Selectable<AppViewTable>): ViewRecord => ({
  uid: row.uid,
  modelId: row.model_id,
  ownerId: row.owner_id,
  name: row.name,
  type: row.type,
  settings: row.settings,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

function visibleViews(db: Db, scope: AppScope, accountId: string | null) {
  return db
    .selectFrom('app_view')
    .selectAll()
    .where('space_id', '=', scope.spaceId)
    .where('app_id', '=', scope.appId)
    .where((where) => where.or([where('owner_id', 'is', null), where('owner_id', '=', accountId)]))
}

/**
 * Returns the shared views, then the account's own views. Both are in the order of the models, then in their own order.
 */
export async function listViews(db: Db, scope: AppScope, accountId: string | null): Promise<ViewRecord[]> {
  const rows = await visibleViews(db, scope, accountId)
    .orderBy(sql`owner_id IS NOT NULL`)
    .orderBy(
      sql`(SELECT model.position FROM model WHERE model.space_id = app_view.space_id AND model.id = app_view.model_id)`,
    )
    .orderBy('model_id')
    .orderBy('position')
    .orderBy('uid')
    .execute()
  return rows.map(toRecord)
}

/** Returns a view. undefined: it is missing or belongs to another account. */
export async function findView(
  db: Db,
  scope: AppScope,
  accountId: string | null,
  uid: string,
): Promise<ViewRecord | undefined> {
  const row = await visibleViews(db, scope, accountId).where('uid', '=', uid).executeTakeFirst()
  return row && toRecord(row)
}

/**
 * Appends the view to the model's views with the same owner. Returns undefined if there are already `maximum` such
 * views.
 */
export async function insertView(
  db: Db,
  scope: ModelScope,
  view: Pick<ViewRecord, 'uid' | 'ownerId' | 'name' | 'type' | 'settings'>,
  maximum: number,
): Promise<ViewRecord | undefined> {
  const others = sql`FROM app_view WHERE space_id = ${scope.spaceId} AND model_id = ${scope.modelId}
    AND owner_id IS NOT DISTINCT FROM ${view.ownerId}::text`
  const { rows } = await sql<Selectable<AppViewTable>>`
    INSERT INTO app_view (space_id, app_id, model_id, uid, owner_id, name, type, settings, position)
    SELECT ${scope.spaceId}, ${scope.appId}, ${scope.modelId}, ${view.uid}, ${view.ownerId}, ${view.name}, ${view.type},
      ${JSON.stringify(view.settings)}::jsonb, coalesce(max(position), 0) + 1
    ${others} HAVING count(*) < ${maximum} RETURNING *`.execute(db)
  return rows[0] && toRecord(rows[0])
}

/** Writes the next version of a view. Returns undefined if `version` is no longer current. */
export async function updateView(
  db: Db,
  scope: AppScope,
  uid: string,
  version: number,
  values: Pick<ViewRecord, 'name' | 'type' | 'settings'>,
): Promise<ViewRecord | undefined> {
  const row = await db
    .updateTable('app_view')
    .set({
      name: values.name,
      type: values.type,
      settings: JSON.stringify(values.settings),
      version: sql`version + 1`,
      updated_at: sql`clock_timestamp()`,
    })
    .where('space_id', '=', scope.spaceId)
    .where('uid', '=', uid)
    .where('version', '=', version)
    .returningAll()
    .executeTakeFirst()
  return row && toRecord(row)
}

export async function deleteView(db: Db, scope: AppScope, uid: string): Promise<void> {
  await db.deleteFrom('app_view').where('space_id', '=', scope.spaceId).where('uid', '=', uid).execute()
}

/** Sorts the views in the order of these uids. */
export async function updateViewOrder(db: Db, scope: AppScope, uids: string[]): Promise<void> {
  await sql`
    UPDATE app_view SET position = wanted.position
    FROM unnest(${uids}::text[]) WITH ORDINALITY AS wanted (uid, position)
    WHERE app_view.space_id = ${scope.spaceId} AND app_view.app_id = ${scope.appId} AND app_view.uid = wanted.uid`.execute(
    db,
  )
}
