import { isDeepStrictEqual } from 'node:util'
import { accountOf } from '#server/access/actor.ts'
import { noteAudit, writeAudit } from '#server/access/audit.ts'
import type { AppContext } from '#server/access/context.ts'
import { itemsOf } from '#server/content/derived.ts'
import { hashUniqueValue, isUnique } from '#server/content/unique.ts'
import { newId } from '#server/lib/ids.ts'
import type { AuditAct } from '#shared/audit.ts'
import type { Person } from '#shared/contract/documents.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { fitValues } from '#shared/fields/convert.ts'
import { type StoredValues, titleOf } from '#shared/fields/document.ts'
import { mergeValues } from '#shared/fields/merge.ts'
import { allFields, mapValue } from '#shared/fields/walk.ts'
import { findChangeAuthors, listChanges } from './documents.authors.ts'
import { checkId, isTooLarge, readBody, readValues } from './documents.input.ts'
import { applyValues, type GivenValues } from './documents.merge.ts'
import { type Document, presentOne } from './documents.present.ts'
import { checkReadOnly, withoutReadOnly } from './documents.read-only.ts'
import { type DocumentRecord, findNames } from './documents.repository.ts'
import {
  type Candidate,
  checkCandidate,
  checkRight,
  closeModel,
  lock,
  openModel,
  type Session,
  store,
} from './documents.write.ts'
import { findTaken } from './referred.repository.ts'
import { findRevision } from './revisions.repository.ts'

export { cellText } from './csv-cells.ts'
export {
  type ImportedDocument,
  type ImportedRevision,
  importBatch,
  importDocuments,
  importedVersion,
  openForImport,
} from './documents.import.ts'
export { bytesAtMost, isTooLarge, maximumBytes, readCarried, readReceived } from './documents.input.ts'
export { listDocumentPage, listRevisionPage, type PastDocument } from './documents.pages.ts'
export { purgeModelDocuments } from './documents.purge.ts'

export type SaveType = 'SAVE' | 'PUBLISH' | 'DUPLICATE'

export interface NewDocument {
  /** Values by field uid. */
  document: Record<string, unknown>
  type?: SaveType
  /** Times of the new document. `createdAt` defaults to now, and `publishedAt` to `createdAt`. */
  createdAt?: Date
  publishedAt?: Date
}

/** Creates a document. Throws 400 with all issues, 403, 404 (model), 413. */
export async function createDocument(
  ctx: AppContext,
  modelUid: string,
  { document, type = 'SAVE', createdAt, publishedAt }: NewDocument,
): Promise<Document> {
  const session = await openModel(ctx, modelUid, 'share')
  const { values: raw } = readBody(document, 'document')
  const { values, issues } = await readGiven(session, {}, raw)
  return create(session, { values, issues, type, createdAt, publishedAt })
}

interface Creation extends Pick<Candidate, 'values' | 'issues' | 'copyOf'> {
  type: SaveType
  createdAt?: Date | undefined
  publishedAt?: Date | undefined
}

async function create(session: Session, creation: Creation): Promise<Document> {
  const { ctx } = session
  const { type, issues, copyOf } = creation
  const publish = type === 'PUBLISH'
  checkRight(ctx, 'create', null)
  if (publish) checkRight(ctx, 'publish', null)
  const values =
    type === 'DUPLICATE'
      ? await copyValues(session, withoutReadOnly(session, creation.values))
      : creation.values
  checkReadOnly(session, null, values)
  await checkCandidate(session, { values, issues, before: null, copyOf, publish })
  const createdAt = creation.createdAt ?? session.now
  const publishedAt = publish ? (creation.publishedAt ?? createdAt) : null
  const document: DocumentRecord = {
    id: newId(),
    version: 1,
    shape: session.model.version,
    current: values,
    hasDraft: !publish,
    pub: publish ? values : null,
    publishedVersion: publish ? 1 : null,
    customOrder: null,
    createdAt,
    updatedAt: createdAt,
    firstPublishedAt: publishedAt,
    publishedAt,
    publishedUpdatedAt: publish ? createdAt : null,
    deletedAt: null,
    trashedPublication: null,
    createdBy: accountOf(ctx.actor),
    updatedBy: accountOf(ctx.actor),
  }
  if (publish) await writeCreation(session, document)
  note(session, publish ? 'document.publish' : 'document.create', null, document)
  await store(session, null, document, { kind: publish ? 'publish' : 'create' })
  await closeModel(session)
  return presentOne(ctx, session.model, document)
}

/**
 * Writes the audit entry for the creation of a document that is created and published in one request. It precedes the
 * entry for the publication.
 */
async function writeCreation(
  { ctx, model }: Session,
  { id, version, current }: DocumentRecord,
): Promise<void> {
  if (!ctx.audit) return
  await writeAudit(ctx.db, ctx.scope, {
    act: 'document.create',
    outcome: 'done',
    actor: ctx.actor,
    ...ctx.origin,
    object: { kind: 'document', id, name: titleOf(model, current) },
    details: { changes: [{ key: 'version', after: version }], app: ctx.app.uid, model: model.uid },
  })
}

