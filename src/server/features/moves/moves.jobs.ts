import { stat } from 'node:fs/promises'
import { z } from 'zod'
import { NotAnArchive } from '#archive/errors.ts'
import type { AnyManifest } from '#archive/manifest.ts'
import type { Signature } from '#archive/signature.ts'
import { openArchive } from '#archive/source.ts'
import { verifyArchive } from '#archive/verify.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { defineJob, type JobContext } from '#server/jobs/job.ts'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import { type AnyMovePlan, isCarried, type MoveRefusal } from '#shared/contract/moves.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { carriedRefusal, importCarried, planCarried } from './moves.carried.ts'
import { convertUpload } from './moves.convert.ts'
import { fetchArchive } from './moves.fetch.ts'
import { archivePath, removeOrphans, withArchive, workPath } from './moves.files.ts'
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
      if (!(await fetchArchive(ctx, { db, scope }, move))) {
        const refusal: MoveRefusal = { code: 'notFetched', items: [], count: 0 }
        await updateMove(db, scope, move.id, { state: 'refused', refusal })
        return
      }
      const path = await archiveOf(ctx, scope, move)
      const unread = await convert(ctx, scope, move, path)
      const { refusal, signature } = unread
        ? { refusal: unread, signature: null }
        : await findRefusal(path, ctx)
      if (refusal) {
        await updateMove(db, scope, move.id, { state: 'refused', refusal })
        return
      }
      const onProgress = (done: number, total: number) => ctx.progress(done, total)
      const plan = await withArchive(
        path,
        async (source, read): Promise<AnyMovePlan> =>
          read.of === 'app'
            ? planCarried(source, read.manifest, { db, scope, signature, onProgress })
            : planArchive(source, { db, scope, language: move.language, onProgress }),
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
      const importing = {
        db,
        scope,
        actor,
        storages,
        environment: { dataDir: config.dataDir, diskReserve: config.storage.diskReserve, signal },
        host: config,
        log,
        moveId: move.id,
        appId,
        progress,
        signal,
      }
      const workFolder = workPath(config.dataDir, scope.spaceId, move.id)
      await withArchive(await archiveOf(ctx, scope, move), async (source, read) => {
        const { manifest } = read
        if (read.of === 'app' && isCarried(plan))
          await importCarried(importing, { source, manifest: read.manifest }, plan)
        else if (read.of === 'contents' && !isCarried(plan))
          await importArchive({ ...importing, plan, source, manifest: read.manifest, workFolder })
        else throw new TypeError(`the plan is not of this archive (${manifest.formatVersion})`)
      })
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

/** Bytes that an archive may unpack to: these, and so many times its own. Texts are a tenth of themselves in a zip, bombs a thousandth. */
const unpacked = { atMost: 1024 ** 3, times: 100 }

class Bomb extends Error {}

/** Throws Bomb for an archive that says of itself that it is one: more than that is not unpacked. */
async function refuseBombs(path: string, files: AnyManifest['manifest']['files']): Promise<void> {
  const { size } = await stat(path)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  if (bytes > unpacked.atMost + unpacked.times * size) throw new Bomb()
}

/** What is wrong with an archive, undefined: nothing; and who signed it. */
async function findRefusal(
  path: string,
  { progress, signal }: Pick<JobContext, 'progress' | 'signal'>,
): Promise<{ refusal: MoveRefusal | undefined; signature: Signature | null }> {
  try {
    const { problems, found, signature } = await verifyArchive(path, {
      onManifest: ({ files }) => refuseBombs(path, files),
      onProgress: (done, total) => {
        signal.throwIfAborted()
        void progress(done, total).catch(() => {})
      },
    })
    const refusal =
      found > 0
        ? ({ code: 'damaged', items: problems.slice(0, mostItems), count: found } as const)
        : await withArchive(path, async (source, read) =>
            read.of === 'app' ? carriedRefusal(source, read.manifest) : undefined,
          )
    return { refusal, signature }
  } catch (error) {
    if (error instanceof Bomb) return { refusal: { code: 'tooLarge', items: [], count: 0 }, signature: null }
    if (!(error instanceof NotAnArchive)) throw error
    return { refusal: { code: refusals[error.reason], items: [], count: 0 }, signature: null }
  }
}
