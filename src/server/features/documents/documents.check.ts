import type { AppContext } from '#server/access/context.ts'
import { checkWithPatterns } from '#server/content/text-work.ts'
import { AppError, type Issue } from '#shared/errors.ts'
import { checkTitle, checkValue, valuesByUid } from '#shared/fields/document.ts'
import { isTooLarge, readBody, readFieldValue, readValues } from './documents.input.ts'
import { applyValues } from './documents.merge.ts'
import { type DocumentRecord, findDocument } from './documents.repository.ts'
import {
  assetIssues,
  findAssets,
  findDuplicates,
  findReferred,
  unknownReferences,
} from './documents.rules.ts'
import { documentInNewestShape } from './documents.shape.ts'
import { findIssues, openModel, type Session } from './documents.write.ts'

export interface Validation {
  isValid: boolean
  invalidFieldUIDs: string[]
  isTooLarge: boolean
  issues: Issue[]
  /** Values of unique fields that other drafts have too. */
  warnings: Issue[]
}

/**
 * Would these values publish? With `_id`, as a save of that document, whose other fields stay. Writes nothing.
 * Throws 404 for an `_id` of no document.
 */
export async function validateDocument(
  ctx: AppContext,
  modelUid: string,
  doc: Record<string, unknown>,
): Promise<Validation> {
  const session = await openModel(ctx, modelUid)
  const { model } = session
  const { id, values: raw } = readBody(doc, 'doc')
  const before = id === undefined ? null : await findInNewestShape(session, id)
  if (id !== undefined && !before) throw new AppError('NotFound')
  if (isTooLarge(raw))
    return { isValid: false, invalidFieldUIDs: [], isTooLarge: true, issues: [], warnings: [] }
  const read = await readValues(model, raw)
  const values = applyValues(before?.current ?? {}, read.given)
  const duplicates = await findDuplicates(ctx.db, model.scope, model.fields, values, id ?? null)
  const issues = [
    ...(await findIssues(session, { values, issues: read.issues, before, publish: true })),
    ...duplicates.published,
  ]
  const tooLarge = isTooLarge(valuesByUid(model, values))
  return {
    isValid: issues.length === 0 && !tooLarge,
    invalidFieldUIDs: [...new Set(issues.map((issue) => issue.path.split('.')[0] ?? ''))],
    isTooLarge: tooLarge,
    issues,
    warnings: duplicates.drafts,
  }
}

async function findInNewestShape({ ctx, model }: Session, id: string): Promise<DocumentRecord | null> {
  const document = await findDocument(ctx.db, model.scope, id)
  return document ? documentInNewestShape(ctx.db, model, document) : null
}

/** What is wrong with one field's value. */
export interface FieldProblem extends Issue {
  /** False for a value that must not repeat and that only other drafts have. */
  blocksPublishing: boolean
}

/** The first thing wrong with one field's value; null when there is nothing. Writes nothing. */
export async function validateField(
  ctx: AppContext,
  modelUid: string,
  { value: raw, field: uid, docId }: { value: unknown; field: string; docId?: string | null | undefined },
): Promise<FieldProblem | null> {
  const session = await openModel(ctx, modelUid)
  const { model } = session
  const field = model.fields.find((candidate) => candidate.uid === uid)
  if (!field) return { path: '', code: 'UnknownField', blocksPublishing: true }
  if (isTooLarge({ [uid]: raw ?? null }))
    return { path: '', code: 'TooManyCharacters', blocksPublishing: true }
  const { value, issues } = await readFieldValue(field, raw)
  const values = value === undefined ? {} : { [field._id]: value }
  // The document's own state excuses references that dangle already; one of another model is no document here.
  const before = docId ? await findInNewestShape(session, docId) : null
  const known = before ? [before.current, before.pub] : []
  const live = await findReferred(ctx.db, model.scope, [field], model.targets, values)
  const assets = await findAssets(ctx.db, model.scope, [field], values)
  const duplicates = await findDuplicates(ctx.db, model.scope, [field], values, before?.id ?? null)
  /** These speak of documents. */
  const inDocument = [
    ...(field._id === model.titleField ? checkTitle(model, values) : []),
    ...unknownReferences([field], model.targets, values, live, known),
    ...assetIssues([field], values, assets, { known, publish: true }),
    ...duplicates.published,
  ]
  const [blocking] = [
    ...issues,
    ...(await checkWithPatterns((environment) => checkValue(field, value, environment))),
    ...inDocument.map((issue) => inField(issue, uid)),
  ]
  const [warning] = duplicates.drafts.map((issue) => inField(issue, uid))
  if (blocking) return { ...blocking, blocksPublishing: true }
  return warning ? { ...warning, blocksPublishing: false } : null
}

/** An issue of a document as one of its field's value. */
function inField(issue: Issue, uid: string): Issue {
  const path = issue.path.startsWith(`${uid}.`) ? issue.path.slice(uid.length + 1) : ''
  return { ...issue, path }
}
