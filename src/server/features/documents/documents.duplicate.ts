import type { AppContext } from '#server/access/context.ts'
import { AppError } from '#shared/errors.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import { isMultiple } from '#shared/fields/index.ts'
import { create } from './documents.create.ts'
import { checkId, readGiven } from './documents.input.ts'
import type { Document } from './documents.present.ts'
import { findInNewestShape } from './documents.shape.ts'
import { type DocumentModel, openModel } from './documents.write.ts'

/**
 * Creates an unpublished copy of a document's current state. References and assets are kept. `docTitle`: the title of
 * the copy; without it, and in models without a title field, the values of the document stay. `copyValues` replaces
 * unique values.
 *
 * Throws 400 for an invalid id or title, 403, 404.
 */
export async function duplicateDocument(
  ctx: AppContext,
  modelUid: string,
  id: string,
  { docTitle }: { docTitle?: string | undefined },
): Promise<Document> {
  checkId(id)
  const session = await openModel(ctx, modelUid, 'share')
  const source = await findInNewestShape(ctx.db, session.model, id)
  if (!source) throw new AppError('NotFound')
  const read = await withTitle(session.model, source.current, docTitle)
  return create(session, { ...read, type: 'DUPLICATE', copyOf: source })
}

function withTitle(model: DocumentModel, values: StoredValues, title: string | undefined) {
  const field = model.fields.find(({ _id }) => _id === model.titleField)
  if (title === undefined || !field) return { values, issues: [] }
  return readGiven(model, values, { [field.uid]: isMultiple(field) ? [title] : title })
}
