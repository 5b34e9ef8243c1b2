import { type SqlBool, sql } from 'kysely'
import type { AppScope, Db, SpaceScope } from '#server/db/scope.ts'
import { progressOf, secondsLeft } from '#server/features/jobs/jobs.service.ts'
import type { ExportOptions } from '#shared/contract/app-exports.ts'
import type { JobError, JobProgress, JobState } from '#shared/contract/jobs.ts'

export interface ExportRow {
  id: string
  /** null: all apps of the space. */
  appId: number | null
  /** Id of the space's newest event when the export was requested. */
  eventId: number
  options: ExportOptions
  fileName: string
  fileSize: number | null
  missing: number
  createdAt: Date
  finishedAt: Date | null
  expiresAt: Date | null
  hasExpired: boolean
  createdBy: { _id: string; name: string } | null
  /** null: the job has been deleted. */
  jobState: JobState | null
  jobId: string | null
  cancelRequested: boolean | null
  jobError: JobError | null
  failures: number | null
  progress: JobProgress | null
  secondsLeft: number | null
}

const exportsOf = (db: Db, { spaceId }: SpaceScope) =>
  db
    .selectFrom('app_export')
    .leftJoin('job', 'job.id', 'app_export.job_id')
    .leftJoin('account', 'account.id', 'app_export.created_by')
    .select(['app_export.id', 'app_export.app_id as appId', 'app_export.options', 'app_export.missing'])
    .select('app_export.event_id as eventId')
    .select(['app_export.file_name as fileName', 'app_export.file_size as fileSize'])
    .select(['app_export.created_at as createdAt', 'app_export.finished_at as finishedAt'])
    .select(['app_export.expires_at as expiresAt', 'app_export.created_by', 'account.name as creator'])
    .select(sql<boolean>`coalesce(app_export.expires_at < now(), false)`.as('hasExpired'))
    .select(['job.id as jobId', 'job.state as jobState', 'job.error as jobError', 'job.done', 'job.total'])
    .select(['job.unit', 'job.failures'])
    .select('job.cancel_requested as cancelRequested')
    .select(secondsLeft.as('secondsLeft'))
    .where('app_export.space_id', '=', spaceId)

type Row = NonNullable<Awaited<ReturnType<ReturnType<typeof exportsOf>['executeTakeFirst']>>>

const toExport = ({ created_by, creator, done, total, unit, ...row }: Row): ExportRow => ({
  ...row,
  createdBy: created_by === null ? null : { _id: created_by, name: creator ?? '' },
  progress: progressOf({ done, total, unit }),
})

/** Returns the newest export of an app, or of the whole space. */
export async function findLatest(db: Db, scope: SpaceScope, appId: number | null): Promise<ExportRow | null> {
  const row = await exportsOf(db, scope)
    .where(isOf(appId))
    .orderBy('app_export.created_at', 'desc')
    .orderBy('app_export.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? toExport(row) : null
}

export async function findExport(db: Db, scope: SpaceScope, id: string): Promise<ExportRow | null> {
  const row = await exportsOf(db, scope).where('app_export.id', '=', id).executeTakeFirst()
  return row ? toExport(row) : null
}

const isOf = (appId: number | null) =>
  appId === null ? sql<SqlBool>`app_export.app_id IS NULL` : sql<SqlBool>`app_export.app_id = ${appId}`

/** Inserts an export and deletes the previous one of the app or space. */
export async function insertExport(
  db: Db,
  { spaceId }: SpaceScope,
  values: Pick<ExportRow, 'id' | 'appId' | 'eventId' | 'options' | 'fileName'> & {
    createdBy: string | null
    jobId: string
  },
): Promise<void> {
  const { appId } = values
  await db.deleteFrom('app_export').where('space_id', '=', spaceId).where(isOf(appId)).execute()
  await db
    .insertInto('app_export')
    .values({
      space_id: spaceId,
      app_id: appId,
      id: values.id,
      event_id: values.eventId,
      options: JSON.stringify(values.options),
      file_name: values.fileName,
      created_by: values.createdBy,
      job_id: values.jobId,
    })
    .execute()
}

export async function finishExport(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
  { fileSize, missing, hours }: { fileSize: number; missing: number; hours: number },
): Promise<void> {
  await db
    .updateTable('app_export')
    .set({
      file_size: fileSize,
      missing,
      finished_at: sql<Date>`now()`,
      expires_at: sql<Date>`now() + make_interval(hours => ${hours})`,
    })
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .execute()
}

/** Returns the apps of a space in display order, with the numbers of their documents. */
export async function listExportedApps(
  db: Db,
  { spaceId }: SpaceScope,
): Promise<{ id: number; name: string; documents: number }[]> {
  const rows = await db
    .selectFrom('app')
    .leftJoin('model', (join) =>
      join
        .onRef('model.space_id', '=', 'app.space_id')
        .onRef('model.app_id', '=', 'app.id')
        .on('model.deleted_at', 'is', null),
    )
    .leftJoin('model_stat', 'model_stat.model_id', 'model.id')
    .select(['app.id', 'app.name'])
    .select((select) => select.fn.coalesce(select.fn.sum<number>('documents'), select.lit(0)).as('documents'))
    .where('app.space_id', '=', spaceId)
    .where('app.deleted_at', 'is', null)
    .groupBy(['app.id', 'app.name', 'app.position'])
    .orderBy('app.position')
    .orderBy('app.id')
    .execute()
  return rows.map(({ id, name, documents }) => ({ id, name, documents: Number(documents) }))
}

/** Returns which of these exports, of any space, have or will have a file. */
export async function findLiving(db: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('app_export')
    .select('id')
    .where('id', 'in', [...ids])
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', sql<Date>`now()`)]))
    .execute()
  return new Set(rows.map((row) => row.id))
}

/** Deletes exports after 30 days. */
export async function deleteOld(db: Db): Promise<void> {
  await db
    .deleteFrom('app_export')
    .where('created_at', '<', sql<Date>`now() - make_interval(days => 30)`)
    .execute()
}

/** Returns the number of documents of the app outside the trash. */
export async function countStoredDocuments(db: Db, { spaceId, appId }: AppScope): Promise<number> {
  const { documents } = await db
    .selectFrom('model')
    .innerJoin('model_stat', 'model_stat.model_id', 'model.id')
    .select((select) => select.fn.coalesce(select.fn.sum<number>('documents'), select.lit(0)).as('documents'))
    .where('model.space_id', '=', spaceId)
    .where('app_id', '=', appId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(documents)
}

export async function findSpaceUid(db: Db, { spaceId }: SpaceScope): Promise<string> {
  const { uid } = await db
    .selectFrom('space')
    .select('uid')
    .where('id', '=', spaceId)
    .executeTakeFirstOrThrow()
  return uid
}
