import { type Selectable, type SqlBool, sql } from 'kysely'
import type { Db, ModelScope, SpaceScope } from '#server/db/scope.ts'
import type { DocumentTable, RevisionTable } from '#server/db/tables.ts'
import { trashDays } from '#shared/contract/documents.ts'
import type { StoredValues } from '#shared/fields/document.ts'

/** A document as stored. `current`: the draft, or what is published when there is none. */
export interface DocumentRecord {
  id: string
  version: number
  /** The version of the model in whose shape it is stored; its values here may have been converted since. */
  shape: number
  current: StoredValues
  pub: StoredValues | null
  /** The revision that `pub` is. */
  publishedVersion: number | null
  customOrder: number | null
  createdAt: Date
  /** When the values last changed; publishing what is there already does not count. */
  updatedAt: Date
  firstPublishedAt: Date | null
  publishedAt: Date | null
  /** When the published values last changed. */
  publishedUpdatedAt: Date | null
  deletedAt: Date | null
  /** What was published when the document went to the trash; null outside of it. */
  trashedPublication: { version: number; at: Date; updatedAt: Date } | null
  /** Account ids. */
  createdBy: string | null
  updatedBy: string | null
  /** Does `current` differ from `pub`? Always true without `pub`. */
  hasDraft: boolean
}

function toRecord(row: Selectable<DocumentTable>): DocumentRecord {
  return {
    id: row.id,
    version: row.version,
    shape: row.shape,
    current: row.draft ?? row.pub ?? {},
    pub: row.pub,
    publishedVersion: row.published_version,
    customOrder: row.custom_order,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    firstPublishedAt: row.first_published_at,
    publishedAt: row.published_at,
    publishedUpdatedAt: row.published_updated_at,
    deletedAt: row.deleted_at,
    trashedPublication:
      row.trashed_published_version !== null && row.trashed_published_at && row.trashed_published_updated_at
        ? {
            version: row.trashed_published_version,
            at: row.trashed_published_at,
            updatedAt: row.trashed_published_updated_at,
          }
        : null,
    createdBy: row.created_by,
    updatedBy: row.updated_by,
    hasDraft: row.draft !== null,
  }
}

function documentsOf(db: Db, scope: ModelScope) {
  return db
    .selectFrom('document')
    .selectAll()
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
}

const liveDocuments = (db: Db, scope: ModelScope) => documentsOf(db, scope).where('deleted_at', 'is', null)

const keptInTrash = sql<SqlBool>`deleted_at > clock_timestamp() - make_interval(days => ${trashDays})`

/** Undefined for an id that is none of the model's, and for one in the trash. */
export async function findDocument(
  db: Db,
  scope: ModelScope,
  id: string,
): Promise<DocumentRecord | undefined> {
  const row = await liveDocuments(db, scope).where('id', '=', id).executeTakeFirst()
  return row && toRecord(row)
}

/**
 * Locks a document for a write. `edit` lets others refer to it meanwhile; `delete` waits for those who are about to,
 * and makes those who come later see that it is gone; `restore` finds those in the trash, too. `lockedAt` is the
 * database's clock, not that of the transaction's beginning: times follow the order of the locks.
 */
export async function lockDocument(
  db: Db,
  scope: ModelScope,
  id: string,
  purpose: 'edit' | 'delete' | 'restore',
): Promise<{ document: DocumentRecord; lockedAt: Date } | undefined> {
  const query =
    purpose === 'restore'
      ? documentsOf(db, scope)
          .where('id', '=', id)
          .where((where) => where.or([where('deleted_at', 'is', null), keptInTrash]))
      : liveDocuments(db, scope).where('id', '=', id)
  const locked = purpose === 'delete' ? query.forUpdate() : query.forNoKeyUpdate()
  // The clock is read when the row is there, so when it is locked.
  const row = await db
    .selectFrom(locked.as('locked'))
    .selectAll()
    .select(sql<Date>`clock_timestamp()::timestamptz(3)`.as('lockedAt'))
    .executeTakeFirst()
  return row && { document: toRecord(row), lockedAt: row.lockedAt }
}

