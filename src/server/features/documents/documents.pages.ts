import type { AppContext } from '#server/access/context.ts'
import { readRevision } from './documents.input.ts'
import { type DocumentRecord, listDocumentsBehind } from './documents.repository.ts'
import { documentInNewestShape } from './documents.shape.ts'
import { type DocumentModel, openModel } from './documents.write.ts'
import {
  type CarriedRevision,
  findAuthors,
  listRevisionsBehind,
  type RevisionAuthor,
} from './revisions.repository.ts'

/**
 * Documents of a model outside the trash, in the order of their `_id`s, those behind `after`: as they are stored, in the shape
 * that the model has now. For who carries all of them elsewhere, page by page. Throws 404.
 */
export async function listDocumentPage(
  ctx: AppContext,
  modelUid: string,
  after: string | null,
  limit: number,
): Promise<{ model: DocumentModel; documents: DocumentRecord[] }> {
  const { model } = await openModel(ctx, modelUid)
  const documents: DocumentRecord[] = []
  for (const stored of await listDocumentsBehind(ctx.db, model.scope, after, limit))
    documents.push(await documentInNewestShape(ctx.db, model, stored))
  return { model, documents }
}

export interface PastDocument extends Omit<CarriedRevision, 'createdBy'> {
  /** Who wrote it; null: a program, or somebody who is not known any more. */
  author: RevisionAuthor | null
}

/**
 * Revisions of all documents of a model, those in the trash included, in the order of these, the oldest of each first; values as far as
 * today's fields can read them. Page by page, as {@link listDocumentPage}. Throws 404.
 */
export async function listRevisionPage(
  ctx: AppContext,
  modelUid: string,
  after: { documentId: string; version: number },
  limit: number,
): Promise<{ model: DocumentModel; revisions: PastDocument[] }> {
  const { model } = await openModel(ctx, modelUid)
  const found = await listRevisionsBehind(ctx.db, model.scope, after, limit)
  const authors = await findAuthors(
    ctx.db,
    found.map(({ createdBy }) => createdBy),
  )
  const revisions: PastDocument[] = []
  for (const { createdBy, author, values, ...revision } of found)
    revisions.push({
      ...revision,
      values: await readRevision(model, values),
      author: (createdBy === null ? author : authors.get(createdBy)) ?? null,
    })
  return { model, revisions }
}
