import { z } from 'zod'
import { NotAnArchive } from '#archive/errors.ts'
import type { Manifest } from '#archive/format.ts'
import { readManifest } from '#archive/manifest.ts'
import { type ArchiveSource, openArchive } from '#archive/source.ts'
import { verifyArchive } from '#archive/verify.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { defineJob, type JobContext } from '#server/jobs/job.ts'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import type { MoveRefusal } from '#shared/contract/moves.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { convertUpload } from './moves.convert.ts'
import { archivePath, removeOrphans, workPath } from './moves.files.ts'
import { importArchive } from './moves.import.ts'
import { planArchive } from './moves.plan.ts'
import { findMove, findMoveIds, findPlan, type MoveRow, updateMove } from './moves.repository.ts'
import { undo } from './moves.undo.ts'

const payload = z.object({ moveId: z.string().regex(idPattern) })
export type MovePayload = typeof payload

const options = {
  payload,
  // Two runs of one move would be in each other's way.
  concurrencyKey: ({ moveId }: z.output<MovePayload>) => `move ${moveId}`,
}

/** Opens what has come, makes an archive of it where it is none, looks at every file of that, and makes the plan. */
export const checkMoveJob = defineJob({
  name: 'moves.check',
  ...options,
  handler: (ctx) =>
    withMove(ctx, 'checking', async ({ db, scope }, move) => {
      const path = await archiveOf(ctx, scope, move)
      const refusal = (await convert(ctx, scope, move, path)) ?? (await findRefusal(path, ctx))
      if (refusal) {
        await updateMove(db, scope, move.id, { state: 'refused', refusal })
        return
      }
      const plan = await withArchive(path, (source) =>
        planArchive(source, {
          db,
          scope,
          language: move.language,
          onProgress: (done, total) => ctx.progress(done, total),
        }),
      )
      await updateMove(db, scope, move.id, { state: 'planned', plan })
    }),
})

/** Imports what the plan says. A run that was cut off is repeated and goes on from where it was. */
export const importMoveJob = defineJob({
  name: 'moves.import',
  ...options,
  handler: (ctx) =>
    withMove(ctx, 'importing', async ({ db, scope }, move) => {
      const plan = await findPlan(db, scope, move.id)
      if (!plan || move.appId === null) return
      const { appId } = move
      const { config, storages, progress, signal, log } = ctx
      const actor = { ...ctx.actor, ...(move.createdBy ? { askedBy: move.createdBy._id } : {}) }
      await withArchive(await archiveOf(ctx, scope, move), (source, manifest) =>
        importArchive({
          db,
          scope,
          actor,
          storages,
          environment: { dataDir: config.dataDir, diskReserve: config.storage.diskReserve, signal },
          host: config,
          log,
          moveId: move.id,
          appId,
          plan,
          source,
          manifest,
          workFolder: workPath(config.dataDir, scope.spaceId, move.id),
          progress,
          signal,
        }),
      )
    }),
})

/** Removes what a move made, after its app is gone. */
export const undoMoveJob = defineJob({
  name: 'moves.undo',
  ...options,
  handler: (ctx) => withMove(ctx, 'undoing', ({ db, scope }, move) => undo(db, scope, move.id, ctx.progress)),
})

/** Archives whose moves are gone leave the disk. */
export const cleanUpMovesJob = defineJob({
  name: 'moves.cleanUp',
  payload: z.object({}),
  handler: async ({ db, config, progress }) => {
    await progress(await removeOrphans(config.dataDir, (ids) => findMoveIds(db, ids)))
  },
})

/** Does what is to be done in that state; a run that comes after its end has nothing to do. */
async function withMove(
  { db, scope, payload: { moveId } }: JobContext<z.output<MovePayload>>,
  state: MoveRow['state'],
  work: (around: { db: Db; scope: SpaceScope }, move: MoveRow) => Promise<void>,
): Promise<void> {
  const move = scope && (await findMove(db, scope, moveId))
  if (scope && move?.state === state) await work({ db, scope }, move)
}

/** Throws `MoveFileIsGone`. */
async function archiveOf({ config }: Pick<JobContext, 'config'>, { spaceId }: SpaceScope, { id }: MoveRow) {
  const path = archivePath(config.dataDir, spaceId, id)
  const source = await openArchive(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new AppError('MoveFileIsGone', { cause: error })
    return undefined
  })
  source?.close()
  return path
}

async function withArchive<T>(
  path: string,
  work: (source: ArchiveSource, manifest: Manifest) => Promise<T>,
): Promise<T> {
  const source = await openArchive(path)
  try {
    return await work(source, await readManifest(source, path))
  } finally {
    source.close()
  }
}

/** What is no archive becomes one. */
async function convert(
  { config, progress, signal }: Pick<JobContext, 'config' | 'progress' | 'signal'>,
  { spaceId }: SpaceScope,
  { id, fileName, language = 'ja' }: MoveRow,
  path: string,
) {
  const folder = workPath(config.dataDir, spaceId, id)
  const outgoing = createOutgoingHttp()
  try {
    return await convertUpload({ path, fileName, language, folder, progress, signal, outgoing })
  } finally {
    await outgoing.close()
  }
}

const mostItems = 100
const refusals = {
  unopenable_file: 'cutShort',
  not_finished: 'notFinished',
  newer: 'newerFormat',
  other: 'notAnArchive',
} as const

/** What is wrong with an archive; undefined: nothing. */
async function findRefusal(
  path: string,
  { progress, signal }: Pick<JobContext, 'progress' | 'signal'>,
): Promise<MoveRefusal | undefined> {
  try {
    const { problems, found } = await verifyArchive(path, (done, total) => {
      signal.throwIfAborted()
      void progress(done, total).catch(() => {})
    })
    if (found === 0) return undefined
    return { code: 'damaged', items: problems.slice(0, mostItems), count: found }
  } catch (error) {
    if (!(error instanceof NotAnArchive)) throw error
    return { code: refusals[error.reason], items: [], count: 0 }
  }
}
