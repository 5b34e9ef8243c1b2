import { type SqlBool, sql } from 'kysely'
import type { PortableApp } from '#archive/app-format.ts'
import { type ActorGrants, seesApp } from '#server/access/grants.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'

/** Returns the uids of all apps of the space, including apps that the caller does not see. */
export async function findAppUids(db: Db, { spaceId }: SpaceScope): Promise<Set<string>> {
  const rows = await db
    .selectFrom('app')
    .select('uid')
    .where('space_id', '=', spaceId)
    .where('deleted_at', 'is', null)
    .execute()
  return new Set(rows.map(({ uid }) => uid))
}

export interface TemplateRow {
  id: string
  version: number
  appId: number
  name: string
  description: string
  hasDocuments: boolean
  /** null: the version is not saved yet. */
  parts: PortableApp | null
  counts: Record<string, number> | null
  /** The storage of its archive. null: the archive is not complete. */
  storage: string | null
  jobId: string | null
  /** Whether the job that saves the version failed, was cancelled or no longer exists. */
  stopped: boolean
  createdAt: Date
  createdBy: { _id: string; name: string } | null
  /** Accounts that saved the versions of this template; null for a deleted account. */
  makers: (string | null)[]
}

export type TemplateKey = Pick<TemplateRow, 'id' | 'version'>

function templatesOf(db: Db, { spaceId }: SpaceScope) {
  return db
    .selectFrom('app_template as template')
    .leftJoin('job', 'job.id', 'template.job_id')
    .leftJoin('account', 'account.id', 'template.created_by')
    .select(['template.id', 'template.version', 'template.app_id as appId', 'template.name'])
    .select(['template.description', 'template.has_documents as hasDocuments'])
    .select(sql<PortableApp | null>`template.parts`.as('parts'))
    .select(['template.counts', 'template.storage', 'template.job_id as jobId'])
    .select(
      sql<(string | null)[]>`ARRAY(SELECT DISTINCT version.created_by::text FROM app_template AS version
        WHERE version.space_id = template.space_id AND version.id = template.id)`.as('makers'),
    )
    .select(['template.created_at as createdAt', 'template.created_by', 'account.name as creator'])
    .select(sql<boolean>`coalesce(job.state IN ('failed', 'stopped', 'cancelled'), true)`.as('stopped'))
    .where('template.space_id', '=', spaceId)
    .orderBy('template.version', 'desc')
}

type Row = Omit<TemplateRow, 'createdBy'> & { created_by: string | null; creator: string | null }
const toTemplate = ({ created_by, creator, ...row }: Row): TemplateRow => ({
  ...row,
  createdBy: created_by === null ? null : { _id: created_by, name: creator ?? '' },
})

/** Returns the versions of an app's template, newest first, including versions that are not saved yet. */
export async function listVersions(db: Db, scope: SpaceScope, appId: number): Promise<TemplateRow[]> {
  return (await templatesOf(db, scope).where('template.app_id', '=', appId).execute()).map(toTemplate)
}

export interface TemplateReader {
  grants: ActorGrants
  managesEveryApp: boolean
  accountId: string | null
}

/**
 * Limits templates to the apps that the caller sees. If the app is deleted, the template is readable by callers who
 * manage every app, and by the account that saved its newest version. An account that saved only an older version may
 * have lost access to the app before the newest version was saved.
 */
const isReadableBy = ({ grants, managesEveryApp, accountId }: TemplateReader) => {
  const app = sql`FROM app WHERE app.space_id = template.space_id AND app.id = template.app_id
    AND app.deleted_at IS NULL`
  return sql<SqlBool>`CASE WHEN EXISTS (SELECT ${app}) THEN EXISTS (SELECT ${app} AND ${seesApp(grants)})
    ELSE ${managesEveryApp} OR ${accountId} = (SELECT newest.created_by FROM app_template AS newest
      WHERE newest.space_id = template.space_id AND newest.id = template.id AND newest.parts IS NOT NULL
      ORDER BY newest.version DESC LIMIT 1) END`
}

