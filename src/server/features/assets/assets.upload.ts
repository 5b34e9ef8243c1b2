import { accountOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { SpaceContext, Work } from '#server/access/context.ts'
import { requireQuota } from '#server/access/entitlements.ts'
import { edit } from '#server/images/images.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { newId } from '#server/lib/ids.ts'
import { OutgoingHttpError } from '#server/lib/outgoing-http.ts'
import { uploadLimits } from '#shared/contract/assets.ts'
import type { FilePart } from '#shared/contract/endpoint.ts'
import { AppError, invalid } from '#shared/errors.ts'
import {
  asked,
  createAsset,
  type KeptFile,
  makeAssets,
  type Refusal,
  type UploadResult,
} from './assets.creation.ts'
import {
  type CreationContext,
  isSameKind,
  keepFile,
  receiveFile,
  type UploadContext,
  withOnlyFile,
} from './assets.files.ts'
import * as assets from './assets.repository.ts'
import { type AssetView, getAsset, lockForChange, view } from './assets.service.ts'
import { safeFileName } from './file-name.ts'
import { type Incoming, receive, receiveBytes } from './incoming.ts'

/**
 * Uploads files. All of them are received before the first one is stored, and each is accepted or rejected separately.
 * If the client disconnects while sending, no asset is created. Throws 403, 400 for a body without a file, and the
 * error of an incomplete multipart body. Throws a server error (503, 507) if every file failed with a server error.
 */
export async function uploadAssets(
  ctx: CreationContext,
  files: AsyncIterable<FilePart>,
): Promise<UploadResult[]> {
  const arrived: { fileName: string; type: string; file: Incoming | AppError }[] = []
  try {
    for await (const { fileName, type, bytes } of files)
      arrived.push({
        fileName: safeFileName(fileName),
        type,
        file: await receiveFile(ctx, bytes).catch(ofOneFile),
      })
    if (arrived.length === 0) throw invalid('file', 'Required')
    const outcomes: (KeptFile | Refusal)[] = []
    const troubles: AppError[] = []
    for (const { fileName, type, file } of arrived) {
      try {
        if (file instanceof AppError) throw file
        outcomes.push({ id: newId(), fileName, file: await keepFile(ctx, file, type) })
      } catch (error) {
        const refusal = ofOneFile(error)
        const { code, message } = refusal
        if (refusal.status >= 500) troubles.push(refusal)
        outcomes.push({ fileName, success: false, code, message })
      }
    }
    const [trouble] = troubles
    if (trouble && troubles.length === arrived.length) throw trouble
    return await makeAssets(ctx, arrived.map(asked), outcomes)
  } finally {
    for (const { file } of arrived) if (!(file instanceof AppError)) await file.remove()
  }
}

/** Errors of one file that do not prevent the upload of the others. */
const aboutOneFile = new Set([
  'RequestFileTooLarge',
  'FileIsEmpty',
  'FileIsDamaged',
  'ImageIsTooLarge',
  'UnsupportedMediaType',
  'StorageFull',
  'StorageUnavailable',
  'StorageRefused',
  'ServiceUnavailable',
])

function ofOneFile(error: unknown): AppError {
  if (error instanceof AppError && aboutOneFile.has(error.code)) return error
  throw error
}

const nameOf = (url: URL) => {
  const last = url.pathname.split('/').findLast(Boolean) ?? ''
  try {
    return safeFileName(decodeURIComponent(last))
  } catch {
    return safeFileName(last)
  }
}

/**
 * Creates an asset from a file at a public URL. Throws `FileCannotBeFetched`, 413, 507, and the errors of file
 * inspection and of storages.
 */
export async function uploadFromUrl(ctx: CreationContext, address: string): Promise<AssetView> {
  const url = new URL(address)
  const file = await fetchFile(ctx, url)
  try {
    return await createAsset(ctx, file, {
      fileName: nameOf(url),
      type: file.type,
      source: url.href,
    })
  } finally {
    await file.remove()
  }
}

async function fetchFile(work: Work, url: URL): Promise<Incoming & { type: string }> {
  const { services, signal } = work
  try {
    const { status, headers, body, discard } = await services.outgoing
      .clientFor('imports', url)
      .request(url, {
        maxBytes: uploadLimits.bytes,
        timeoutMs: 45_000,
        idleMs: 15_000,
        maxRedirects: 5,
        ...(signal ? { signal } : {}),
      })
    if (status !== 200) {
      discard()
      throw notFetched()
    }
    const type = String(headers['content-type'] ?? '')
    return { ...(await receiveFile(work, body)), type }
  } catch (error) {
    if (!(error instanceof OutgoingHttpError)) throw error
    throw error.code === 'too_large' ? new AppError('RequestFileTooLarge') : notFetched(error)
  }
}

const notFetched = (cause?: unknown) =>
  new AppError('FileCannotBeFetched', { issues: [{ path: 'url', code: 'InvalidValue' }], cause })

/**
 * Replaces an asset's file. The asset keeps its URL and texts. Throws 400 without a file, 403, 404, 413, 415 for a file
 * of another kind, 507, and the errors of file inspection and of storages.
 */
export async function replaceAsset(
  ctx: UploadContext,
  id: string,
  files: AsyncIterable<FilePart>,
): Promise<AssetView> {
  await ctx.inSpace((inside) => lockForChange(inside, id))
  return withOnlyFile(ctx, files, async (received, type) => {
    const file = await keepFile(ctx, received, type)
    return ctx.inSpace((inside) => putFile(inside, id, file))
  })
}

/**
 * Assigns a stored file to an asset. Throws 403 (also `StorageQuotaExceeded`), 404, 409 for another version, 415 for a
 * file of another kind.
 */
export async function putFile(
  ctx: SpaceContext,
  id: string,
  file: assets.FileRecord,
  {
    version,
    focalPoint,
  }: { version?: number | undefined; focalPoint?: { x: number; y: number } | null } = {},
): Promise<AssetView> {
  const asset = await lockForChange(ctx, id, version)
  // If the library has no file of the asset, the new file must match the media type that delivery returns for it.
  const mediaType = asset.elsewhere ? asset.elsewhere.fileType || file.mediaType : asset.mediaType
  if (!isSameKind(mediaType, file.mediaType)) throw new AppError('UnsupportedMediaType')
  noteAudit(ctx, { objectId: id, objectName: asset.fileName, before: audited(asset), after: audited(file) })
  if (asset.hash.equals(file.hash)) return view(ctx, asset)
  await requireQuota(ctx, 'storage', file.size - asset.size)
  // By default, the focal point stays only if the new picture has the same width and height.
  const keepsShape = asset.width === file.width && asset.height === file.height
  const point = focalPoint === undefined ? (keepsShape ? asset.focalPoint : null) : focalPoint
  await assets.replaceFile(ctx.db, ctx.scope, asset, file, point, accountOf(ctx.actor))
  const payload = { assetId: id, version: asset.version + 1, size: file.size, previousSize: asset.size }
  await recordEvent(ctx.db, ctx.scope, 'asset.replaced', payload, { actor: ctx.actor })
  return getAsset(ctx, id)
}

const audited = ({
  mediaType,
  size,
  width,
  height,
}: Pick<assets.FileRecord, 'mediaType' | 'size' | 'width' | 'height'>) => ({
  fileType: mediaType,
  fileSize: size,
  width,
  height,
})

interface PictureEdit {
  rotate?: 0 | 90 | 180 | 270 | undefined
  region?: { left: number; top: number; width: number; height: number } | undefined
  restore?: true | undefined
  version?: number | undefined
}

/**
 * Rotates and crops a picture, or restores the file before the last change. Throws 400 for an empty or contradictory
 * edit and for a region outside the picture, and 403, 404, 409. Also throws 404 if there is nothing to restore, and 415
 * for a file that cannot be edited.
 */
export async function editPicture(
  ctx: UploadContext,
  id: string,
  { rotate, region, restore, version }: PictureEdit,
): Promise<AssetView> {
  if (restore && (rotate !== undefined || region)) throw invalid('data.restore', 'InvalidValue')
  if (restore) return ctx.inSpace((inside) => restoreFile(inside, id, version))
  if (!rotate && !region) throw invalid('data', 'Required')
  const { asset, spaceId } = await ctx.inSpace(async (inside) => ({
    asset: await lockForChange(inside, id, version),
    spaceId: inside.scope.spaceId,
  }))
  if (asset.width === null) throw new AppError('UnsupportedMediaType')
  const driver = await ctx.services.storages.of({ space_id: spaceId, storage: asset.storage })
  const original = await receive(
    ctx.services.config,
    await driver.read(asset.storageKey, undefined, ctx.signal),
    { maximum: asset.size, signal: ctx.signal },
  )
  let edited: Incoming | undefined
  try {
    const change = { ...(rotate ? { rotate } : {}), ...(region ? { region } : {}) }
    const made = await edit(original.path, change, ctx)
    edited = await receiveBytes(ctx.services.config, made.bytes)
    const file = await keepFile(ctx, edited, made.mediaType)
    return await ctx.inSpace((inside) =>
      putFile(inside, id, file, { version: asset.version, focalPoint: null }),
    )
  } finally {
    await original.remove()
    await edited?.remove()
  }
}

async function restoreFile(ctx: SpaceContext, id: string, version: number | undefined): Promise<AssetView> {
  await lockForChange(ctx, id, version)
  const previous = await assets.findPrevious(ctx.db, ctx.scope, id)
  if (!previous) throw new AppError('NotFound')
  return putFile(ctx, id, previous.file, { focalPoint: previous.focalPoint })
}
