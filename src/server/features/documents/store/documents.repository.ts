import { type Selectable, type SqlBool, sql } from 'kysely'
import type { Db, ModelScope } from '#server/db/scope.ts'
import type { DocumentTable } from '#server/db/tables.ts'
import { jobSlice, Pace } from '#server/lib/pace.ts'
import { trashDays } from '#shared/contract/documents.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import type { RevisionAuthor, RevisionRecord } from './revisions.repository.ts'

/** A document as stored. `current` is the draft if there is one, otherwise the published values. */
export interface DocumentRecord {
  id: string
  version: number
  /**
   * The version of the model in which the document is stored. It stays unchanged when `documentInNewestShape` converts
   * `current` and `pub`.
   */
  shape: number
  current: StoredValues
  pub: StoredValues | null
  /** The version of the revision that `pub` equals. */
  publishedVersion: number | null
  customOrder: number | null
  createdAt: Date
  /** Time of the last change of the values. Publishing existing values does not count. */
  updatedAt: Date
  firstPublishedAt: Date | null
  publishedAt: Date | null
  /** Time of the last change of the published values. */
  publishedUpdatedAt: Date | null
  deletedAt: Date | null
  /** The publication at the time of the deletion; null outside the trash, and for a document that was not published. */
  trashedPublication: { version: number; at: Date; updatedAt: Date } | null
  /** Account id; null: no account. */
  createdBy: string | null
  updatedBy: string | null
  /** Whether `current` differs from `pub`. Always true without `pub`. */
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

/** Returns a document outside the trash. undefined: no such document. */
export async function findDocument(
  db: Db,
  scope: ModelScope,
  id: string,
): Promise<DocumentRecord | undefined> {
  const row = await liveDocuments(db, scope).where('id', '=', id).executeTakeFirst()
  return row && toRecord(row)
}

/** Returns the documents among `ids` that are outside the trash, in the order of their ids. */
export async function findDocuments(
  db: Db,
  scope: ModelScope,
  ids: readonly string[],
): Promise<DocumentRecord[]> {
  const rows = await liveDocuments(db, scope)
    .where(sql<SqlBool>`id = ANY(${ids}::text[])`)
    .orderBy('id')
    .execute()
  return rows.map(toRecord)
}

/** Returns documents outside the trash with ids after `after`, in the order of their ids. */
export async function listDocumentsBehind(
  db: Db,
  scope: ModelScope,
  after: string | null,
  limit: number,
): Promise<DocumentRecord[]> {
  const rows = await liveDocuments(db, scope)
    .where('id', '>', after ?? '')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toRecord)
}

/**
 * Locks a document for writing. `edit` allows concurrent references to it. `delete` waits for pending references and
 * makes later ones see the deletion. `restore` also finds documents in the trash that can still be restored. `lockedAt`
 * is the database's clock after locking, so that times follow the order of locks.
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
  // The clock is read with the row, and therefore after locking.
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
  /** The value of the title field only, in the shape `shape`. */
  title: StoredValues
  published: boolean
  createdBy: string | null
  deletedAt: Date
  deletedBy: string | null
}

/** Returns documents in the trash that can still be restored, newest first, and their total. */
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

/** Inserts a new document with its first revision. */
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

/** Updates a locked row, with a revision of its new state. */
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

/** The kind, source and author of a revision. `blind`: the update was sent without a base version. */
export type RevisionOrigin = Pick<RevisionRecord, 'kind' | 'source' | 'createdBy'> & { blind: boolean }

/** An imported revision of a document. */
export interface EarlierRevision {
  version: number
  kind: RevisionRecord['kind']
  values: StoredValues
  at: Date
  /** The author, if it is not the importing account. `author`: a person without an account here. */
  by?: Pick<RevisionOrigin, 'source' | 'createdBy' | 'blind'> & { author: RevisionAuthor | null }
}

