import { open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { fileBytes } from '#archive/files.ts'
import { accountOf } from '#server/access/actor.ts'
import { leaveNoAudit } from '#server/access/audit.ts'
import type { Work } from '#server/access/context.ts'
import type { Db } from '#server/db/scope.ts'
import { newId } from '#server/lib/ids.ts'
import { readSignedValue, signValue } from '#server/lib/signed-value.ts'
import type { StorageDriver } from '#server/storage/driver.ts'
import { passFor } from '#server/storage/upload-pass.ts'
import { uploadLimits } from '#shared/contract/assets.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { createAsset } from './assets.creation.ts'
import { type CreationContext, receiveFile, type UploadContext } from './assets.files.ts'
import { requireAssetRoom } from './assets.quota.ts'
import { type AssetView, getAsset } from './assets.service.ts'
import { safeFileName } from './file-name.ts'
import { type IncomingPlace, incomingFolder, openFolder, receive, whenFull } from './incoming.ts'
import { hasAsset, releaseUpload, reserveUpload } from './open-uploads.repository.ts'

/*
 * Uploads in three steps: the URL is signed, the file is PUT to it, the asset is created. Before the last step, the
 * database contains only the reservation (open-uploads.repository.ts). Unconfirmed uploads are swept by age. A storage
 * that signs its own URLs receives the file directly. Otherwise this server stores it below the data folder.
 */

/**
 * Time limits in minutes for the PUT and for the confirmation. The limit for the confirmation is longer, because a PUT
 * may begin in the last minute of its own limit.
 */
const minutes = { put: 10, confirmation: 60 }

/** Contents of the token in the PUT URL. */
const putSchema = z.object({ space: z.int(), id: z.string(), type: z.string(), size: z.int() })
export type SignedPutUpload = z.output<typeof putSchema>

/** Contents of the confirmation token. `storage`: the storage that received the file; null: this server. */
const confirmationSchema = putSchema.extend({
  fileName: z.string(),
  account: z.string().nullable(),
  storage: z.string().nullable(),
})

const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$/

export interface SignedUpload {
  id: string
  url: string
  headers: Record<string, string>
  token: string
  pass: string | null
  expiresAt: Date
  resumable: boolean
}

/**
 * Signs a URL to PUT a file of exactly this type and size. Throws 400 (also for an empty file), 413 for a file that is
 * too large, and `TooManyOpenUploads` if the unconfirmed uploads of the caller or the space exceed a limit. Throws
 * `AssetQuotaExceeded` or `StorageQuotaExceeded` if the space has no room for the file; the confirmation checks again.
 */
export async function signUpload(
  ctx: UploadContext,
  { fileName, fileType, fileSize }: { fileName: string; fileType: string; fileSize: number },
): Promise<SignedUpload> {
  const type = fileType.toLowerCase() || 'application/octet-stream'
  if (!mediaType.test(type)) throw invalid('fileType', 'InvalidFormat')
  if (fileName.trim() === '') throw invalid('fileName', 'Required')
  if (fileSize > uploadLimits.bytes) throw new AppError('RequestFileTooLarge')
  if (fileSize === 0) throw new AppError('FileIsEmpty')
  const id = newId()
  const expiresAt = new Date(Date.now() + minutes.put * 60_000)
  const until = new Date(Date.now() + minutes.confirmation * 60_000)
  const { space, expired } = await ctx.inSpace(async (inside) => {
    const { db, scope, actor } = inside
    await requireAssetRoom(inside, fileSize)
    const upload = { id, account: accountOf(actor), size: fileSize, expiresAt: until }
    return { space: scope.spaceId, expired: await reserveUpload(db, scope, upload) }
  })
  const { config, secrets, storages } = ctx.services
  // Deletes expired uploads on this server. Expired uploads in a bucket are swept by age.
  for (const gone of expired) await dropUpload(config.dataDir, { space, id: gone })
  const key = secrets.sessionKey
  const { name, driver } = await storages.forSpace(space)
  const elsewhere = await driver.signPut(uploadKey(space, id), { type, size: fileSize, expiresAt })
  const put = { space, id, type, size: fileSize }
  const confirmation: z.output<typeof confirmationSchema> = {
    ...put,
    fileName: safeFileName(fileName),
    account: accountOf(ctx.actor),
    storage: elsewhere ? name : null,
  }
  return {
    id,
    url: elsewhere?.url ?? putAddress(key, put, expiresAt),
    headers: elsewhere?.headers ?? { 'content-type': type },
    token: signValue(key, 'upload.confirmation', confirmation, until),
    pass: elsewhere && passFor(key, new URL(elsewhere.url).origin),
    expiresAt,
    resumable: !elsewhere,
  }
}

const putAddress = (key: string, put: SignedPutUpload, expiresAt: Date) =>
  `/api/uploads/${signValue(key, 'upload.put', put, expiresAt)}`

/**
 * Signs a URL to PUT a file that is stored on this server's disk and does not become an asset, such as an archive.
 * {@link takeUpload} moves the file to its destination. The same `id` can be signed again to resume.
 */
export function signOwnUpload(key: string, put: SignedPutUpload): { url: string; expiresAt: Date } {
  const expiresAt = new Date(Date.now() + minutes.put * 60_000)
  return { url: putAddress(key, put, expiresAt), expiresAt }
}

/** Moves an upload to `path`. Throws 409 when it is incomplete. */
export async function takeUpload(dataDir: string, upload: SignedPutUpload, path: string): Promise<void> {
  const size = await uploadedBytes(dataDir, upload)
  if (size !== upload.size) throw otherOffset(size)
  await rename(partPath(dataDir, upload), path)
}

/**
 * Stores bytes that were sent without a signed URL at `path`, and returns their number. Throws 413, 507 and errors of
 * the stream.
 */
export async function keepBytes(
  { services, signal }: Work,
  bytes: AsyncIterable<Uint8Array>,
  maximum: number,
  path: string,
): Promise<number> {
  const received = await receive(services.config, bytes, { maximum, signal })
  await rename(received.path, path)
  return received.size
}

/** Deletes the received bytes of an upload on this server. */
export const dropUpload = (dataDir: string, upload: Pick<SignedPutUpload, 'space' | 'id'>): Promise<void> =>
  rm(partPath(dataDir, upload), { force: true })

/** Returns the key of an unconfirmed upload in a storage that signs URLs. */
const uploadKey = (space: number, id: string) => `${space}/uploads/${id}`

/** Returns the path of an unconfirmed upload on this server. */
const partPath = (dataDir: string, { space, id }: Pick<SignedPutUpload, 'space' | 'id'>) =>
  join(incomingFolder(dataDir), `${space}-${id}.part`)

/** Returns the upload that a signed URL allows. Throws 403 for a forged or expired token. */
export function readPutToken(key: string, token: string): SignedPutUpload {
  const parsed = putSchema.safeParse(readSignedValue(key, 'upload.put', token))
  if (!parsed.success) throw new AppError('Forbidden')
  return parsed.data
}

/** Throws 409 when the asset exists already: a URL is valid for one file. */
export async function requireUnconfirmed(db: Db, { space, id }: SignedPutUpload): Promise<void> {
  if (await hasAsset(db, space, id)) throw new AppError('UploadIsFinished')
}

/** Returns the number of bytes received so far. */
export async function uploadedBytes(
  dataDir: string,
  upload: Pick<SignedPutUpload, 'space' | 'id'>,
): Promise<number> {
  const found = await stat(partPath(dataDir, upload)).catch(() => undefined)
  return found?.size ?? 0
}

/**
 * Appends bytes to an upload. `start`: number of bytes received so far, or 0 to start over. Received bytes stay when
 * the client disconnects. Returns the new total. Throws 409 for another start, 413 for more bytes than signed, and 507
 * for a full disk.
 */
export async function writeUpload(
  place: IncomingPlace,
  upload: SignedPutUpload,
  start: number,
  bytes: AsyncIterable<Uint8Array>,
): Promise<number> {
  await openFolder(place, upload.size - start)
  const path = partPath(place.dataDir, upload)
  const file = await open(path, start === 0 ? 'w' : 'r+', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? otherOffset(0) : error
  })
  let at = start
  try {
    const { size } = await file.stat()
    if (size !== start) throw otherOffset(size)
    for await (const chunk of bytes) {
      if (at + chunk.byteLength > upload.size) throw new AppError('RequestFileTooLarge')
      for (let written = 0; written < chunk.byteLength; ) {
        const { bytesWritten } = await file.write(chunk, written, chunk.byteLength - written, at)
        written += bytesWritten
        at += bytesWritten
      }
    }
    return at
  } catch (error) {
    throw whenFull(error)
  } finally {
    await file.close()
  }
}

