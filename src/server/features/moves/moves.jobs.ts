import { rm } from 'node:fs/promises'
import { z } from 'zod'
import { archivesIn } from '#archive/several.ts'
import { openArchive } from '#archive/source.ts'
import { accountOf } from '#server/access/actor.ts'
import { onBehalf } from '#server/access/enter.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { modelsByUid } from '#server/features/models/models.service.ts'
import { inApp } from '#server/features/portable-apps/portable-apps.service.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { defineJob, type JobContext } from '#server/jobs/job.ts'
import { type AnyMovePlan, isCarried } from '#shared/contract/move-plans.ts'
import type { MoveRefusal } from '#shared/contract/moves.ts'
import { AppError } from '#shared/errors.ts'
import { apart, isTooMuch, kindOf } from './moves.apart.ts'
import { checkParts, type ImportingMove, importParts, membersIn, planMembers } from './moves.apps.jobs.ts'
import { listAppParts } from './moves.apps.repository.ts'
import { importCarried } from './moves.carried.ts'
import { findRefusal, planChecked, Unplannable } from './moves.check.ts'
import { fetchArchive } from './moves.fetch.ts'
import { archivePath, removeFiles, removeOrphans, withArchive, workPath } from './moves.files.ts'
import { importArchive } from './moves.import.ts'
import { findMove, findMoveIds, findPlan, type MoveRow, updateMove } from './moves.repository.ts'
import { type MovePayload, movePayload } from './moves.states.ts'
import { undo } from './moves.undo.ts'
import { findImport, findUpdate, runUpdate } from './moves.update-run.ts'
import { requireMayGoOnWith } from './moves.updates.service.ts'

const options = {
  payload: movePayload,
  requireMayRunAgain: requireMayGoOnWith,
  // Two runs of one move would be in each other's way.
  concurrencyKey: ({ moveId }: z.output<MovePayload>) => `move ${moveId}`,
}

/** Opens what has come, makes an archive of it where it is none, looks at every file of that, and makes the plan. */
export const checkMoveJob = defineJob({
  name: 'moves.check',
  isLong: true,
  ...options,
  handler: (ctx) =>
    withMove(ctx, 'checking', async ({ db, scope }, move) => {
      if (!(await fetchArchive(ctx, { db, scope }, move))) {
        const refusal: MoveRefusal = { code: 'notFetched', items: [], count: 0 }
        await updateMove(db, scope, move.id, { state: 'refused', refusal })
        return
      }
      const path = await archiveOf(ctx, scope, move)
      const parts = await archivesIn(path)
      const update = updateOf(move)
      if (parts.length > 1 && !update) {
        await checkParts(ctx, { db, scope, move, path, parts })
        return
      }
      const unread = parts.length > 1 ? null : await convert(ctx, scope, move, path)
      if (update && !unread) {
        const importing = importingOf(ctx, { db, scope }, move, path)
        const isImport = update.originId === move.id
        const changes = await (isImport ? findImport : findUpdate)(importing, update)
        await updateMove(db, scope, move.id, changes)
        if (isImport && changes.state === 'planned') await fillAtOnce(ctx, { db, scope }, move)
        if (changes.state === 'accepted')
          await removeFiles(ctx.services.config.dataDir, scope.spaceId, move.id)
        return
      }
      const { refusal, signature } = unread
        ? { refusal: unread, signature: null }
        : await findRefusal({ path }, ctx)
      if (refusal) {
        await updateMove(db, scope, move.id, { state: 'refused', refusal })
        return
      }
      const members = await membersIn(path)
      if (members.length > 0) {
        await planMembers(ctx, { db, scope, move, path, parts: members }, signature)
        return
      }
      const { language, fileName } = move
      const { progress: onProgress, signal, at } = ctx
      const around = { db, scope, fileName, language, signature, signal, onProgress, at }
      const plan = await planChecked({ path }, around)
      await updateMove(db, scope, move.id, { state: 'planned', plan })
    }),
})

/** Imports what the plan says. A run that was cut off is repeated and goes on from where it was. */
export const importMoveJob = defineJob({
  name: 'moves.import',
  isLong: true,
  ...options,
  handler: (ctx) =>
    withMove(ctx, 'importing', async ({ db, scope }, move) => {
      const { appId } = move
      const importing = importingOf(ctx, { db, scope }, move, await archiveOf(ctx, scope, move))
      const update = updateOf(move)
      if (update) await runUpdate(importing, update)
      else if (move.apps.length > 0) await importParts(importing, importApp)
      else {
        const plan = await findPlan(db, scope, move.id)
        if (plan && appId !== null) await importApp(importing, { id: move.id, appId, plan })
      }
    }),
})

