import type { AppContext } from '#server/access/context.ts'
import { type DocumentRecord, listDocumentsBehind } from '../store/documents.repository.ts'
import {
  type CarriedRevision,
  findAuthors,
  listRevisionsBehind,
  type RevisionAuthor,
} from '../store/revisions.repository.ts'
import { documentInNewestShape } from '../store/shape.ts'
import { readRevision } from '../values/input.ts'
import { type DocumentModel, openModel } from '../writing/write.ts'

/**
 * Returns up to `limit` documents of a model in the order of their `_id`s, beginning after the `_id` `after`. Their
 * values are converted to the current fields of the model. Documents in the trash are omitted. Throws 404.
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
  /** The author. null: a program, or an account that no longer exists. */
  author: RevisionAuthor | null
}

/**
 * Returns up to `limit` revisions of all documents of a model, including the trash, in the order of documents and
 * versions, beginning after the revision `after`. Values are converted as far as they fit the current fields. Throws
 * 404.
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