/** Returns the values for a copy, without values of unique fields at any depth. A unique title gets a number. */
async function copyValues({ ctx, model }: Session, values: StoredValues): Promise<StoredValues> {
  const copy = { ...values }
  for (const field of model.fields) {
    if (!allFields([field]).some(isUnique)) continue
    const [first] = itemsOf(copy[field._id])
    copy[field._id] = mapValue(field, copy[field._id], (inner) =>
      isUnique(inner.field) ? undefined : inner.value,
    )
    if (copy[field._id] === undefined) delete copy[field._id]
    if (field._id !== model.titleField || first === undefined) continue
    const titles = Array.from({ length: 200 }, (_, index) => `${first} (${index + 2})`)
    const wanted = titles.map((title) => ({ fieldId: field._id, hash: hashUniqueValue(title) }))
    const taken = await findTaken(ctx.db, model.scope, null, wanted)
    const free = titles.find((_, index) => {
      const hash = wanted[index]?.hash.toString('hex')
      return !taken.has(`${field._id} ${hash}`)
    })
    copy[field._id] = field.multiple ? [free ?? first] : (free ?? first)
  }
  return copy
}

/** Reads the values of a body and applies them to `current`. Throws 413 before any expensive work. */
async function readGiven(
  { model }: Session,
  current: StoredValues,
  raw: Record<string, unknown>,
): Promise<Pick<Candidate, 'values' | 'issues'> & { given: GivenValues }> {
  if (isTooLarge(raw)) throw new AppError('RequestFileTooLarge')
  const { given, issues } = await readValues(model, raw)
  return { given, issues, values: applyValues(current, given) }
}

export interface DocumentUpdate {
  doc: Record<string, unknown>
  type?: SaveType
  /** The version that the caller edited; default: the version in `doc`, if any. */
  baseVersion?: number | undefined
}

/**
 * Saves a document, saves and publishes it, or creates a copy, depending on `type`. `merged`: paths that were changed
 * since the base version and merged. `mergedFrom`: the accounts that changed them.
 *
 * Throws 400, 403, 404, 409 `VersionConflict`, 413.
 */
export async function updateDocument(
  ctx: AppContext,
  modelUid: string,
  id: string,
  { doc, type = 'SAVE', baseVersion }: DocumentUpdate,
): Promise<{ document: Document; merged?: string[]; mergedFrom?: (Person | null)[] }> {
  checkId(id)
  const session = await openModel(ctx, modelUid, 'share')
  const { model } = session
  const before = await lock(session, id)
  const body = readBody(doc, 'doc')
  if (body.id !== undefined && body.id !== id) throw invalid('doc._id', 'InvalidValue')
  const read = await readGiven(session, before.current, body.values)
  if (type === 'DUPLICATE') return { document: await create(session, { ...read, type, copyOf: before }) }

  const publish = type === 'PUBLISH'
  checkRight(ctx, 'edit', before)
  if (publish) checkRight(ctx, 'publish', before)
  const base = baseVersion ?? body.baseVersion
  const { values, theirs, authors } =
    base === undefined || base === before.version
      ? { values: read.values, theirs: [], authors: [] }
      : await merge(session, before, base, read.given)
  checkReadOnly(session, before.current, values)
  // Saving unchanged values creates no version and no event.
  const unchanged = isDeepStrictEqual(values, before.current)
  const reached = unchanged && (!publish || isPublishedAsIs(before))
  const document =
    reached && read.issues.length === 0
      ? before
      : await save(session, before, {
          values,
          issues: read.issues,
          publish,
          blind: base === undefined,
        })
  return {
    document: await presentOne(ctx, model, document),
    ...(theirs.length > 0 ? { merged: theirs, mergedFrom: authors } : {}),
  }
}

const isPublishedAsIs = (document: DocumentRecord) => document.pub !== null && !document.hasDraft

async function save(
  session: Session,
  before: DocumentRecord,
  candidate: Omit<Candidate, 'before'> & { blind: boolean },
): Promise<DocumentRecord> {
  const { ctx } = session
  const { values, publish, blind } = candidate
  await checkCandidate(session, { ...candidate, before })
  const unchanged = isDeepStrictEqual(values, before.current)
  const saved: DocumentRecord = {
    ...before,
    version: before.version + 1,
    current: values,
    hasDraft: before.pub === null || !isDeepStrictEqual(values, before.pub),
    ...(unchanged ? {} : { updatedAt: session.now, updatedBy: accountOf(ctx.actor) }),
  }
  const document = publish ? published(saved, session.now) : saved
  note(session, publish ? 'document.publish' : 'document.save', before, document, blind)
  await store(session, before, document, { kind: publish ? 'publish' : 'save', blind })
  await closeModel(session)
  return document
}

