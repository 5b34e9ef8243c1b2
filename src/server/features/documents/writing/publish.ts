import { isDeepStrictEqual } from 'node:util'
import type { AppContext } from '#server/access/context.ts'
import { AppError } from '#shared/errors.ts'
import type { DocumentRecord } from '../store/documents.repository.ts'
import { findRevision } from '../store/revisions.repository.ts'
import { checkId, readRevision } from '../values/input.ts'
import { checkReadOnly } from './read-only.ts'
import { checkCandidate, checkRight, closeModel, lock, openModel, type Session, store } from './write.ts'

interface PublishOptions {
  /** The version to publish. Default: the current state. */
  version?: number | undefined
}

/**
 * Publishes a document, for callers outside of this feature. Returns false if these values are already published; then
 * nothing changes. Writes no audit entry, because the caller knows the reason. Throws 400 for an invalid id or with all
 * issues, 403, and 404 for an unknown document or version.
 */
export async function publishDocument(
  ctx: AppContext,
  modelUid: string,
  id: string,
  options: PublishOptions = {},
): Promise<boolean> {
  checkId(id)
  const session = await openModel(ctx, modelUid, 'share')
  const isPublished = await publish(session, id, options)
  await closeModel(session)
  return isPublished
}

export const isPublishedAsIs = (document: DocumentRecord) => document.pub !== null && !document.hasDraft

/**
 * Returns the document with its current state published. This state is stored as the revision of the document's
 * version.
 */
export function published(document: DocumentRecord, at: Date): DocumentRecord {
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

/**
 * Publishes the current state, or the values of a version. Returns false if they are already published; then nothing
 * changes. Throws 400, 403, 404.
 */
export async function publish(
  session: Session,
  id: string,
  { version }: PublishOptions = {},
): Promise<boolean> {
  const before = await lock(session, id)
  checkRight(session.ctx, 'publish', before)
  if (version !== undefined && version !== before.version) return publishVersion(session, before, version)
  return publishCurrent(session, before)
}

async function publishCurrent(session: Session, before: DocumentRecord): Promise<boolean> {
  if (isPublishedAsIs(before)) return false
  await checkCandidate(session, { values: before.current, issues: [], before, publish: true })
  const document = published({ ...before, version: before.version + 1 }, session.now)
  await store(session, before, document, { kind: 'publish' })
  return true
}

/**
 * Publishes the values of an earlier version, as far as they fit the current fields. The current state becomes the
 * draft, unless it is equal. Writes two revisions then, because each revision contains the values of one state.
 */
async function publishVersion(session: Session, before: DocumentRecord, version: number): Promise<boolean> {
  const { ctx, model } = session
  const revision = await findRevision(ctx.db, model.scope, before.id, version)
  if (!revision) throw new AppError('NotFound')
  const values = await readRevision(model, revision.values)
  if (isDeepStrictEqual(values, before.current)) return publishCurrent(session, before)
  if (isDeepStrictEqual(values, before.pub)) return false
  // Another value of the history would be a change of the field.
  checkReadOnly(session, before.current, values, before.pub)
  const check = { values, issues: [], before: { ...before, pub: values }, publish: true }
  await checkCandidate(session, check)
  const isNewer = before.publishedUpdatedAt === null || before.publishedUpdatedAt < revision.createdAt
  const document: DocumentRecord = {
    ...published({ ...before, version: before.version + 1, current: values }, session.now),
    // Sites look for changes by this time, so publishing older values again must not set it back.
    publishedUpdatedAt: isNewer ? revision.createdAt : session.now,
  }
  await store(session, before, document, { kind: 'publish' })
  const draft = { ...document, version: document.version + 1, current: before.current, hasDraft: true }
  await store(session, document, draft, { kind: 'save' })
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

/** Returns the document as a draft. */
export const withdrawn = (document: DocumentRecord): DocumentRecord => ({
  ...document,
  hasDraft: true,
  pub: null,
  publishedVersion: null,
  publishedAt: null,
  publishedUpdatedAt: null,
})