export interface TrashedRow {
  id: string
  shape: number
  /** The value of the title field alone, in that shape. */
  title: StoredValues
  published: boolean
  createdBy: string | null
  deletedAt: Date
  deletedBy: string | null
}

/** Documents that went to the trash so lately that they can be restored, the newest first, and how many there are. */
export async function listTrash(
  db: Db,
  scope: ModelScope,
  { limit, skip }: { limit: number; skip: number },
): Promise<{ rows: TrashedRow[]; total: number }> {
  const trash = documentsOf(db, scope).where('deleted_at', 'is not', null).where(keptInTrash)
  const { rows } = await sql<TrashedRow>`
    SELECT document.id, document.shape, document.trashed_published_version IS NOT NULL AS published, document.deleted_at AS "deletedAt",
      document.created_by AS "createdBy", revision.created_by AS "deletedBy",
      CASE WHEN model.title_field IS NULL THEN '{}' ELSE jsonb_strip_nulls(jsonb_build_object(
        model.title_field, document.draft->model.title_field)) END AS title
    FROM (${trash.orderBy('deleted_at', 'desc').orderBy('id').limit(limit).offset(skip)}) AS document
    JOIN model ON model.space_id = ${scope.spaceId} AND model.id = ${scope.modelId}
    JOIN revision ON revision.space_id = ${scope.spaceId} AND revision.model_id = ${scope.modelId}
      AND revision.document_id = document.id AND revision.version = document.version
    ORDER BY document.deleted_at DESC, document.id`.execute(db)
  const { total } = await trash
    .clearSelect()
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows, total }
}

function toColumns(scope: ModelScope, document: DocumentRecord) {
  return {
    space_id: scope.spaceId,
    model_id: scope.modelId,
    id: document.id,
    version: document.version,
    shape: document.shape,
    draft: document.hasDraft ? JSON.stringify(document.current) : null,
    pub: document.pub && JSON.stringify(document.pub),
    published_version: document.publishedVersion,
    custom_order: document.customOrder,
    created_at: document.createdAt,
    updated_at: document.updatedAt,
    first_published_at: document.firstPublishedAt,
    published_at: document.publishedAt,
    published_updated_at: document.publishedUpdatedAt,
    deleted_at: document.deletedAt,
    trashed_published_version: document.trashedPublication?.version ?? null,
    trashed_published_at: document.trashedPublication?.at ?? null,
    trashed_published_updated_at: document.trashedPublication?.updatedAt ?? null,
    created_by: document.createdBy,
    updated_by: document.updatedBy,
  }
}

/** Writes a new document with its first revision. */
export async function insertDocument(
  db: Db,
  scope: ModelScope,
  document: DocumentRecord,
  revision: RevisionOrigin,
): Promise<void> {
  await db
    .with('written', (query) => query.insertInto('document').values(toColumns(scope, document)))
    .insertInto('revision')
    .values(toRevision(scope, document, revision))
    .execute()
}

/** Writes a whole row that was locked before, with the revision that it now is. */
export async function updateDocument(
  db: Db,
  scope: ModelScope,
  document: DocumentRecord,
  revision: RevisionOrigin,
): Promise<void> {
  const { space_id: _space, model_id: _model, id, ...columns } = toColumns(scope, document)
  await db
    .with('written', (query) =>
      query
        .updateTable('document')
        .set(columns)
        .where('space_id', '=', scope.spaceId)
        .where('model_id', '=', scope.modelId)
        .where('id', '=', id),
    )
    .insertInto('revision')
    .values(toRevision(scope, document, revision))
    .execute()
}

export type RevisionRecord = Pick<RevisionTable, 'kind' | 'source'> & {
  version: number
  createdAt: Date
  createdBy: string | null
}

/** How a document came to be as it is. */
export type RevisionOrigin = Pick<RevisionRecord, 'kind' | 'source' | 'createdBy'> & { blind: boolean }

/** A revision of a document that was written elsewhere. */
export interface EarlierRevision {
  version: number
  kind: RevisionRecord['kind']
  values: StoredValues
  at: Date
}

