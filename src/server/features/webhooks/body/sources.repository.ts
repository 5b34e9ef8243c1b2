import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'

/** Selects a revision: by its version, or the newest one before a version, optionally of one kind. */
export type WhichRevision = { version: number } | { before: number; kind?: 'publish' }

export interface RevisionRow {
  id: string
  kind: string
  /** Values by field `_id`. null: not requested. */
  values: Record<string, unknown> | null
  createdAt: Date
  updatedAt: Date
  firstPublishedAt: Date | null
  publishedAt: Date | null
  customOrder: number | null
}

/** The columns of a revision with the times of its document. */
const sysColumns = sql`r.document_id AS id, r.kind, d.created_at AS "createdAt", r.created_at AS "updatedAt",
  d.first_published_at AS "firstPublishedAt",
  CASE WHEN r.kind = 'publish' THEN r.created_at ELSE d.published_at END AS "publishedAt", d.custom_order AS "customOrder"`

/**
 * Returns a revision with the times of its document, as the delivery API shows them. Its values are read only if
 * `whole`.
 */
export async function findRevision(
  db: Db,
  { spaceId }: SpaceScope,
  modelId: number,
  documentId: string,
  which: WhichRevision,
  whole: boolean,
): Promise<RevisionRow | undefined> {
  const chosen =
    'version' in which
      ? sql`r.version = ${which.version}`
      : sql`r.version < ${which.before} AND (${which.kind ?? null}::text IS NULL OR r.kind = ${which.kind ?? null})`
  const { rows } = await sql<RevisionRow>`
    SELECT ${sysColumns}, CASE WHEN ${whole} THEN r."values" END AS "values"
    FROM revision r JOIN document d ON d.model_id = r.model_id AND d.id = r.document_id
    WHERE r.space_id = ${spaceId} AND r.model_id = ${modelId} AND r.document_id = ${documentId} AND ${chosen}
    ORDER BY r.version DESC LIMIT 1`.execute(db)
  return rows[0]
}

/** The key of a revision in {@link findSysOfRevisions}. */
export const revisionKey = (documentId: string, version: number) => `${documentId} ${version}`

/** Returns the times of many revisions like {@link findRevision}, without values. */
export async function findSysOfRevisions(
  db: Db,
  { spaceId }: SpaceScope,
  wanted: readonly { modelId: number; documentId: string; version: number }[],
): Promise<Map<string, RevisionRow>> {
  if (wanted.length === 0) return new Map()
  const { rows } = await sql<RevisionRow & { version: number }>`
    SELECT ${sysColumns}, r.version
    FROM unnest(${wanted.map(({ modelId }) => modelId)}::int[], ${wanted.map(({ documentId }) => documentId)}::text[],
      ${wanted.map(({ version }) => version)}::int[]) AS w (model_id, document_id, version)
    JOIN revision r ON r.model_id = w.model_id AND r.document_id = w.document_id AND r.version = w.version
    JOIN document d ON d.model_id = r.model_id AND d.id = r.document_id
    WHERE r.space_id = ${spaceId}`.execute(db)
  return new Map(rows.map(({ version, ...row }) => [revisionKey(row.id, version), { ...row, values: null }]))
}

export async function findAsset(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
): Promise<{ id: string; fileName: string } | undefined> {
  return db
    .selectFrom('asset')
    .select(['id', 'file_name as fileName'])
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Returns the name of an account, not its email address. null: the account is unknown or has no name. */
export async function findName(db: Db, accountId: string): Promise<string | null> {
  const row = await db.selectFrom('account').select('name').where('id', '=', accountId).executeTakeFirst()
  return row?.name || null
}

/** Returns JSON in the format of PostgreSQL, which readers of stored documents expect. */
export async function printedJson(db: Db, value: unknown): Promise<string> {
  const { rows } = await sql<{ json: string }>`SELECT ${storedJson(value)}::jsonb::text AS json`.execute(db)
  return rows[0]?.json ?? '{}'
}
