import type { AppContext } from '#server/access/context.ts'
import { AppError } from '#shared/errors.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import { type Field, isMultiple } from '#shared/fields/index.ts'
import { lockDocument } from '../store/documents.repository.ts'
import type { Document } from '../store/present.ts'
import { documentInNewestShape } from '../store/shape.ts'
import { checkId, readGiven } from '../values/input.ts'
import { create } from './create.ts'
import { type DocumentModel, openModel } from './write.ts'

/**
 * Creates an unpublished copy of a document's current state. References and assets are kept. `docTitle`: the title of
 * the copy; without it, and in models without a title field, the values of the document stay. `copyValues` replaces
 * unique values.
 *
 * Throws 400 for an invalid id or title, 404. Throws 403, with the field if the title is read-only for the caller.
 */
export async function duplicateDocument(
  ctx: AppContext,
  modelUid: string,
  id: string,
  { docTitle }: { docTitle?: string | undefined },
): Promise<Document> {
  checkId(id)
  const session = await openModel(ctx, modelUid, 'share')
  // Copies of one document wait for each other, so that they get different numbers.
  const locked = await lockDocument(ctx.db, session.model.scope, id, 'edit')
  if (!locked) throw new AppError('NotFound')
  const source = await documentInNewestShape(ctx.db, session.model, locked.document)
  const title = session.model.fields.find(({ _id }) => _id === session.model.titleField)
  if (title && ctx.grants.readOnly.has(title._id))
    throw new AppError('Forbidden', { issues: [{ path: title.uid, code: 'ReadOnly' }] })
  const read = await withTitle(session.model, title, source.current, docTitle)
  return create(session, { ...read, type: 'DUPLICATE', copyOf: source }).catch((error) => {
    throw title && docTitle !== undefined ? withPath(error, title.uid, 'docTitle') : error
  })
}

/** Replaces the path of issues of the title by the name of the property that contained it. */
function withPath(error: unknown, from: string, to: string): unknown {
  if (!(error instanceof AppError) || !error.issues) return error
  const issues = error.issues.map((issue) => (issue.path === from ? { ...issue, path: to } : issue))
  return new AppError(error.code, { issues, cause: error })
}

function withTitle(
  model: DocumentModel,
  field: Field | undefined,
  values: StoredValues,
  title: string | undefined,
) {
  if (title === undefined || !field) return { values, issues: [] }
  return readGiven(model, values, { [field.uid]: isMultiple(field) ? [title] : title })
}