/** Writes new documents with all of their revisions. */
export async function insertDocuments(
  db: Db,
  scope: ModelScope,
  documents: readonly { document: DocumentRecord; revisions: readonly EarlierRevision[] }[],
  { source, createdBy }: Pick<RevisionOrigin, 'source' | 'createdBy'>,
): Promise<void> {
  const rows = documents.map(({ document }) => toColumns(scope, document))
  const revisions = documents.flatMap(({ document, revisions: own }) =>
    own.map(({ version, kind, values, at }) =>
      toRevision(
        scope,
        { id: document.id, version, current: values },
        { kind, source, createdBy, blind: false, at },
      ),
    ),
  )
  await db.insertInto('document').values(rows).execute()
  await db.insertInto('revision').values(revisions).execute()
}

/** The current state of a document as the revision of its version, made now unless `at` says when. */
function toRevision(
  scope: ModelScope,
  document: Pick<DocumentRecord, 'id' | 'version' | 'current'>,
  origin: RevisionOrigin & { at?: Date },
) {
  return {
    space_id: scope.spaceId,
    model_id: scope.modelId,
    document_id: document.id,
    version: document.version,
    kind: origin.kind,
    source: origin.source,
    blind: origin.blind,
    values: JSON.stringify(document.current),
    created_at: origin.at ?? sql<Date>`clock_timestamp()`,
    created_by: origin.createdBy,
  }
}

function revisionsOf(db: Db, scope: ModelScope, documentId: string) {
  return db
    .selectFrom('revision')
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .where('document_id', '=', documentId)
}

/** The newest ones first, without values. */
export async function listRevisions(
  db: Db,
  scope: ModelScope,
  documentId: string,
  limit: number,
): Promise<RevisionRecord[]> {
  const rows = await revisionsOf(db, scope, documentId)
    .select(['version', 'kind', 'source', 'created_at', 'created_by'])
    .orderBy('version', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ created_at, created_by, ...row }) => ({
    ...row,
    createdAt: created_at,
    createdBy: created_by,
  }))
}

/** The values are as they were written, by an older version of the model perhaps. */
export async function findRevision(
  db: Db,
  scope: ModelScope,
  documentId: string,
  version: number,
): Promise<(RevisionRecord & { values: StoredValues }) | undefined> {
  const row = await revisionsOf(db, scope, documentId)
    .select(['version', 'kind', 'source', 'created_at', 'created_by', 'values'])
    .where('version', '=', version)
    .executeTakeFirst()
  if (!row) return undefined
  const { created_at, created_by, ...rest } = row
  return { ...rest, createdAt: created_at, createdBy: created_by }
}

/** Which of these documents of a model exist outside the trash. Holds them there until the transaction ends. */
export async function lockReferred(
  db: Db,
  scope: SpaceScope,
  modelId: number,
  ids: string[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('document')
    .select('id')
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', modelId)
    .where(sql<SqlBool>`id = ANY(${ids}::text[])`)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forKeyShare()
    .execute()
  return new Set(rows.map((row) => row.id))
}

/**
 * Which of these values of unique fields another document than `documentId` has: 1 when one is published with it, 0
 * when it is only in drafts. Keys: `{fieldId} {hash in hex}`.
 */
export async function findTaken(
  db: Db,
  scope: ModelScope,
  documentId: string | null,
  wanted: { fieldId: string; hash: Buffer }[],
): Promise<Map<string, 0 | 1>> {
  if (wanted.length === 0) return new Map()
  const { rows } = await sql<{ field_id: string; value_hash: Buffer; stage: 0 | 1 }>`
    SELECT held.field_id, held.value_hash, max(held.stage) AS stage
    FROM unnest(${wanted.map((item) => item.fieldId)}::text[], ${wanted.map((item) => item.hash)}::bytea[])
      AS wanted (field_id, value_hash)
    JOIN document_unique AS held ON held.space_id = ${scope.spaceId} AND held.model_id = ${scope.modelId}
      AND held.field_id = wanted.field_id AND held.value_hash = wanted.value_hash
    WHERE held.document_id IS DISTINCT FROM ${documentId}
    GROUP BY held.field_id, held.value_hash`.execute(db)
  return new Map(rows.map((row) => [`${row.field_id} ${row.value_hash.toString('hex')}`, row.stage]))
}

/** Names by account id. */
export async function findNames(db: Db, accountIds: Iterable<string | null>): Promise<Map<string, string>> {
  const ids = [...new Set(accountIds)].filter((id) => id !== null)
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('account').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row.name]))
}