/** Records the names of changed fields for the audit log. Their values are in the revisions. */
function note(
  { ctx, model }: Session,
  act: AuditAct,
  before: DocumentRecord | null,
  after: DocumentRecord,
  blind = false,
): void {
  const changed = model.fields.filter(
    ({ _id }) => !isDeepStrictEqual(before?.current[_id], after.current[_id]),
  )
  noteAudit(ctx, {
    act,
    objectId: after.id,
    objectName: titleOf(model, after.current),
    before: before ? stateOf(before) : {},
    after: { ...stateOf(after), ...(before ? { fields: changed.map(({ uid }) => uid).join(', ') } : {}) },
    ...(blind ? { facts: { blind } } : {}),
  })
}

function stateOf({ version, pub, hasDraft }: DocumentRecord) {
  return { version, status: pub === null ? 'draft' : hasDraft ? 'changed' : 'published' }
}

/**
 * Returns the document with its current state published. This state is stored as the revision of the document's
 * version.
 */
function published(document: DocumentRecord, at: Date): DocumentRecord {
  return {
    ...document,
    hasDraft: false,
    pub: document.current,
    publishedVersion: document.version,
    publishedAt: at,
    publishedUpdatedAt: document.updatedAt,
    firstPublishedAt: document.firstPublishedAt ?? at,
  }
}

async function merge(
  { ctx, model }: Session,
  before: DocumentRecord,
  base: number,
  given: GivenValues,
): Promise<{ values: StoredValues; theirs: string[]; authors: (Person | null)[] }> {
  const revision =
    base < before.version ? await findRevision(ctx.db, model.scope, before.id, base) : undefined
  const fitted = revision && fitValues(model.fields, revision.values)
  const merged = fitted && mergeValues(model.fields, fitted, before.current, applyValues(fitted, given))
  if (merged && merged.conflicts.length === 0)
    return {
      values: merged.value,
      theirs: merged.theirs,
      authors: await findChangeAuthors(ctx, model, {
        documentId: before.id,
        since: base,
        paths: merged.theirs,
      }),
    }
  const changes = merged
    ? await listChanges(ctx, model, { documentId: before.id, since: base, paths: merged.conflicts })
    : []
  const last = changes.at(-1) ?? (await findRevision(ctx.db, model.scope, before.id, before.version))
  const by = last?.createdBy ?? null
  const names = await findNames(ctx.db, [by])
  throw new AppError('VersionConflict', {
    details: {
      current: before.version,
      by: by === null ? null : { _id: by, name: names.get(by) ?? '' },
      at: (last?.createdAt ?? before.updatedAt).toISOString(),
      // If the base version is unknown, every sent field counts as a conflict.
      fields:
        merged?.conflicts ?? model.fields.filter((field) => given.has(field._id)).map((field) => field.uid),
    },
  })
}

/**
 * Publishes the current state. Returns false if it is already published; then nothing changes. Throws 400, 403, 404.
 */
export async function publish(session: Session, id: string): Promise<boolean> {
  const before = await lock(session, id)
  checkRight(session.ctx, 'publish', before)
  if (isPublishedAsIs(before)) return false
  await checkCandidate(session, { values: before.current, issues: [], before, publish: true })
  const next = { ...before, version: before.version + 1 }
  const document = published(next, session.now)
  await store(session, before, document, { kind: 'publish' })
  return true
}

/**
 * Unpublishes a document. Its published values become its draft unless there is a newer draft. Returns false if it is
 * not published.
 */
export async function unpublish(session: Session, id: string): Promise<boolean> {
  const before = await lock(session, id)
  checkRight(session.ctx, 'unpublish', before)
  if (!before.pub) return false
  const next = { ...withdrawn(before), version: before.version + 1 }
  await store(session, before, next, { kind: 'unpublish' })
  return true
}

/**
 * Moves a document to the trash, with the data that restoring needs. References to it stay, but no longer resolve.
 * Returns its values.
 */
export async function trash(session: Session, id: string): Promise<StoredValues> {
  const before = await lock(session, id, 'delete')
  checkRight(session.ctx, 'delete', before)
  const document = {
    ...withdrawn(before),
    version: before.version + 1,
    deletedAt: session.now,
    trashedPublication:
      before.publishedVersion !== null && before.publishedAt && before.publishedUpdatedAt
        ? {
            version: before.publishedVersion,
            at: before.publishedAt,
            updatedAt: before.publishedUpdatedAt,
          }
        : null,
  }
  await store(session, before, document, { kind: 'delete' })
  return before.current
}

const withdrawn = (document: DocumentRecord): DocumentRecord => ({
  ...document,
  hasDraft: true,
  pub: null,
  publishedVersion: null,
  publishedAt: null,
  publishedUpdatedAt: null,
})

/** Moves a document to the trash. Throws 400 for an invalid id, 403, 404. */
export async function deleteDocument(ctx: AppContext, modelUid: string, id: string): Promise<void> {
  checkId(id)
  const session = await openModel(ctx, modelUid, 'share')
  noteAudit(ctx, { objectId: id, objectName: titleOf(session.model, await trash(session, id)) })
  await closeModel(session)
}
