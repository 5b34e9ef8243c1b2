import { sql } from 'kysely'
import type { Db, Tx } from '#server/db/scope.ts'
import type { EventType } from '#shared/events.ts'

/** Number of days for which an operator can undo the deletion of a space, an app or a model. */
const graceDays = 30

const longAgo = (moment: string) => sql`${sql.raw(moment)} < now() - make_interval(days => ${graceDays})`

/** Returns whether a space, an app or a model was deleted more than `graceDays` days ago. */
export async function hasDeleted(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT EXISTS (SELECT FROM space WHERE ${longAgo('deleted_at')})
      OR EXISTS (SELECT FROM app WHERE ${longAgo('deleted_at')})
      OR EXISTS (SELECT FROM model WHERE ${longAgo('deleted_at')}) AS found`.execute(db)
  return rows[0]?.found === true
}

/**
 * Returns the ids of models that were deleted more than `graceDays` days ago, individually or with their app or space.
 */
export async function listDeletedModels(db: Db): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT model.id FROM model JOIN app ON app.id = model.app_id JOIN space ON space.id = model.space_id
    WHERE ${longAgo('least(model.deleted_at, app.deleted_at, space.deleted_at)')} ORDER BY model.id`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** Deletes the model, unless it has documents or its row is locked. */
export async function deleteEmptyModel(tx: Tx, id: number): Promise<void> {
  const { rows } = await sql`
    SELECT FROM model WHERE id = ${id} AND NOT EXISTS (SELECT FROM document WHERE model_id = ${id})
    FOR UPDATE SKIP LOCKED`.execute(tx)
  if (rows.length === 0) return
  for (const table of ['app_view', 'document_before', 'model_change', 'model_stat'] as const)
    await tx.deleteFrom(table).where('model_id', '=', id).execute()
  await tx.deleteFrom('model').where('id', '=', id).execute()
}

/**
 * Deletes the apps that were deleted more than `graceDays` days ago, individually or with their space, and have no
 * models.
 */
export async function deleteEmptyApps(tx: Tx): Promise<void> {
  const gone = sql`SELECT app.id FROM app JOIN space ON space.id = app.space_id
    WHERE ${longAgo('least(app.deleted_at, space.deleted_at)')} AND NOT EXISTS (SELECT FROM model WHERE app_id = app.id)`
  for (const table of ['app_member', 'custom_type'])
    await sql`DELETE FROM ${sql.table(table)} WHERE app_id IN (${gone})`.execute(tx)
  await sql`DELETE FROM app WHERE id IN (${gone})`.execute(tx)
}

/**
 * Deletes the rows that refer to files of spaces that were deleted more than `graceDays` days ago, so that a job can
 * delete the files.
 */
export async function deleteFilesOfSpaces(tx: Tx): Promise<void> {
  const gone = sql`SELECT id FROM space WHERE ${longAgo('deleted_at')}`
  for (const table of [
    // Otherwise the totals would be updated for each deleted asset.
    'asset_total',
    'asset',
    'form_file',
    'tag',
    'asset_folder',
    'move',
    'carry_model',
    'carry_asset',
    'app_export',
    'app_template',
  ])
    await sql`DELETE FROM ${sql.table(table)} WHERE space_id IN (${gone})`.execute(tx)
}

/** Events about the deletion of the content itself, which a deleted space does not wait for. */
const purgeEvents: EventType[] = ['documents.purged', 'assets.purged']

/**
 * Deletes the spaces that were deleted more than `graceDays` days ago and have no apps, files, outbox events or running
 * jobs.
 */
export async function deleteEmptySpaces(tx: Tx): Promise<void> {
  const gone = sql`SELECT id FROM space WHERE ${longAgo('deleted_at')}
    AND NOT EXISTS (SELECT FROM app WHERE space_id = space.id)
    AND NOT EXISTS (SELECT FROM asset_blob WHERE space_id = space.id)
    AND NOT EXISTS (SELECT FROM event WHERE space_id = space.id AND type <> ALL (${purgeEvents}))
    AND NOT EXISTS (SELECT FROM job WHERE space_id = space.id AND state = 'running')`
  for (const table of [
    'event',
    'space_security',
    'sso_connection',
    'sso_domain',
    'space_member',
    'token',
    'external_storage',
    'job',
    'image_settings',
    'group_role',
    'group_role_setting',
    'scim_group',
    'scim_user',
    'scim_connection',
    'removed_member',
  ])
    await sql`DELETE FROM ${sql.table(table)} WHERE space_id IN (${gone})`.execute(tx)
  await sql`DELETE FROM space WHERE id IN (${gone})`.execute(tx)
}