/** Inserts documents outside the trash with all of their revisions. */
export async function insertDocuments(
  db: Db,
  scope: ModelScope,
  documents: readonly { document: DocumentRecord; revisions: readonly EarlierRevision[] }[],
  { source, createdBy }: Pick<RevisionOrigin, 'source' | 'createdBy'>,
): Promise<void> {
  if (documents.length === 0) return
  const given: string[] = []
  const pace = new Pace(jobSlice)
  for (const { document, revisions } of documents) {
    given.push(givenDocument(document, revisions))
    await pace.giveWay()
  }
  await sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${`[${given}]`}::jsonb) AS given (
        id text, version int, shape int, draft jsonb, pub jsonb, published_version int, custom_order float8,
        created_at float8, updated_at float8, first_published_at float8, published_at float8, published_updated_at float8,
        created_by text, updated_by text, revisions jsonb)),
    written AS (
      INSERT INTO document (space_id, model_id, id, version, shape, draft, pub, published_version, custom_order, created_at,
        updated_at, first_published_at, published_at, published_updated_at, created_by, updated_by)
      SELECT ${scope.spaceId}::int, ${scope.modelId}::int, id, version, shape, draft, pub, published_version, custom_order,
        to_timestamp(created_at), to_timestamp(updated_at), to_timestamp(first_published_at), to_timestamp(published_at),
        to_timestamp(published_updated_at), created_by, updated_by
      FROM given)
    INSERT INTO revision (space_id, model_id, document_id, version, kind, source, blind, "values", created_at, created_by, author)
    SELECT ${scope.spaceId}::int, ${scope.modelId}::int, given.id, revision.version, revision.kind,
      coalesce(revision.source, ${source}), coalesce(revision.blind, false),
      CASE revision.same WHEN 'draft' THEN given.draft WHEN 'pub' THEN given.pub ELSE revision.values END,
      to_timestamp(revision.at), CASE WHEN revision.source IS NULL THEN ${createdBy} ELSE revision.created_by END, revision.author
    FROM given, jsonb_to_recordset(given.revisions) AS revision (
      version int, kind text, same text, "values" jsonb, at float8, source text, blind boolean, created_by text, author jsonb)`.execute(
    db,
  )
}

/** Returns a new document with its revisions as JSON, with equal values only once. */
function givenDocument(document: DocumentRecord, revisions: readonly EarlierRevision[]): string {
  const { current, pub, hasDraft } = document
  return JSON.stringify({
    id: document.id,
    version: document.version,
    shape: document.shape,
    published_version: document.publishedVersion,
    custom_order: document.customOrder,
    created_at: secondsOf(document.createdAt),
    updated_at: secondsOf(document.updatedAt),
    first_published_at: secondsOf(document.firstPublishedAt),
    published_at: secondsOf(document.publishedAt),
    published_updated_at: secondsOf(document.publishedUpdatedAt),
    created_by: document.createdBy,
    updated_by: document.updatedBy,
    revisions: revisions.map(({ version, kind, values, at, by }) => ({
      version,
      kind,
      at: secondsOf(at),
      ...(by && { source: by.source, blind: by.blind, created_by: by.createdBy, author: by.author }),
      ...(values === pub ? { same: 'pub' } : values === current && hasDraft ? { same: 'draft' } : { values }),
    })),
    ...(hasDraft ? { draft: current } : {}),
    ...(pub ? { pub } : {}),
  })
}

/** Converts to seconds for PostgreSQL's `to_timestamp`, because ISO 8601 has only four-digit years. */
const secondsOf = (date: Date | null) => date && date.getTime() / 1000

/** Returns the current state of a document as the revision of its version. */
function toRevision(
  scope: ModelScope,
  document: Pick<DocumentRecord, 'id' | 'version' | 'current'>,
  origin: RevisionOrigin,
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
    created_at: sql<Date>`clock_timestamp()`,
    created_by: origin.createdBy,
  }
}

/** Returns names by account id. */
export async function findNames(db: Db, accountIds: Iterable<string | null>): Promise<Map<string, string>> {
  const ids = [...new Set(accountIds)].filter((id) => id !== null)
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('account').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row.name]))
}

/** Returns the ids that exist in the model outside the trash. */
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
