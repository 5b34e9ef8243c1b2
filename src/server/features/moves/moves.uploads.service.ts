import { accountOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { AppContext, OwnTransactions, SpaceContext } from '#server/access/context.ts'
import {
  keepBytes,
  signOwnUpload,
  takeUpload,
  uploadedBytes,
} from '#server/features/assets/signed-uploads.service.ts'
import { modelsByUid } from '#server/features/models/models.service.ts'
import { newId } from '#server/lib/ids.ts'
import type { FilePart } from '#shared/contract/endpoint.ts'
import { largestSent } from '#shared/contract/moves.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { can } from '#shared/permissions.ts'
import { shownName } from '#shared/unicode.ts'
import { archivePath, makeMovesFolder, removeFiles } from './archive/archive-files.ts'
import { checkMoveJob } from './moves.jobs.ts'
import * as moves from './store/moves.repository.ts'
import {
  archiveType,
  changedMove,
  lockIn,
  type MoveView,
  requireArchiveRoom,
  requireMove,
  requireRoom,
  run,
  uploadOf,
} from './store/open-move.ts'
import { appToUpdate, checkMayUpdate } from './update/updates.service.ts'

/**
 * Throws 403 if the caller may not read and write every document of the app, or may not create models in an app without
 * models.
 */
async function requireToImport(ctx: AppContext): Promise<void> {
  await checkMayUpdate(ctx, ctx.scope.appId)
  if (can(ctx.grants, 'model.manage')) return
  if ((await modelsByUid(ctx)).size === 0) throw new AppError('Forbidden')
}

/** Adds an import into the app. Throws 403, 409 `TooManyArchives`. */
async function insertImport(
  ctx: AppContext,
  id: string,
  file: { fileName: string; fileSize: number; importUrl?: string },
): Promise<void> {
  await requireToImport(ctx)
  const createdBy = accountOf(ctx.actor)
  await requireArchiveRoom(ctx, createdBy, file.fileSize)
  const { appId } = ctx.scope
  const fileName = shownFileName(file.fileName)
  const values = { ...file, fileName, createdBy, updates: id, appId }
  await moves.insertMove(ctx.db, ctx.scope, { id, kind: 'import', ...values })
}

/** Returns the name of an uploaded file in a form that lists and the audit log can show. */
const shownFileName = (fileName: string) => shownName(fileName, 'archive.zip')

/** Enqueues the check of a file that is on disk, or that the job fetches. */
async function beginCheck(
  ctx: AppContext,
  { id, fileName, fileSize }: Pick<MoveView, 'id' | 'fileName' | 'fileSize'>,
): Promise<MoveView> {
  await run(ctx, checkMoveJob, { id, fileSize }, { state: 'checking' })
  noteAudit(ctx, { objectId: id, objectName: shownFileName(fileName) })
  return changedMove(ctx, id)
}

/** Starts an import whose file is uploaded next. Throws 403, 409 `TooManyArchives`. */
export async function beginImport(
  ctx: AppContext,
  file: { fileName: string; fileSize: number },
): Promise<MoveView> {
  const id = newId()
  await insertImport(ctx, id, file)
  return changedMove(ctx, id)
}

/**
 * Starts a move whose file is uploaded next. With `updates`, starts an update of that move. Throws 403, 404, 409
 * `TooManyArchives`, and 409 `MoveIsNotReady` for a move that cannot be updated.
 */
export async function createMove(
  ctx: SpaceContext,
  { fileName, fileSize, updates }: { fileName: string; fileSize: number; updates?: string },
): Promise<MoveView> {
  const id = newId()
  const target =
    updates === undefined
      ? { kind: 'unknown' as const }
      : { kind: 'update' as const, ...(await appToUpdate(ctx, updates)) }
  const createdBy = accountOf(ctx.actor)
  await requireArchiveRoom(ctx, createdBy, fileSize)
  const shown = shownFileName(fileName)
  await moves.insertMove(ctx.db, ctx.scope, { id, fileName: shown, fileSize, createdBy, ...target })
  return changedMove(ctx, id)
}

/**
 * Starts an import of a file that a job fetches from a public URL. Throws 403, 409 `TooManyArchives`, 429
 * `TooManyMoves`.
 */
export async function fetchImport(ctx: AppContext, importUrl: string): Promise<MoveView> {
  await requireRoom(ctx)
  const id = newId()
  const last = new URL(importUrl).pathname.split('/').findLast(Boolean) ?? ''
  const fileName = last.slice(0, 255) || new URL(importUrl).hostname
  const file = { fileName, fileSize: 0 }
  await insertImport(ctx, id, { ...file, importUrl })
  return beginCheck(ctx, { id, ...file })
}

/**
 * Starts an import of the only file of a request body. Throws 400 if there is no file. Throws 403, 409
 * `TooManyArchives`, 413, 429 `TooManyMoves`, 507.
 */
export async function receiveImport(
  ctx: OwnTransactions<AppContext>,
  files: AsyncIterable<FilePart>,
): Promise<MoveView> {
  const id = newId()
  const { dataDir } = ctx.services.config
  const spaceId = await ctx.inSpace(async (inside) => {
    await requireToImport(inside)
    await requireRoom(inside)
    await requireArchiveRoom(inside, accountOf(inside.actor), 0)
    return inside.scope.spaceId
  })
  const path = archivePath(dataDir, spaceId, id)
  await makeMovesFolder(dataDir)
  try {
    let arrived: { fileName: string; fileSize: number } | undefined
    for await (const { fileName, bytes } of files)
      arrived = {
        fileName: fileName.slice(0, 255) || 'archive.zip',
        fileSize: await keepBytes(ctx, bytes, largestSent, path),
      }
    if (!arrived) throw invalid('file', 'Required')
    const received = arrived
    return await ctx.inSpace(async (inside) => {
      await requireRoom(inside)
      await insertImport(inside, id, received)
      return beginCheck(inside, { id, ...received })
    })
  } catch (error) {
    await removeFiles(dataDir, spaceId, id)
    throw error
  }
}

/**
 * Returns the URL to which the archive, or the rest of it, is sent with PUT. Throws 404, and 403 if the caller may not
 * start the check of the archive. Throws 409 `UploadIsFinished` and 409 `TooManyArchives`.
 */
export async function signUpload(ctx: SpaceContext, id: string) {
  const move = await requireMove(ctx, id)
  if (move.state !== 'uploading') throw new AppError('UploadIsFinished')
  await requireToCheck(ctx, move)
  await requireArchiveRoom(ctx, move.createdBy?._id ?? null, move.fileSize, id)
  await moves.updateMove(ctx.db, ctx.scope, id, { uploadUntil: new Date(Date.now() + uploadMs) })
  const upload = uploadOf(ctx, move)
  const { url, expiresAt } = signOwnUpload(ctx.services.secrets.sessionKey, upload)
  const received = await uploadedBytes(ctx.services.config.dataDir, upload)
  return { url, expiresAt, received, headers: { 'content-type': archiveType } }
}

/** Milliseconds for which an upload counts toward the account's limits after its last URL was issued. */
const uploadMs = 24 * 3_600_000

/** Throws 403 for an update or import if the caller may not read and write every document of the app. */
async function requireToCheck(ctx: SpaceContext, { updates, appId }: moves.MoveRow): Promise<void> {
  if (updates !== null) await checkMayUpdate(ctx, appId ?? 0)
}

/**
 * Starts the check of an uploaded archive, once. Throws 403 like {@link requireToCheck}, and 409 if the upload is
 * incomplete. Throws 404, 429 `TooManyMoves`.
 */
export async function confirmUpload(ctx: SpaceContext, id: string): Promise<MoveView> {
  const move = await lockIn(ctx, id, ['uploading', 'checking', 'refused', 'planned'])
  if (move.state === 'uploading') {
    await requireToCheck(ctx, move)
    await requireRoom(ctx)
    await makeMovesFolder(ctx.services.config.dataDir)
    await takeUpload(
      ctx.services.config.dataDir,
      uploadOf(ctx, move),
      archivePath(ctx.services.config.dataDir, ctx.scope.spaceId, id),
    )
    await run(ctx, checkMoveJob, move, { state: 'checking' })
  }
  return changedMove(ctx, id)
}
