import { sql } from 'kysely'
import type { AppContext } from '#server/access/context.ts'
import type { BulkResult } from '#shared/contract/documents.ts'
import { AppError } from '#shared/errors.ts'
import { checkId } from './documents.input.ts'
import { statusOf } from './documents.present.ts'
import { publish, trash, unpublish } from './documents.service.ts'
import { restore } from './documents.trash.ts'
import { closeModel, openModel, type Session } from './documents.write.ts'

/** What is done to one document; answers what is to be said of it beside its success. */
type Act = (session: Session, id: string) => Promise<Pick<BulkResult, 'unchanged' | 'status'>>

const ifChanged =
  (act: (session: Session, id: string) => Promise<boolean>): Act =>
  async (session, id) =>
    (await act(session, id)) ? {} : { unchanged: true }

/** Publishes documents; each succeeds or fails for itself. */
export const bulkPublish = (ctx: AppContext, modelUid: string, ids: string[]) =>
  forEach(ctx, modelUid, ids, ifChanged(publish))

export const bulkUnpublish = (ctx: AppContext, modelUid: string, ids: string[]) =>
  forEach(ctx, modelUid, ids, ifChanged(unpublish))

export const bulkDelete = (ctx: AppContext, modelUid: string, ids: string[]) =>
  forEach(ctx, modelUid, ids, async (session, id) => {
    await trash(session, id)
    return {}
  })

/** Brings documents back from the trash. */
export const bulkRestore = (ctx: AppContext, modelUid: string, ids: string[]) =>
  forEach(ctx, modelUid, ids, async (session, id) => ({ status: statusOf(await restore(session, id)) }))

/**
 * Does the same to documents, each in a savepoint of its own, by ascending id so that two of these never wait for
 * each other in a circle. Answers a result for each id, in the order asked.
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
  await sql`SAVEPOINT item`.execute(db)
  try {
    checkId(id)
    const said = await act(session, id)
    await sql`RELEASE SAVEPOINT item`.execute(db)
    return { _id: id, success: true, ...said }
  } catch (error) {
    // Anything but a refusal concerns the whole transaction: it is tried again, or fails as a whole.
    if (!(error instanceof AppError)) throw error
    await sql`ROLLBACK TO SAVEPOINT item`.execute(db)
    session.tally = tally
    return { _id: id, success: false, code: error.code, ...(error.issues ? { issues: error.issues } : {}) }
  }
}
