import type { DocumentRecord } from './documents.repository.ts'
import { checkCandidate, checkRight, lock, type Session, store } from './documents.write.ts'

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

/** Returns the document as a draft. */
export const withdrawn = (document: DocumentRecord): DocumentRecord => ({
  ...document,
  hasDraft: true,
  pub: null,
  publishedVersion: null,
  publishedAt: null,
  publishedUpdatedAt: null,
})
