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
import { type AssetView, getAsset } from './assets.service.ts'
import { safeFileName } from './file-name.ts'
import { type IncomingPlace, incomingFolder, openFolder, receive, whenFull } from './incoming.ts'
import { releaseUpload, reserveUpload } from './open-uploads.ts'

/*
 * Uploads in three steps: an address is signed, the file is PUT there, the asset is made of it. Before the last step only
 * that there is one is written down (open-uploads.ts); what is PUT and never confirmed is swept by its age. Where the storage has addresses of its own
 * the file goes there, else to ours, below the data folder.
 */

/** Minutes for the PUT, and for the confirmation of one that began in the last of them. */
const minutes = { put: 10, confirmation: 60 }

/** What the address to PUT to says. */
const putSchema = z.object({ space: z.int(), id: z.string(), type: z.string(), size: z.int() })
export type SignedPutUpload = z.output<typeof putSchema>

/** What the confirmation says. `storage`: where the file was PUT to; null for ours. */
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
 * Where to PUT a file of exactly this type and size. Throws 400, 413 for one that is too large, and `TooManyOpenUploads` for who has many that
 * were not confirmed.
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
  const { space, expired } = await ctx.inSpace(async ({ db, scope, actor }) => {
    const upload = { id, account: accountOf(actor), size: fileSize, expiresAt: until }
    return { space: scope.spaceId, expired: await reserveUpload(db, scope, upload) }
  })
  const { config, secrets, storages } = ctx.services
  // In a bucket they are swept by their age.
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
 * Where to PUT what is kept on our own disk and makes no asset, such as an archive: to be taken by {@link takeUpload}. Of the
 * same `id` it can be signed again, to go on.
 */
export function signOwnUpload(key: string, put: SignedPutUpload): { url: string; expiresAt: Date } {
  const expiresAt = new Date(Date.now() + minutes.put * 60_000)
  return { url: putAddress(key, put, expiresAt), expiresAt }
}

/** Makes what was PUT the file `path`. Throws 409 when not everything has come. */
export async function takeUpload(dataDir: string, upload: SignedPutUpload, path: string): Promise<void> {
  const size = await uploadedBytes(dataDir, upload)
  if (size !== upload.size) throw otherOffset(size)
  await rename(partPath(dataDir, upload), path)
}

/** Bytes that come in another way, as the file `path`; answers how many. Throws 413, 507 and what the bytes throw. */
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

/** Removes what was PUT. */
export const dropUpload = (dataDir: string, upload: Pick<SignedPutUpload, 'space' | 'id'>): Promise<void> =>
  rm(partPath(dataDir, upload), { force: true })

/** Where an upload lies in a storage that is not ours until it is confirmed. */
const uploadKey = (space: number, id: string) => `${space}/uploads/${id}`

/** Where it lies with us. */
const partPath = (dataDir: string, { space, id }: Pick<SignedPutUpload, 'space' | 'id'>) =>
  join(incomingFolder(dataDir), `${space}-${id}.part`)

/** What a signed address allows. Throws 403 for one that was made by somebody else or has expired. */
export function readPutToken(key: string, token: string): SignedPutUpload {
  const parsed = putSchema.safeParse(readSignedValue(key, 'upload.put', token))
  if (!parsed.success) throw new AppError('Forbidden')
  return parsed.data
}

/** Throws 409 when the asset has been made already: its address was good for one file. */
export async function requireUnconfirmed(db: Db, { space, id }: SignedPutUpload): Promise<void> {
  const known = await db
    .selectFrom('asset')
    .select('id')
    .where('space_id', '=', space)
    .where('id', '=', id)
    .executeTakeFirst()
  if (known) throw new AppError('UploadIsFinished')
}

/** How many bytes have come. */
export async function uploadedBytes(
  dataDir: string,
  upload: Pick<SignedPutUpload, 'space' | 'id'>,
): Promise<number> {
  const found = await stat(partPath(dataDir, upload)).catch(() => undefined)
  return found?.size ?? 0
}

/**
 * Writes bytes of an upload from `start` on, where those that came before end; what comes stays, also when the sender goes.
 * Answers how many there are now. Throws 409 for another start, 413 for more than was signed, 507.
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
 * Makes the asset of what was PUT; asked for again, answers the same one. Throws 403 for a token that is not of this caller,
 * space and asset or has expired, 409 when not everything has come, and the refusals of files.
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

/** What was PUT, in either place. Throws 409 when nothing was, or not everything. */
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
  // What cannot be removed now is swept later.
  return {
    bytes: await driver.read(objectKey, undefined, ctx.signal),
    remove: () => driver.delete(objectKey).catch(() => {}),
  }
}
