import { accountOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { AppContext, OwnTransactions, SpaceContext } from '#server/access/context.ts'
import {
  keepBytes,
  signOwnUpload,
  takeUpload,
  uploadedBytes,
} from '#server/features/assets/signed-uploads.service.ts'
import { newId } from '#server/lib/ids.ts'
import type { FilePart } from '#shared/contract/endpoint.ts'
import { largestSent } from '#shared/contract/moves.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { can } from '#shared/permissions.ts'
import { archivePath, makeMovesFolder } from './moves.files.ts'
import { checkMoveJob } from './moves.jobs.ts'
import * as moves from './moves.repository.ts'
import {
  archiveType,
  changedMove,
  lockIn,
  type MoveView,
  requireMove,
  requireRoom,
  run,
  uploadOf,
} from './moves.states.ts'
import { appToUpdate } from './moves.updates.service.ts'

/** An import into the app that the call is about: a move that updates what it brings itself. Throws 403. */
function into(ctx: AppContext, id: string) {
  if (!can(ctx.grants, 'asset.write.own')) throw new AppError('Forbidden')
  return { updates: { id, appId: ctx.scope.appId } }
}

/** Begins an import of a file that is to be sent. Throws 403. */
export async function beginImport(
  ctx: AppContext,
  file: { fileName: string; fileSize: number },
): Promise<MoveView> {
  const id = newId()
  const createdBy = accountOf(ctx.actor)
  await moves.insertMove(ctx.db, ctx.scope, { id, ...file, createdBy, ...into(ctx, id) })
  return changedMove(ctx, id)
}

/** Begins a move of an archive that is to be sent; `updates`: for the app of that move. Throws 403, 404, 409 for one that cannot be. */
export async function createMove(
  ctx: SpaceContext,
  { fileName, fileSize, updates }: { fileName: string; fileSize: number; updates?: string },
): Promise<MoveView> {
  const id = newId()
  const target = updates === undefined ? {} : { updates: await appToUpdate(ctx, updates) }
  const createdBy = accountOf(ctx.actor)
  await moves.insertMove(ctx.db, ctx.scope, { id, fileName, fileSize, createdBy, ...target })
  return changedMove(ctx, id)
}

/** Begins an import of a file that a job fetches from a public address. Throws 403, 429 `TooManyMoves`. */
export async function fetchImport(ctx: AppContext, importUrl: string): Promise<MoveView> {
  await requireRoom(ctx)
  const id = newId()
  const last = new URL(importUrl).pathname.split('/').findLast(Boolean) ?? ''
  const fileName = last.slice(0, 255) || new URL(importUrl).hostname
  const createdBy = accountOf(ctx.actor)
  await moves.insertMove(ctx.db, ctx.scope, {
    id,
    fileName,
    fileSize: 0,
    createdBy,
    importUrl,
    ...into(ctx, id),
  })
  await run(ctx, checkMoveJob, id, { state: 'checking' })
  noteAudit(ctx, { objectId: id, objectName: fileName })
  return changedMove(ctx, id)
}

/** Begins an import of the only file of a body. Throws 400 when there is none, 403, 413, 429 `TooManyMoves`, 507. */
export async function receiveImport(
  ctx: OwnTransactions<AppContext>,
  files: AsyncIterable<FilePart>,
): Promise<MoveView> {
  const id = newId()
  const spaceId = await ctx.inSpace(async (inside) => {
    into(inside, id)
    await requireRoom(inside)
    return inside.scope.spaceId
  })
  const path = archivePath(ctx.services.config.dataDir, spaceId, id)
  await makeMovesFolder(ctx.services.config.dataDir)
  let arrived: { fileName: string; fileSize: number } | undefined
  for await (const { fileName, bytes } of files)
    arrived = {
      fileName: fileName.slice(0, 255) || 'archive.zip',
      fileSize: await keepBytes(ctx, bytes, largestSent, path),
    }
  if (!arrived) throw invalid('file', 'Required')
  const received = arrived
  return ctx.inSpace(async (inside) => {
    await requireRoom(inside)
    const createdBy = accountOf(ctx.actor)
    await moves.insertMove(inside.db, inside.scope, { id, ...received, createdBy, ...into(inside, id) })
    await run(inside, checkMoveJob, id, { state: 'checking' })
    noteAudit(inside, { objectId: id, objectName: received.fileName })
    return changedMove(inside, id)
  })
}

/** Where the archive is to be PUT, or the rest of it. Throws 404, 409 when it has come. */
export async function signUpload(ctx: SpaceContext, id: string) {
  const move = await requireMove(ctx, id)
  if (move.state !== 'uploading') throw new AppError('UploadIsFinished')
  const upload = uploadOf(ctx, move)
  const { url, expiresAt } = signOwnUpload(ctx.services.secrets.sessionKey, upload)
  const received = await uploadedBytes(ctx.services.config.dataDir, upload)
  return { url, expiresAt, received, headers: { 'content-type': archiveType } }
}

/** The archive has come: it is looked at. Asked for again, nothing more happens. Throws 404, 409 when some of it is missing, 429 `TooManyMoves`. */
export async function confirmUpload(ctx: SpaceContext, id: string): Promise<MoveView> {
  const move = await lockIn(ctx, id, ['uploading', 'checking', 'refused', 'planned'])
  if (move.state === 'uploading') {
    await requireRoom(ctx)
    await makeMovesFolder(ctx.services.config.dataDir)
    await takeUpload(
      ctx.services.config.dataDir,
      uploadOf(ctx, move),
      archivePath(ctx.services.config.dataDir, ctx.scope.spaceId, id),
    )
    await run(ctx, checkMoveJob, id, { state: 'checking' })
  }
  return changedMove(ctx, id)
}