export interface Referrer {
  id: string
  modelUid: string
  shape: number
  /** The value of the title field alone, in that shape: documents may be large. */
  title: StoredValues
  published: boolean
}

/** Documents outside the trash, in models of the app that are not deleted, that refer to this one in any stage. */
export async function listReferrers(
  db: Db,
  scope: ModelScope,
  documentId: string,
  /** Ids of the models that the caller may read. */
  readable: number[],
  limit: number,
): Promise<{ referrers: Referrer[]; total: number }> {
  const { rows } = await sql<{
    id: string
    uid: string
    shape: number
    title: StoredValues
    published: boolean
    total: number
  }>`
    SELECT document.id, model.uid, document.shape,
      CASE WHEN model.title_field IS NULL THEN '{}' ELSE jsonb_strip_nulls(jsonb_build_object(
        model.title_field, coalesce(document.draft, document.pub)->model.title_field)) END AS title,
      document.published_at IS NOT NULL AS published, count(*) OVER () AS total
    FROM (SELECT DISTINCT from_model_id, from_id FROM document_reference
      WHERE space_id = ${scope.spaceId} AND to_model_id = ${scope.modelId} AND to_id = ${documentId}) AS reference
    JOIN document ON document.space_id = ${scope.spaceId} AND document.model_id = reference.from_model_id
      AND document.id = reference.from_id AND document.deleted_at IS NULL
    JOIN model ON model.space_id = ${scope.spaceId} AND model.app_id = ${scope.appId}
      AND model.id = document.model_id AND model.deleted_at IS NULL AND model.id = ANY(${readable}::int[])
    ORDER BY document.updated_at DESC, document.id LIMIT ${limit}`.execute(db)
  return {
    referrers: rows.map(({ uid, total: _, ...row }) => ({ ...row, modelUid: uid })),
    total: rows[0]?.total ?? 0,
  }
}

/** Which of these ids are documents of the model outside the trash. */
export async function findLive(db: Db, scope: ModelScope, ids: string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('document')
    .select('id')
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .where('deleted_at', 'is', null)
    .where(sql<SqlBool>`id = ANY(${ids}::text[])`)
    .execute()
  return new Set(rows.map((row) => row.id))
}

/** Gives these documents the ranks 1, 2, 3, …; those that had a rank follow in their order. The model is locked. */
export async function updateCustomOrder(db: Db, scope: ModelScope, ids: string[]): Promise<void> {
  await sql`
    WITH ranked AS (
      SELECT document.id, row_number() OVER (ORDER BY given.position NULLS LAST, custom_order, document.id) AS rank
      FROM document LEFT JOIN unnest(${ids}::text[]) WITH ORDINALITY AS given (id, position) ON given.id = document.id
      WHERE space_id = ${scope.spaceId} AND model_id = ${scope.modelId} AND deleted_at IS NULL
        AND (given.id IS NOT NULL OR custom_order IS NOT NULL))
    UPDATE document SET custom_order = ranked.rank FROM ranked
    WHERE document.space_id = ${scope.spaceId} AND document.model_id = ${scope.modelId} AND document.id = ranked.id
      AND document.custom_order IS DISTINCT FROM ranked.rank`.execute(db)
}

export async function resetCustomOrder(db: Db, scope: ModelScope): Promise<void> {
  await db
    .updateTable('document')
    .set({ custom_order: null })
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .where('custom_order', 'is not', null)
    .execute()
}

/** What a document must know of an asset that it refers to. */
export interface ReferredAsset {
  /** File name. */
  name: string
  /** Media type. */
  type: string
}

/** Those of these ids that are assets of the space outside the trash. */
export async function findLiveAssets(
  db: Db,
  { spaceId }: SpaceScope,
  ids: readonly string[],
): Promise<Map<string, ReferredAsset>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<ReferredAsset & { id: string }>`
    SELECT id, file_name AS name, media_type AS type FROM asset
    WHERE space_id = ${spaceId} AND id = ANY(${ids}::text[]) AND deleted_at IS NULL`.execute(db)
  return new Map(rows.map(({ id, ...asset }) => [id, asset]))
}