const otherOffset = (offset: number) =>
  new AppError('UploadIsIncomplete', { details: { offset }, headers: { 'upload-offset': String(offset) } })

/**
 * Creates the asset of an upload. A repeated confirmation returns the same asset. Throws 403 for a token that is
 * invalid, expired or signed for another caller. Throws 404 for a token of another space or asset, and 409 for an
 * incomplete upload. Also throws the errors of {@link receiveFile}, of file inspection and of storages.
 */
export async function confirmUpload(ctx: CreationContext, id: string, token: string): Promise<AssetView> {
  const parsed = confirmationSchema.safeParse(
    readSignedValue(ctx.services.secrets.sessionKey, 'upload.confirmation', token),
  )
  if (!parsed.success) throw new AppError('Forbidden')
  const upload = parsed.data
  const known = await ctx.inSpace(async (inside) => {
    if (upload.id !== id || upload.space !== inside.scope.spaceId) throw new AppError('NotFound')
    if (upload.account !== accountOf(inside.actor)) throw new AppError('Forbidden')
    return getAsset(inside, id).catch(whenMissing)
  })
  if (known) leaveNoAudit(ctx)
  if (known) return known
  const uploaded = await openUpload(ctx, upload)
  const file = await receiveFile(ctx, uploaded.bytes)
  try {
    if (file.size !== upload.size) throw otherOffset(file.size)
    const asset = await createAsset(ctx, file, upload)
    await uploaded.remove()
    await ctx.inSpace(({ db, scope }) => releaseUpload(db, scope, id))
    return asset
  } finally {
    await file.remove()
  }
}

function whenMissing(error: unknown): null {
  if (error instanceof AppError && error.code === 'NotFound') return null
  throw error
}

/** Opens an upload on this server or in a storage. Throws 409 when it is missing or incomplete. */
async function openUpload(
  ctx: UploadContext,
  upload: z.output<typeof confirmationSchema>,
): Promise<{ bytes: AsyncIterable<Uint8Array>; remove(): Promise<void> }> {
  const { space, id, size, storage } = upload
  const { dataDir } = ctx.services.config
  if (storage === null) {
    const path = partPath(dataDir, upload)
    const there = await uploadedBytes(dataDir, upload)
    if (there !== size) throw otherOffset(there)
    return { bytes: fileBytes(path), remove: () => rm(path, { force: true }) }
  }
  const driver: StorageDriver = await ctx.services.storages.of({ space_id: space, storage })
  const objectKey = uploadKey(space, id)
  const there = (await driver.stat(objectKey))?.size ?? 0
  if (there !== size) throw otherOffset(there)
  // An upload that cannot be removed now is swept later.
  return {
    bytes: await driver.read(objectKey, undefined, ctx.signal),
    remove: () => driver.delete(objectKey).catch(() => {}),
  }
}
