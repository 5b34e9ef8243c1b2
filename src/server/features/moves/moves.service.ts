import { accountOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { OwnTransactions, SpaceContext } from '#server/access/context.ts'
import type { UploadEnvironment } from '#server/features/assets/asset-imports.service.ts'
import {
  dropUpload,
  keepBytes,
  signOwnUpload,
  takeUpload,
  uploadedBytes,
} from '#server/features/assets/signed-uploads.service.ts'
import { stopJob } from '#server/features/jobs/jobs.service.ts'
import { deleteProgress } from '#server/features/portable-apps/portable-apps.service.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import type { Job } from '#server/jobs/job.ts'
import { newId } from '#server/lib/ids.ts'
import type { FilePart } from '#shared/contract/endpoint.ts'
import {
  type AnyMovePlan,
  type AppChoices,
  type CarriedCorrections,
  largestSent,
  type MoveCorrections,
  moveProblems,
  type StoredMoveState,
} from '#shared/contract/moves.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { can } from '#shared/permissions.ts'
import {
  acceptParts,
  chooseApps,
  listApps,
  type MoveApps,
  openApp,
  removeParts,
  startParts,
} from './moves.apps.ts'
import { withAppClash } from './moves.clashes.ts'
import { corrected } from './moves.corrections.ts'
import { archivePath, makeMovesFolder, removeFiles } from './moves.files.ts'
import { checkMoveJob, importMoveJob, type MovePayload, undoMoveJob } from './moves.jobs.ts'
import type { MoveRow } from './moves.repository.ts'
import * as moves from './moves.repository.ts'
import { removeApp } from './moves.undo.ts'
import { appToUpdate, checkMayUpdate, refuseWhileUpdated } from './moves.updates.service.ts'

export type { MoveRow } from './moves.repository.ts'

/** A move with the bytes of its archive that have come. */
export type MoveView = MoveRow & { received: number }

const archiveType = 'application/zip'

/** Throws 404. */
async function requireMove(ctx: SpaceContext, id: string): Promise<MoveRow> {
  const move = idPattern.test(id) ? await moves.findMove(ctx.db, ctx.scope, id) : null
  if (!move) throw new AppError('NotFound')
  return move
}

/** Locks a move that is in one of these states. Throws 404, 409 `MoveIsNotReady`: also for a part, which goes the way of the whole. */
async function lockIn(ctx: SpaceContext, id: string, states: readonly StoredMoveState[]): Promise<MoveRow> {
  const move = idPattern.test(id) ? await moves.lockMove(ctx.db, ctx.scope, id) : null
  if (!move) throw new AppError('NotFound')
  noteAudit(ctx, { objectId: move.id, objectName: move.fileName })
  if (!states.includes(move.state) || move.partOf !== null)
    throw new AppError('MoveIsNotReady', { details: { state: move.state } })
  return move
}

const uploadOf = (ctx: SpaceContext, { id, fileSize }: Pick<MoveRow, 'id' | 'fileSize'>) => ({
  space: ctx.scope.spaceId,
  id,
  type: archiveType,
  size: fileSize,
})

async function view(ctx: SpaceContext, dataDir: string, move: MoveRow): Promise<MoveView> {
  const received =
    move.state === 'uploading' ? await uploadedBytes(dataDir, uploadOf(ctx, move)) : move.fileSize
  return { ...move, received }
}

/** What moves, or has moved, into the space, the newest first. */
export async function listMoves(ctx: SpaceContext, dataDir: string): Promise<MoveView[]> {
  const found = await moves.listMoves(ctx.db, ctx.scope)
  return Promise.all(found.map((move) => view(ctx, dataDir, move)))
}

/** Throws 404. */
export async function getMove(ctx: SpaceContext, dataDir: string, id: string): Promise<MoveView> {
  return view(ctx, dataDir, await requireMove(ctx, id))
}

/** Begins a move of an archive that is to be sent; `updates`: for the app of that move. Throws 403, 404, 409 for one that cannot be. */
export async function createMove(
  ctx: SpaceContext,
  dataDir: string,
  { fileName, fileSize, updates }: { fileName: string; fileSize: number; updates?: string },
): Promise<MoveView> {
  const id = newId()
  const target = updates === undefined ? {} : { updates: await appToUpdate(ctx, updates) }
  const createdBy = accountOf(ctx.actor)
  await moves.insertMove(ctx.db, ctx.scope, { id, fileName, fileSize, createdBy, ...target })
  return getMove(ctx, dataDir, id)
}

/** Begins a move of an archive that a job fetches from a public address. */
export async function fetchMove(ctx: SpaceContext, dataDir: string, importUrl: string): Promise<MoveView> {
  const id = newId()
  const last = new URL(importUrl).pathname.split('/').findLast(Boolean) ?? ''
  const fileName = last.slice(0, 255) || new URL(importUrl).hostname
  const createdBy = accountOf(ctx.actor)
  await moves.insertMove(ctx.db, ctx.scope, { id, fileName, fileSize: 0, createdBy, importUrl })
  await run(ctx, checkMoveJob, id, { state: 'checking' })
  noteAudit(ctx, { objectId: id, objectName: fileName })
  return getMove(ctx, dataDir, id)
}

/** Begins a move of the archive that is the only file of a body. Throws 400 when there is none, 413, 507. */
export async function receiveMove(
  ctx: Pick<OwnTransactions<SpaceContext>, 'inSpace' | 'actor'>,
  environment: UploadEnvironment,
  files: AsyncIterable<FilePart>,
): Promise<MoveView> {
  const { dataDir } = environment
  const id = newId()
  const spaceId = await ctx.inSpace(async ({ scope }) => scope.spaceId)
  const path = archivePath(dataDir, spaceId, id)
  await makeMovesFolder(dataDir)
  let arrived: { fileName: string; fileSize: number } | undefined
  for await (const { fileName, bytes } of files)
    arrived = {
      fileName: fileName.slice(0, 255) || 'archive.zip',
      fileSize: await keepBytes(environment, bytes, largestSent, path),
    }
  if (!arrived) throw invalid('file', 'Required')
  const received = arrived
  return ctx.inSpace(async (inside) => {
    const createdBy = accountOf(ctx.actor)
    await moves.insertMove(inside.db, inside.scope, { id, ...received, createdBy })
    await run(inside, checkMoveJob, id, { state: 'checking' })
    noteAudit(inside, { objectId: id, objectName: received.fileName })
    return getMove(inside, dataDir, id)
  })
}

/** Where the archive is to be PUT, or the rest of it. Throws 404, 409 when it has come. */
export async function signUpload(
  ctx: SpaceContext,
  { dataDir, key }: { dataDir: string; key: string },
  id: string,
) {
  const move = await requireMove(ctx, id)
  if (move.state !== 'uploading') throw new AppError('UploadIsFinished')
  const upload = uploadOf(ctx, move)
  const { url, expiresAt } = signOwnUpload(key, upload)
  const received = await uploadedBytes(dataDir, upload)
  return { url, expiresAt, received, headers: { 'content-type': archiveType } }
}

/** The archive has come: it is looked at. Asked for again, nothing more happens. Throws 404, 409 when some of it is missing. */
export async function confirmUpload(ctx: SpaceContext, dataDir: string, id: string): Promise<MoveView> {
  const move = await lockIn(ctx, id, ['uploading', 'checking', 'refused', 'planned'])
  if (move.state === 'uploading') {
    await makeMovesFolder(dataDir)
    await takeUpload(dataDir, uploadOf(ctx, move), archivePath(dataDir, ctx.scope.spaceId, id))
    await run(ctx, checkMoveJob, id, { state: 'checking' })
  }
  return getMove(ctx, dataDir, id)
}

const startable: readonly StoredMoveState[] = ['planned', 'undone']
const forgettable: readonly StoredMoveState[] = ['uploading', 'refused', 'planned', 'accepted', 'undone']

/** The plan; of what can be started, with what is in its way now. Throws 404, also for a move that has no plan (yet). */
export async function getPlan(ctx: SpaceContext, id: string): Promise<AnyMovePlan> {
  const { state } = await requireMove(ctx, id)
  const plan = await moves.findPlan(ctx.db, ctx.scope, id)
  // That of several apps is the plans of these.
  if (!plan) throw new AppError('NotFound')
  return startable.includes(state) ? withAppClash(ctx.db, ctx.scope, plan) : plan
}

/** Takes corrections into the plan. Throws 400 naming each that cannot be, 404, 409. */
export async function correctPlan(
  ctx: SpaceContext,
  id: string,
  corrections: MoveCorrections | CarriedCorrections,
): Promise<AnyMovePlan> {
  const { partOf } = await requireMove(ctx, id)
  await lockIn(ctx, partOf ?? id, startable)
  const plan = await withAppClash(ctx.db, ctx.scope, corrected(await getPlan(ctx, id), corrections))
  await moves.updateMove(ctx.db, ctx.scope, id, { plan })
  return plan
}

/** Makes the app and its models, and asks for everything else. Throws 400, 403, 404, 409 `MovePlanHasProblems`. */
export async function startMove(ctx: SpaceContext, dataDir: string, id: string): Promise<MoveView> {
  if (!can(ctx.grants, 'asset.write.own')) throw new AppError('Forbidden')
  const { updates, appId: updated, apps } = await lockIn(ctx, id, startable)
  const path = archivePath(dataDir, ctx.scope.spaceId, id)
  const begun = { report: null, startedAt: new Date(), finishedAt: null }
  if (updates !== null || apps.length > 0) {
    if (updates !== null) await checkMayUpdate(ctx, updated ?? 0)
    else await startParts(ctx, path, id, begun)
    await run(ctx, importMoveJob, id, { state: 'importing', ...begun })
    return getMove(ctx, dataDir, id)
  }
  const plan = await getPlan(ctx, id)
  const problem = plan.problems.find(({ code }) => moveProblems[code] === 'stops')
  if (problem) throw new AppError('MovePlanHasProblems', { details: { problem: problem.code } })
  const appId = await openApp(ctx, path, { id, plan })
  await run(ctx, importMoveJob, id, { state: 'importing', appId, ...begun })
  return getMove(ctx, dataDir, id)
}

/** The apps of a move of several, as they are planned. Throws 404. */
export async function getApps(ctx: SpaceContext, id: string): Promise<MoveApps> {
  const { state } = await requireMove(ctx, id)
  return listApps(ctx, id, startable.includes(state))
}

/** Takes along the apps that are chosen, under their names. Throws 400, 404, 409. */
export async function updateApps(ctx: SpaceContext, id: string, choices: AppChoices): Promise<MoveApps> {
  await lockIn(ctx, id, startable)
  await chooseApps(ctx, id, choices)
  return listApps(ctx, id, true)
}

const jobOf: Partial<Record<StoredMoveState, Job<MovePayload>>> = {
  checking: checkMoveJob,
  importing: importMoveJob,
  undoing: undoMoveJob,
}

/** Writes what becomes of the move, and asks for the job that does it. */
async function run(
  ctx: SpaceContext,
  job: Job<MovePayload>,
  id: string,
  changes: moves.MoveChanges = {},
): Promise<void> {
  const jobId = await enqueue(
    ctx.db,
    job,
    { moveId: id },
    { scope: ctx.scope, requestedBy: accountOf(ctx.actor) },
  )
  await moves.updateMove(ctx.db, ctx.scope, id, { ...changes, jobId })
}

/** Stops the job at its next step. Throws 404, 409. */
export async function cancelMove(ctx: SpaceContext, dataDir: string, id: string): Promise<MoveView> {
  const { jobId } = await lockIn(ctx, id, ['checking', 'importing', 'undoing'])
  if (jobId) await stopJob(ctx, jobId)
  return getMove(ctx, dataDir, id)
}

/** Goes on with what has stopped. Throws 404, 409. */
export async function retryMove(ctx: SpaceContext, dataDir: string, id: string): Promise<MoveView> {
  const { state, stopped } = await lockIn(ctx, id, ['checking', 'importing', 'undoing'])
  const job = jobOf[state]
  if (job && stopped) await run(ctx, job, id)
  return getMove(ctx, dataDir, id)
}

/** The move, and those of its apps where it has several. */
const withApps = ({ id, apps }: MoveRow): string[] => [id, ...apps.map(({ _id }) => _id)]

/** Takes back what the move made: the app is gone at once, the rest follows. Throws 404, 409 also while the import is at work. */
export async function undoMove(ctx: SpaceContext, dataDir: string, id: string): Promise<MoveView> {
  const move = await lockIn(ctx, id, ['importing', 'imported'])
  // What an update has brought is taken back document by document.
  if (move.updates !== null || (move.state === 'importing' && !move.stopped))
    throw new AppError('MoveIsNotReady', { details: { state: move.state } })
  for (const one of withApps(move)) await refuseWhileUpdated(ctx, one)
  if (move.appId !== null) await removeApp(ctx, move.appId)
  await removeParts(ctx, id)
  await run(ctx, undoMoveJob, id, { state: 'undoing' })
  return getMove(ctx, dataDir, id)
}

/** From now on it cannot be undone; the archive goes. Throws 404, 409. */
export async function acceptMove(ctx: SpaceContext, dataDir: string, id: string): Promise<MoveView> {
  await lockIn(ctx, id, ['imported'])
  await moves.updateMove(ctx.db, ctx.scope, id, { state: 'accepted' })
  await acceptParts(ctx, id)
  await deleteProgress(ctx.db, ctx.scope, id)
  await removeFiles(dataDir, ctx.scope.spaceId, id)
  return getMove(ctx, dataDir, id)
}

/** Throws 404, 409 while something of it is under way, or imported and not accepted. */
export async function deleteMove(ctx: SpaceContext, dataDir: string, id: string): Promise<void> {
  const move = await lockIn(ctx, id, [...forgettable, 'checking', 'importing'])
  const isIdle = forgettable.includes(move.state) || move.stopped !== null
  // What an import has made so far is taken back, not forgotten; what an update has brought so far stays.
  if (!isIdle || (move.state === 'importing' && move.updates === null))
    throw new AppError('MoveIsNotReady', { details: { state: move.state } })
  for (const one of withApps(move)) {
    await refuseWhileUpdated(ctx, one)
    await deleteProgress(ctx.db, ctx.scope, one)
  }
  await moves.deleteMove(ctx.db, ctx.scope, id)
  await dropUpload(dataDir, { space: ctx.scope.spaceId, id })
  await removeFiles(dataDir, ctx.scope.spaceId, id)
}
