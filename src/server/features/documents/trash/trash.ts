import { isDeepStrictEqual } from 'node:util'
import { noteAudit } from '#server/access/audit.ts'
import type { AppContext } from '#server/access/context.ts'
import { inNewestShape } from '#server/content/conversion.ts'
import { requireModel } from '#server/features/models/models.service.ts'
import type { Person } from '#shared/contract/documents.ts'
import { type StoredValues, titleOf } from '#shared/fields/document.ts'
import * as documents from '../store/documents.repository.ts'
import { personOf } from '../store/present.ts'
import { findRevision } from '../store/revisions.repository.ts'
import { checkId, readRevision } from '../values/input.ts'
import { findIssues } from '../values/rules.ts'
import { withdrawn } from '../writing/publish.ts'
import { checkRight, closeModel, lock, openModel, type Session, store } from '../writing/write.ts'

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

/** Moves a document to the trash. Throws 400 for an invalid id, 403, 404. */
export async function deleteDocument(ctx: AppContext, modelUid: string, id: string): Promise<void> {
  checkId(id)
  const session = await openModel(ctx, modelUid, 'share')
  noteAudit(ctx, { objectId: id, objectName: titleOf(session.model, await trash(session, id)) })
  await closeModel(session)
}

/**
 * Restores a document from the trash. A published state is published again with its old time if the current rules allow
 * it; otherwise it becomes a draft. A document outside the trash stays unchanged.
 *
 * Throws 400 (another document was published with its unique value meanwhile), 403, 404 (unknown, or its time in the
 * trash has ended).
 */
export async function restore(session: Session, id: string): Promise<documents.DocumentRecord> {
  const { ctx } = session
  const before = await lock(session, id, 'restore')
  if (before.deletedAt === null) {
    checkRight(ctx, 'delete', before)
    return before
  }
  const publication = before.trashedPublication
  const pub = publication && (await publishedValues(session, id, publication.version))
  // Restoring requires the right to delete the restored document.
  checkRight(ctx, 'delete', { ...before, pub })
  const draft = { ...before, version: before.version + 1, deletedAt: null, trashedPublication: null }
  const document =
    publication && pub && (await isPublishable(session, before, pub))
      ? {
          ...draft,
          hasDraft: !isDeepStrictEqual(before.current, pub),
          pub,
          publishedVersion: publication.version,
          publishedAt: publication.at,
          publishedUpdatedAt: publication.updatedAt,
        }
      : draft
  await store(session, before, document, { kind: 'restore' })
  return document
}

async function publishedValues(
  { ctx, model }: Session,
  id: string,
  version: number,
): Promise<StoredValues | null> {
  const revision = await findRevision(ctx.db, model.scope, id, version)
  return revision ? readRevision(model, revision.values) : null
}

async function isPublishable(
  { ctx, model }: Session,
  { id, current }: documents.DocumentRecord,
  values: StoredValues,
): Promise<boolean> {
  const check = { values, issues: [], known: [current, values], publish: true, documentId: id }
  return (await findIssues(ctx.db, model, check)).issues.length === 0
}

interface Trashed {
  _id: string
  title: string
  published: boolean
  createdBy: Person | null
  deletedAt: string
  deletedBy: Person | null
}

/** Returns the documents that can be restored, newest first. Throws 404. */
export async function listTrash(
  ctx: AppContext,
  modelUid: string,
  page: { limit: number; skip: number },
): Promise<{ documents: Trashed[]; total: number }> {
  const model = await requireModel(ctx, modelUid)
  const { rows, total } = await documents.listTrash(ctx.db, model.scope, page)
  const names = await documents.findNames(
    ctx.db,
    rows.flatMap((row) => [row.createdBy, row.deletedBy]),
  )
  const titles = await Promise.all(rows.map((row) => inNewestShape(model, row.shape, row.title)))
  return {
    documents: rows.map((row, index) => ({
      _id: row.id,
      title: titleOf(model, titles[index] ?? {}),
      published: row.published,
      createdBy: personOf(names, row.createdBy),
      deletedAt: row.deletedAt.toISOString(),
      deletedBy: personOf(names, row.deletedBy),
    })),
    total,
  }
}