/** Returns the newest saved version of each template that the caller may use, newest first. */
export async function listNewest(db: Db, scope: SpaceScope, reader: TemplateReader): Promise<TemplateRow[]> {
  const rows = await templatesOf(db, scope)
    .where(isReadableBy(reader))
    .where('template.parts', 'is not', null)
    .where(
      sql<SqlBool>`NOT EXISTS (SELECT FROM app_template AS newer WHERE newer.space_id = template.space_id
        AND newer.id = template.id AND newer.version > template.version AND newer.parts IS NOT NULL)`,
    )
    .clearOrderBy()
    .orderBy('template.created_at', 'desc')
    .orderBy('template.id')
    .execute()
  return rows.map(toTemplate)
}

/**
 * Returns the version `version`, or without it the newest saved one. With `reader`, only if the caller may use the
 * template.
 */
export async function findTemplate(
  db: Db,
  scope: SpaceScope,
  { id, version }: Pick<TemplateRow, 'id'> & { version?: number | undefined },
  reader: TemplateReader | null,
): Promise<TemplateRow | undefined> {
  const found = templatesOf(db, scope).where('template.id', '=', id).limit(1)
  const rows = reader ? found.where(isReadableBy(reader)) : found
  const row = await (version === undefined
    ? rows.where('template.parts', 'is not', null)
    : rows.where('template.version', '=', version)
  ).executeTakeFirst()
  return row && toTemplate(row)
}

interface NewTemplate
  extends Omit<TemplateRow, 'parts' | 'counts' | 'storage' | 'jobId' | 'stopped' | 'createdAt' | 'makers'> {
  jobId: string
}

export async function insertTemplate(db: Db, { spaceId }: SpaceScope, row: NewTemplate): Promise<void> {
  await db
    .insertInto('app_template')
    .values({
      space_id: spaceId,
      id: row.id,
      version: row.version,
      app_id: row.appId,
      name: row.name,
      description: row.description,
      has_documents: row.hasDocuments,
      job_id: row.jobId,
      created_by: row.createdBy?._id ?? null,
    })
    .execute()
}

/**
 * Stores the parts of a version, its counts and the storage of its archive, which marks the version as saved. Returns
 * false if the version was deleted in the meantime.
 */
export async function finishTemplate(
  db: Db,
  { spaceId }: SpaceScope,
  { id, version }: TemplateKey,
  { parts, counts, storage }: { parts: PortableApp; counts: Record<string, number>; storage: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('app_template')
    .set({ parts: storedJson(parts), counts: storedJson(counts), storage })
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes a version of a template, or all versions. Returns the number of deleted versions. */
export async function deleteTemplates(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
  version?: number,
): Promise<number> {
  const rows = db.deleteFrom('app_template').where('space_id', '=', spaceId).where('id', '=', id)
  const { numDeletedRows } = await (version === undefined
    ? rows
    : rows.where('version', '=', version)
  ).executeTakeFirst()
  return Number(numDeletedRows)
}

/** Returns which of these paths (`3/{id}/2`) belong to an existing version. */
export async function findPlaces(db: Db, places: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ place: string }>`
    SELECT place FROM unnest(${places}::text[]) AS place
    WHERE EXISTS (SELECT FROM app_template WHERE space_id || '/' || id || '/' || version = place)`.execute(db)
  return new Set(rows.map(({ place }) => place))
}

/** Returns the ids of the apps with waiting or running jobs of this name. */
export async function findFilledApps(db: Db, { spaceId }: SpaceScope, job: string): Promise<number[]> {
  const { rows } = await sql<{ app: number }>`
    SELECT (payload ->> 'appId')::int AS app FROM job
    WHERE space_id = ${spaceId} AND name = ${job} AND state IN ('waiting', 'running')`.execute(db)
  return rows.map(({ app }) => app)
}
