import type { AppContext } from '#server/access/context.ts'
import { inSavepoint } from '#server/db/savepoint.ts'
import type { BulkResult } from '#shared/contract/documents.ts'
import { invalid } from '#shared/errors.ts'
import { statusOf } from '../store/present.ts'
import { restore, trash } from '../trash/trash.ts'
import { checkId } from '../values/input.ts'
import { publish, unpublish } from '../writing/publish.ts'
import { closeModel, openModel, type Session } from '../writing/write.ts'

/** Runs the operation on one document. Returns the properties of its result in addition to `success`. */
type Act = (session: Session, id: string) => Promise<Pick<BulkResult, 'unchanged' | 'status'>>

const ifChanged =
  (act: (session: Session, id: string) => Promise<boolean>): Act =>
  async (session, id) =>
    (await act(session, id)) ? {} : { unchanged: true }

/**
 * Publishes documents. Each one succeeds or fails separately. `versions`: the versions to publish, by `_id`; default:
 * the current states. Throws 400 if `versions` contains other documents.
 */
export async function bulkPublish(
  ctx: AppContext,
  modelUid: string,
  ids: string[],
  versions: Record<string, number> = {},
): Promise<BulkResult[]> {
  const known = new Set(ids)
  const other = Object.keys(versions).find((id) => !known.has(id))
  if (other !== undefined) throw invalid(`versions.${other}`, 'InvalidValue')
  const act = ifChanged((session, id) => publish(session, id, { version: versions[id] }))
  return forEach(ctx, modelUid, ids, act)
}

export const bulkUnpublish = (ctx: AppContext, modelUid: string, ids: string[]) =>
  forEach(ctx, modelUid, ids, ifChanged(unpublish))

export const bulkDelete = (ctx: AppContext, modelUid: string, ids: string[]) =>
  forEach(ctx, modelUid, ids, async (session, id) => {
    await trash(session, id)
    return {}
  })

export const bulkRestore = (ctx: AppContext, modelUid: string, ids: string[]) =>
  forEach(ctx, modelUid, ids, async (session, id) => ({ status: statusOf(await restore(session, id)) }))

/**
 * Applies an operation to documents, each in its own savepoint, in ascending order of ids so that concurrent calls
 * cannot deadlock. Returns a result for each id, in the requested order.
 */
async function forEach(ctx: AppContext, modelUid: string, ids: string[], act: Act): Promise<BulkResult[]> {
  const session = await openModel(ctx, modelUid, 'share')
  const results = new Map<string, BulkResult>()
  for (const id of [...new Set(ids)].sort()) results.set(id, await attempt(session, id, act))
  await closeModel(session)
  return ids.map((id) => results.get(id) ?? { _id: id, success: false, code: 'NotFound' })
}

async function attempt(session: Session, id: string, act: Act): Promise<BulkResult> {
  const { db } = session.ctx
  const tally = { ...session.tally }
  const done = await inSavepoint(db, async () => {
    checkId(id)
    return act(session, id)
  })
  if ('result' in done) return { _id: id, success: true, ...done.result }
  session.tally = tally
  const { code, issues } = done.refusal
  return { _id: id, success: false, code, ...(issues ? { issues } : {}) }
}
