import type { AppContext } from '#server/access/context.ts'
import { type DocumentRecord, listDocumentsBehind } from './documents.repository.ts'
import { documentInNewestShape } from './documents.shape.ts'
import { type DocumentModel, openModel } from './documents.write.ts'

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
