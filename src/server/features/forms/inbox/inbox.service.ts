import { noteAudit } from '#server/access/audit.ts'
import type { OwnTransactions, SpaceContext } from '#server/access/context.ts'
import type { FileAnswer } from '#shared/contract/endpoint.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { type SubmissionState, submissionStates } from '#shared/forms/fields.ts'
import { idPattern } from '#shared/identifiers.ts'
import { requireForm } from '../definition/definition.service.ts'
import type { Selection } from './inbox.repository.ts'
import * as submissions from './inbox.repository.ts'

/** Returns the states of a list. `state` undefined: all except spam. */
export const statesOf = (state: SubmissionState | undefined): readonly SubmissionState[] =>
  state === undefined ? submissionStates.filter((one) => one !== 'spam') : [state]

/** Lists submissions of a form, newest first. Throws 404, and 400 for an unknown submission `before`. */
export async function listSubmissions(
  ctx: SpaceContext,
  formId: string,
  {
    state,
    trash,
    before,
    limit,
  }: {
    state?: SubmissionState | undefined
    trash: boolean
    before?: string | undefined
    limit: number
  },
) {
  const { db, scope } = ctx
  await requireForm(ctx, formId)
  const position =
    before === undefined ? undefined : await submissions.findPosition(db, scope, formId, before)
  if (before !== undefined && !position) throw invalid('before', 'InvalidValue')
  const selection: Selection = trash ? 'trash' : { states: statesOf(state) }
  const part = { before: position, limit: limit + 1 }
  const found = await submissions.listSubmissions(db, scope, formId, selection, part)
  const counted = await submissions.countSubmissions(db, scope, formId, submissionStates)
  const countOf = (one: SubmissionState) => counted.get(one) ?? 0
  return {
    submissions: found.slice(0, limit).map(present),
    isMore: found.length > limit,
    counts: {
      new: countOf('new'),
      inProgress: countOf('inProgress'),
      done: countOf('done'),
      spam: countOf('spam'),
    },
  }
}

/** Returns a submission with all values, also one in the trash. Throws 404. */
export async function getSubmission(ctx: SpaceContext, formId: string, id: string) {
  await requireForm(ctx, formId)
  const found = idPattern.test(id)
    ? await submissions.findSubmission(ctx.db, ctx.scope, formId, id)
    : undefined
  if (!found) throw new AppError('NotFound')
  return present(found)
}

/** Sets the state of a submission. Throws 404, also for a submission in the trash. */
export async function updateSubmission(
  ctx: SpaceContext,
  formId: string,
  id: string,
  state: SubmissionState,
) {
  const form = await requireForm(ctx, formId)
  const [before] = idPattern.test(id)
    ? await submissions.lockSubmissions(ctx.db, ctx.scope, formId, [id])
    : []
  if (!before || before.deletedAt) throw new AppError('NotFound')
  if (before.state !== state) await submissions.updateState(ctx.db, ctx.scope, [id], state)
  // Otherwise the name of the entry would be the address of the visitor.
  noteAudit(ctx, { before: { state: before.state }, objectName: form.name })
  return getSubmission(ctx, formId, id)
}

/** The result of a bulk call for one submission. */
interface Result {
  _id: string
  success: boolean
  code?: string
}

/**
 * Sets the state of several submissions. Returns a result for each id, in their order: `NotFound` for a submission of
 * another form, and for one in the trash. Throws 404 for the form.
 */
export async function updateSubmissions(
  ctx: SpaceContext,
  formId: string,
  ids: readonly string[],
  state: SubmissionState,
): Promise<Result[]> {
  const found = await lockForBulk(ctx, formId, ids)
  const live = found.filter(({ deletedAt }) => deletedAt === null)
  const changed = live.filter((submission) => submission.state !== state)
  if (changed.length > 0) await submissions.updateState(ctx.db, ctx.scope, idsOf(changed), state)
  noteAudit(ctx, { facts: { state } })
  return resultsOf(ids, live)
}

/**
 * Moves several submissions to the trash, or restores them. Returns a result for each id, in their order: `NotFound`
 * for a submission of another form. Throws 404 for the form.
 */
export async function setSubmissionsTrashed(
  ctx: SpaceContext,
  formId: string,
  ids: readonly string[],
  trashed: boolean,
): Promise<Result[]> {
  const found = await lockForBulk(ctx, formId, ids)
  const changed = found.filter(({ deletedAt }) => (deletedAt === null) === trashed)
  if (changed.length > 0) await submissions.setTrashed(ctx.db, ctx.scope, idsOf(changed), trashed)
  return resultsOf(ids, found)
}

async function lockForBulk(ctx: SpaceContext, formId: string, ids: readonly string[]) {
  const { name } = await requireForm(ctx, formId)
  noteAudit(ctx, { objectName: name })
  return submissions.lockSubmissions(ctx.db, ctx.scope, formId, [...new Set(ids)])
}

const idsOf = (found: readonly { id: string }[]) => found.map(({ id }) => id)

function resultsOf(ids: readonly string[], done: readonly { id: string }[]): Result[] {
  const known = new Set(idsOf(done))
  return ids.map((_id) =>
    known.has(_id) ? { _id, success: true } : { _id, success: false, code: 'NotFound' },
  )
}

/**
 * Returns a file of a submission, also of one in the trash. The media type is always `application/octet-stream`,
 * because visitors sent the file. Throws 404, and 503 if its storage does not respond or refuses access.
 */
export async function getSubmissionFile(
  ctx: OwnTransactions<SpaceContext>,
  formId: string,
  submissionId: string,
  fileId: string,
): Promise<FileAnswer> {
  const { file, spaceId } = await ctx.inSpace(async (inside) => {
    const { name } = await requireForm(inside, formId)
    const file = [submissionId, fileId].every((id) => idPattern.test(id))
      ? await submissions.findFormFile(inside.db, inside.scope, { formId, submissionId, fileId })
      : undefined
    if (!file) throw new AppError('NotFound')
    noteAudit(inside, { objectId: submissionId, objectName: name, facts: { file: fileId } })
    return { file, spaceId: inside.scope.spaceId }
  })
  const driver = await ctx.services.storages.of({ space_id: spaceId, storage: file.storage })
  return {
    bytes: await driver.read(file.storageKey, undefined, ctx.signal),
    fileName: file.fileName,
    type: 'application/octet-stream',
    size: file.size,
  }
}

const present = <Row extends { id: string }>({ id, ...row }: Row) => ({ _id: id, ...row })
