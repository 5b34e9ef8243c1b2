import type { AppContext } from '#server/access/context.ts'
import { checkWithPatterns } from '#server/content/text-work.ts'
import { AppError, type Issue } from '#shared/errors.ts'
import { checkTitle, checkValue, valuesByUid } from '#shared/fields/document.ts'
import { isMultiple } from '#shared/fields/index.ts'
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
  /** What is said of the field as a whole: of what breaks a rule inside of its value, that something in it does. */
  told: Pick<Issue, 'code' | 'params'>
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
  const whole = (issue: Issue, blocksPublishing = true) => ({ ...issue, blocksPublishing, told: issue })
  if (!field) return whole({ path: '', code: 'UnknownField' })
  if (isTooLarge({ [uid]: raw ?? null })) return whole({ path: '', code: 'TooManyCharacters' })
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
  const [unread] = issues
  if (unread) return whole(unread)
  const [blocking] = [
    ...(await checkWithPatterns((environment) => checkValue(field, value, environment))),
    ...inDocument.map((issue) => inField(issue, uid)),
  ]
  const [warning] = duplicates.drafts.map((issue) => inField(issue, uid))
  const inside = isMultiple(field)
    ? 'SomeItemsDoNotMeetTheRequirements'
    : 'SomeFieldsDoNotMeetTheRequirements'
  if (blocking?.path) return { ...whole(blocking), told: { code: inside } }
  if (blocking) return whole(blocking)
  return warning ? whole(warning, false) : null
}

/** An issue of a document as one of its field's value. */
function inField(issue: Issue, uid: string): Issue {
  const path = issue.path.startsWith(`${uid}.`) ? issue.path.slice(uid.length + 1) : ''
  return { ...issue, path }
}
