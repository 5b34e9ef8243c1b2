import { rm, stat } from 'node:fs/promises'
import { z } from 'zod'
import { archivesIn } from '#archive/several.ts'
import { accountOf } from '#server/access/actor.ts'
import { onBehalf } from '#server/access/callers/job.ts'
import type { SpaceContext } from '#server/access/context.ts'
import type { Db } from '#server/db/scope.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { defineJob, type JobContext } from '#server/jobs/job.ts'
import { AppError } from '#shared/errors.ts'
import { archivePath, removeFiles, removeOrphans, workPath } from './archive/archive-files.ts'
import { refusalOf } from './archive/refusal.ts'
import { refuse, tooComplex, Unplannable } from './check/check-archive.ts'
import { fetchArchive } from './check/fetch-archive.ts'
import { isTooMuch, runUploadWork } from './check/upload-work.ts'
import type { MoveWork } from './import/import-context.ts'
import { undo } from './import/undo.ts'
import { kinds } from './kinds/kinds.ts'
import { requireMayStop } from './kinds/rights.ts'
import { findMove, findMovesWithFiles, type MoveRow, updateMove } from './store/moves.repository.ts'
import { type MovePayload, movePayload, priorityOf } from './store/open-move.ts'
import { listAppParts } from './store/parts.repository.ts'

const options = {
  payload: movePayload,
  /**
   * Throws 403 in the same cases as the retry of the move. Does not throw if the move is deleted, because its job does
   * nothing.
   */
  async requireMayRunAgain(ctx: SpaceContext, { moveId }: z.output<MovePayload>) {
    const move = await findMove(ctx.db, ctx.scope, moveId)
    if (move) await kinds[move.kind].requireMayGoOn(ctx, move)
  },
  /** Throws 403 in the same cases as cancelling the move, even if the caller requested the job. */
  async requireMayStop(ctx: SpaceContext, { moveId }: z.output<MovePayload>) {
    const move = await findMove(ctx.db, ctx.scope, moveId)
    if (move) await requireMayStop(ctx, move)
  },
  // Two runs of one move would conflict.
  concurrencyKey: ({ moveId }: z.output<MovePayload>) => `move ${moveId}`,
}

/** Converts an upload or download to an archive if necessary, verifies it, and plans the move. */
export const checkMoveJob = defineJob({
  name: 'moves.check',
  isLong: true,
  ...options,
  async handler(ctx) {
    await withMove(ctx, 'checking', async (begun) => {
      const { db, scope, moveId, move, path } = begun
      if (!(await fetchArchive(begun))) return refuse(begun, refusalOf('notFetched'))
      const bytes = Math.max(move.fileSize, await requireFile(path))
      const work = { ...begun, turn: { ...begun.turn, bytes } }
      const archives = await archivesIn(path)
      const unread = archives.length > 1 ? null : await convert(work)
      if (unread) return refuse(work, unread)
      const beginImport = async (tx: Db) => {
        const asked = { scope, requestedBy: move.createdBy?._id ?? null, ...priorityOf(bytes) }
        const jobId = await enqueue(tx, importMoveJob, { moveId }, asked)
        await updateMove(tx, scope, moveId, { state: 'importing', startedAt: new Date(), jobId })
      }
      try {
        await kinds[move.kind].check({ ...work, archives, signature: null, beginImport })
      } catch (error) {
        if (!(error instanceof Unplannable)) throw error
        await updateMove(db, scope, moveId, { state: 'refused', refusal: error.refusal })
      }
    })
    // Also removes the files for a run whose process ended between the refusal and this step.
    await withMove(ctx, 'refused', ({ services, scope, moveId }) =>
      removeFiles(services.config.dataDir, scope.spaceId, moveId),
    )
  },
})

/** Imports the contents of the plan. An interrupted run is repeated and resumes. */
export const importMoveJob = defineJob({
  name: 'moves.import',
  isLong: true,
  ...options,
  handler: (ctx) =>
    withMove(ctx, 'importing', async (work) => {
      await requireFile(work.path)
      await kinds[work.move.kind].run(work)
    }),
})

/** Removes the documents and files that a move created, after its apps are deleted. */
export const undoMoveJob = defineJob({
  name: 'moves.undo',
  isLong: true,
  ...options,
  handler: (ctx) =>
    withMove(ctx, 'undoing', async ({ db, scope, moveId }) => {
      const parts = await listAppParts(db, scope, moveId)
      const ids = parts.filter(({ state }) => state === 'undoing').map(({ id }) => id)
      await undo({ db, scope, actor: ctx.actor }, [...ids, moveId], ctx.progress)
    }),
})

/** Deletes the files of moves that no longer exist or no longer need their files. */
export const cleanUpMovesJob = defineJob({
  name: 'moves.cleanUp',
  isLong: true,
  payload: z.object({}),
  acrossSpaces: 'the files of all spaces are compared with their rows',
  handler: async ({ db, services, progress }) => {
    await progress(await removeOrphans(services.config.dataDir, (ids) => findMovesWithFiles(db, ids)))
  },
})

/** Calls `work` for a move in the given state. Does nothing if the move is deleted or no longer in this state. */
async function withMove(
  {
    db,
    scope,
    actor,
    services,
    progress,
    at,
    signal,
    payload: { moveId },
  }: JobContext<z.output<MovePayload>>,
  state: MoveRow['state'],
  work: (work: MoveWork) => Promise<unknown>,
): Promise<void> {
  const move = scope && (await findMove(db, scope, moveId))
  if (!scope || move?.state !== state) return
  const { createdBy, kind } = move
  await work({
    db,
    scope,
    services,
    // Created objects belong to the account that began the move. The account that started the job provides the rights.
    caller: onBehalf({ ...actor, ...(createdBy ? { askedBy: createdBy._id } : {}) }, accountOf(actor)),
    right: kinds[kind].right,
    progress,
    at,
    signal,
    move,
    moveId,
    path: archivePath(services.config.dataDir, scope.spaceId, moveId),
    fileOwner: moveId,
    turn: {
      account: accountOf(actor) ?? createdBy?._id ?? `space ${scope.spaceId}`,
      bytes: move.fileSize,
    },
  })
}

/** Returns the size of the file. Throws `MoveFileIsGone`. */
async function requireFile(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new AppError('MoveFileIsGone', { cause: error })
  }
}

/**
 * Converts an export of another service to an archive in a separate process. Returns a refusal if it cannot be
 * converted.
 */
async function convert({ services, scope, move, path, turn, progress, signal }: MoveWork) {
  const { id, fileName, language = 'ja' } = move
  const folder = workPath(services.config.dataDir, scope.spaceId, id)
  const onProgress = (done: number, total: number | null) => progress(done, total)
  try {
    return await runUploadWork(
      'convert',
      { path, fileName, language, folder, settings: services.config.outgoing },
      { turn, progress: onProgress, signal },
    )
  } catch (error) {
    if (!isTooMuch(error)) throw error
    await rm(folder, { recursive: true, force: true })
    return tooComplex(error, fileName)
  }
}