/** What was asked for by its address alone goes into an app without models as it is: there is nothing to be decided. */
async function fillAtOnce(
  { services, actor }: Pick<JobContext, 'services' | 'actor'>,
  { db, scope }: { db: Db; scope: SpaceScope },
  { id, appId, importUrl, createdBy }: MoveRow,
): Promise<void> {
  if (importUrl === null || appId === null) return
  const place = { db, services, scope, caller: onBehalf(actor), right: 'app.manage' as const, appId }
  await inApp(place, async (app) => {
    if ((await modelsByUid(app)).size > 0) return
    const asked = { scope, requestedBy: createdBy?._id ?? null }
    const jobId = await enqueue(app.db, importMoveJob, { moveId: id }, asked)
    await updateMove(app.db, scope, id, { state: 'importing', startedAt: new Date(), jobId })
  })
}

const updateOf = ({ updates, appId }: MoveRow) =>
  updates === null || appId === null ? undefined : { originId: updates, appId }

/** What a job works with that brings what a move has. */
function importingOf(
  { actor, services, progress, at, signal }: JobContext,
  { db, scope }: { db: Db; scope: SpaceScope },
  { id, createdBy, updates }: MoveRow,
  path: string,
): ImportingMove {
  return {
    db,
    scope,
    services,
    // What it makes belongs to whose move it is; the rights that count are those of who had it run.
    caller: onBehalf({ ...actor, ...(createdBy ? { askedBy: createdBy._id } : {}) }, accountOf(actor)),
    right: updates === null ? 'app.manage' : 'document.write.any',
    progress,
    at,
    signal,
    moveId: id,
    path,
    fileOwner: id,
  }
}

/** Imports what is not there yet of one app: of an archive, or of a part of it. */
async function importApp(
  importing: ImportingMove,
  { id, appId, plan, part }: { id: string; appId: number; plan: AnyMovePlan; part?: string },
): Promise<void> {
  const { services, scope, path } = importing
  const own = { ...importing, moveId: id, appId }
  const workFolder = workPath(services.config.dataDir, scope.spaceId, id)
  await withArchive(
    path,
    async (source, read) => {
      const { manifest } = read
      if (read.of === 'app' && isCarried(plan))
        await importCarried(own, { source, manifest: read.manifest }, plan)
      else if (read.of === 'contents' && !isCarried(plan))
        await importArchive({ ...own, plan, source, manifest: read.manifest, workFolder })
      else throw new TypeError(`the plan is not of this archive (${manifest.formatVersion})`)
    },
    part,
  )
}

/** Removes what a move made, after its app is gone. */
export const undoMoveJob = defineJob({
  name: 'moves.undo',
  isLong: true,
  ...options,
  handler: (ctx) =>
    withMove(ctx, 'undoing', async ({ db, scope }, move) => {
      const parts = await listAppParts(db, scope, move.id)
      const ids = parts.filter(({ state }) => state === 'undoing').map(({ id }) => id)
      await undo(db, scope, [...ids, move.id], ctx.progress)
    }),
})

/** Archives whose moves are gone leave the disk. */
export const cleanUpMovesJob = defineJob({
  name: 'moves.cleanUp',
  isLong: true,
  payload: z.object({}),
  handler: async ({ db, services, progress }) => {
    await progress(await removeOrphans(services.config.dataDir, (ids) => findMoveIds(db, ids)))
  },
})

/** Does what is to be done in that state; a run that comes after its end has nothing to do. */
async function withMove(
  { db, scope, payload: { moveId } }: JobContext<z.output<MovePayload>>,
  state: MoveRow['state'],
  work: (around: { db: Db; scope: SpaceScope }, move: MoveRow) => Promise<void>,
): Promise<void> {
  const move = scope && (await findMove(db, scope, moveId))
  if (!scope || move?.state !== state) return
  try {
    await work({ db, scope }, move)
  } catch (error) {
    if (!(error instanceof Unplannable)) throw error
    await updateMove(db, scope, move.id, { state: 'refused', refusal: error.refusal })
  }
}

/** Throws `MoveFileIsGone`. */
async function archiveOf(
  { services }: Pick<JobContext, 'services'>,
  { spaceId }: SpaceScope,
  { id }: MoveRow,
) {
  const path = archivePath(services.config.dataDir, spaceId, id)
  const source = await openArchive(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new AppError('MoveFileIsGone', { cause: error })
    return undefined
  })
  source?.close()
  return path
}

/** What is no archive becomes one, in a thread. */
async function convert(
  { services, progress, signal }: Pick<JobContext, 'services' | 'progress' | 'signal'>,
  { spaceId }: SpaceScope,
  { id, fileName, language = 'ja' }: MoveRow,
  path: string,
): Promise<MoveRefusal | undefined> {
  const folder = workPath(services.config.dataDir, spaceId, id)
  try {
    return await apart('convert', { path, fileName, language, folder }, { progress, signal })
  } catch (error) {
    if (!isTooMuch(error)) throw error
    await rm(folder, { recursive: true, force: true })
    return { code: 'tooComplex', items: [{ kind: kindOf(error), what: fileName }], count: 1 }
  }
}
