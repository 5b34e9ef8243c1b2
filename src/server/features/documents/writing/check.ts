import type { AppContext } from '#server/access/context.ts'
import { AppError, type Issue } from '#shared/errors.ts'
import { valuesByUid } from '#shared/fields/document.ts'
import { isMultiple } from '#shared/fields/index.ts'
import { type DocumentRecord, findDocuments } from '../store/documents.repository.ts'
import { findUsersOfMissing } from '../store/referred.repository.ts'
import { documentInNewestShape, findInNewestShape } from '../store/shape.ts'
import { isTooLarge, readBody, readFieldValue, readValues } from '../values/input.ts'
import { applyValues } from '../values/merge.ts'
import { findIssues, missingAssets } from '../values/rules.ts'
import { openModel, statesIn } from './write.ts'

export interface Validation {
  isValid: boolean
  invalidFieldUIDs: string[]
  isTooLarge: boolean
  issues: Issue[]
  /** Values of unique fields that only drafts of other documents have, and assets that are in the trash or deleted. */
  warnings: Issue[]
}

/**
 * Checks whether these values could be published. With an `_id`, they are checked as an update of that document,
 * together with the values of its other fields. Writes nothing. Throws 404 for an unknown `_id`.
 */
export async function validateDocument(
  ctx: AppContext,
  modelUid: string,
  doc: Record<string, unknown>,
): Promise<Validation> {
  const session = await openModel(ctx, modelUid)
  const { model } = session
  const { id, values: raw } = readBody(doc, 'doc')
  const before = id === undefined ? null : await findInNewestShape(ctx.db, model, id)
  if (id !== undefined && !before) throw new AppError('NotFound')
  if (isTooLarge(raw))
    return { isValid: false, invalidFieldUIDs: [], isTooLarge: true, issues: [], warnings: [] }
  const read = await readValues(model, raw)
  const values = applyValues(before?.current ?? {}, read.given)
  const known = statesIn(before)
  const check = { values, issues: read.issues, known, publish: true, documentId: id ?? null }
  const { issues, drafts } = await findIssues(ctx.db, model, check)
  const refused = new Set(issues.map(({ path }) => path))
  const [missing = []] = await missingAssets(ctx.db, model.scope, ctx.space.uid, model.fields, [values])
  const tooLarge = isTooLarge(valuesByUid(model, values))
  return {
    isValid: issues.length === 0 && !tooLarge,
    invalidFieldUIDs: [...new Set(issues.map((issue) => issue.path.split('.')[0] ?? ''))],
    isTooLarge: tooLarge,
    issues,
    warnings: [...drafts, ...missing.filter(({ path }) => !refused.has(path))],
  }
}

/** Number of documents that are read at a time. Each has at most 1 MB. */
const batchSize = 25

/** Maximum number of issues of one document in a response. */
const mostIssues = 20

/** A document with assets that are in the trash or deleted. */
export interface MissingAssets {
  _id: string
  /** Number of all issues of the document. `issues` contains the first ones. */
  count: number
  issues: Issue[]
}

/**
 * Returns the documents among `ids` that would show missing assets after publishing, in the order of their ids.
 * Documents that publishing does not change are omitted, and so are unknown ids.
 */
export async function listMissingAssets(
  ctx: AppContext,
  modelUid: string,
  ids: readonly string[],
): Promise<MissingAssets[]> {
  const { model } = await openModel(ctx, modelUid)
  const suspects = await findUsersOfMissing(ctx.db, model.scope, ids)
  const found: MissingAssets[] = []
  for (let start = 0; start < suspects.length; start += batchSize) {
    const stored = await findDocuments(ctx.db, model.scope, suspects.slice(start, start + batchSize))
    const documents: DocumentRecord[] = []
    for (const document of stored)
      if (document.pub === null || document.hasDraft)
        documents.push(await documentInNewestShape(ctx.db, model, document))
    const states = documents.map(({ current }) => current)
    const missing = await missingAssets(ctx.db, model.scope, ctx.space.uid, model.fields, states)
    for (const [index, { id }] of documents.entries()) {
      const issues = missing[index] ?? []
      if (issues.length > 0)
        found.push({ _id: id, count: issues.length, issues: issues.slice(0, mostIssues) })
    }
  }
  return found
}

export interface FieldProblem extends Issue {
  /** False if only drafts have this value of a unique field. */
  blocksPublishing: boolean
  /**
   * The issue for the field as a whole. If a part of the value breaks a rule, its code is
   * `SomeItemsDoNotMeetTheRequirements` or `SomeFieldsDoNotMeetTheRequirements`. Otherwise it is the issue itself.
   */
  told: Pick<Issue, 'code' | 'params'>
}

/** Returns the first problem of one field's value; null if it has no problem. Writes nothing. */
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
  const { value, issues: unread } = await readFieldValue(field, raw)
  if (unread[0]) return whole(unread[0])
  // If `docId` belongs to another model, it is ignored.
  const before = docId ? await findInNewestShape(ctx.db, model, docId) : null
  const { issues, drafts } = await findIssues(
    ctx.db,
    { ...model, fields: [field] },
    {
      values: value === undefined ? {} : { [field._id]: value },
      issues: [],
      known: statesIn(before),
      publish: true,
      documentId: before?.id ?? null,
    },
  )
  const [blocking] = issues.map((issue) => inField(issue, uid))
  const [warning] = drafts.map((issue) => inField(issue, uid))
  const inside = isMultiple(field)
    ? 'SomeItemsDoNotMeetTheRequirements'
    : 'SomeFieldsDoNotMeetTheRequirements'
  if (blocking?.path) return { ...whole(blocking), told: { code: inside } }
  if (blocking) return whole(blocking)
  return warning ? whole(warning, false) : null
}

/** Makes the path of an issue relative to the field's value. */
function inField(issue: Issue, uid: string): Issue {
  const path = issue.path.startsWith(`${uid}.`) ? issue.path.slice(uid.length + 1) : ''
  return { ...issue, path }
}
