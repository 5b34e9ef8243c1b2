import { createHash } from 'node:crypto'
import { accountOf } from '#server/access/actor.ts'
import type { SpaceContext, Work } from '#server/access/context.ts'
import type { ElsewhereFile } from '#server/db/tables.ts'
import { inspect } from '#server/images/images.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { AppError } from '#shared/errors.ts'
import { shownName, storableTextOf } from '#shared/unicode.ts'
import { keepFile, keepPlain, type UploadContext } from './assets.files.ts'
import { lockAssetRoom } from './assets.quota.ts'
import * as assets from './assets.repository.ts'
import { putFile } from './assets.upload.ts'
import { safeFileName } from './file-name.ts'
import { receive } from './incoming.ts'
import { setTags } from './tags.repository.ts'
import { tagsNamed } from './tags.service.ts'

/** A file imported from another library, with its metadata there. */
export interface ImportedAsset {
  id: string
  fileName: string
  /** The media type in the other library; the actual type is detected from the content. */
  fileType: string
  title: string
  description: string
  altText: string
  metadata: Record<string, unknown>
  /** The `uid` in the asset's URLs in the other library. null: the asset had none. */
  formerUid: string | null
  focalPoint?: { x: number; y: number } | null
  private?: boolean
  /** Names of tags; missing ones are created. */
  tags?: readonly string[]
  /** Size in bytes. */
  size: number
  bytes(): AsyncIterable<Uint8Array>
  /** URL and file properties as the other CMS delivered them, if known. */
  elsewhere?: ElsewhereFile
  /** Whether the file's bytes are missing from the import. */
  isMissing?: boolean
  /** Whether the file was already external in its original library. Available bytes are then stored as a plain file. */
  staysElsewhere?: boolean
}

/**
 * Imports a file as an asset with its `_id`. An asset that already has this `_id` stays unchanged. Calls `work` with
 * the outcome in the same transaction. `made`: the asset is new. `same`: the asset is new, or the existing asset has
 * the same content and is not in the trash. Throws `FileIsEmpty`, and the errors of {@link receive}, of file inspection
 * and of storages.
 */
export async function importAsset(
  ctx: UploadContext,
  asset: ImportedAsset,
  work: (
    ctx: Parameters<Parameters<UploadContext['inSpace']>[0]>[0],
    outcome: ImportOutcome,
  ) => Promise<void>,
): Promise<void> {
  if (asset.size === 0) throw new AppError('FileIsEmpty')
  return bring(ctx, asset, null, work)
}

/**
 * Imports a file that is missing from the archive, that the library rejects, or that was external in its original
 * library. Delivery returns `elsewhere.src` as its URL. Available bytes are stored as a plain file, so that they
 * outlive the archive. `isThere`: the archive contains the bytes.
 */
export function importElsewhere(
  ctx: UploadContext,
  asset: ImportedAsset & { elsewhere: ElsewhereFile },
  isThere: boolean,
  work: ImportWork,
): Promise<void> {
  const { elsewhere } = asset
  const address = Buffer.from(`${elsewhere.src}\n`)
  const bytes = async function* () {
    yield address
  }
  const file = isThere && asset.size > 0 ? asset : { ...asset, size: address.length, bytes }
  return bring(ctx, file, elsewhere, work)
}

type ImportWork = Parameters<typeof importAsset>[2]

async function bring(
  ctx: UploadContext,
  asset: ImportedAsset,
  elsewhere: ElsewhereFile | null,
  work: ImportWork,
): Promise<void> {
  const { services, signal } = ctx
  const received = await receive(services.config, asset.bytes(), { maximum: asset.size, signal })
  try {
    const found = elsewhere ? await keepPlain(ctx, received) : await keepFile(ctx, received, asset.fileType)
    const file = { ...found, metadata: storable(asset.metadata) ?? found.metadata }
    const { id, formerUid } = asset
    await ctx.inSpace(async (inside) => {
      const { db, scope } = inside
      const room = await lockAssetRoom(inside)
      const made = await assets.insertAsset(db, scope, {
        id,
        fileName: safeFileName(asset.fileName),
        createdBy: accountOf(ctx.actor),
        file,
        title: shownName(textOf(asset.title, 255), ''),
        description: textOf(asset.description, 2000),
        altText: textOf(asset.altText, 1000),
        focalPoint: asset.focalPoint ?? null,
        isPrivate: asset.private ?? false,
        elsewhere,
      })
      const refusal = made ? room.reserve(file.size) : null
      if (refusal) throw refusal
      if (made) {
        const payload = { assetId: id, version: 1, size: file.size }
        await recordEvent(db, scope, 'asset.imported', payload, { actor: inside.actor })
      }
      if (made && asset.tags && asset.tags.length > 0)
        await setTags(db, scope, id, await tagsNamed(inside, asset.tags))
      const there = made ? null : await assets.findAsset(db, scope, id, { trashed: true })
      // For readers of documents, an asset in the trash does not exist.
      const same = made || (there?.deletedAt === null && there.hash.equals(file.hash))
      if (same && formerUid !== null) await assets.insertFormerUid(db, scope, formerUid, id)
      await work(inside, { made, same })
    })
  } finally {
    await received.remove()
  }
}

/**
 * Replaces the file of an imported asset if `version` is the asset's current version. The asset keeps its URL and
 * texts. Calls `work` with the asset's new version in the same transaction. Throws 403, 404, 409, 415, and the errors
 * of {@link receive}, of file inspection and of storages.
 */
export async function replaceImported(
  ctx: UploadContext,
  { id, fileType, size, bytes }: Pick<ImportedAsset, 'id' | 'fileType' | 'size' | 'bytes'>,
  version: number,
  work: (ctx: SpaceContext, version: number) => Promise<void>,
): Promise<void> {
  const { services, signal } = ctx
  const received = await receive(services.config, bytes(), { maximum: size, signal })
  try {
    const file = await keepFile(ctx, received, fileType)
    await ctx.inSpace(async (inside) => {
      const asset = await putFile(inside, id, file, { version })
      await work(inside, asset.version)
    })
  } finally {
    await received.remove()
  }
}

/**
 * Returns the hash that the file has in the storage, after removal of unsafe content. Throws the errors of {@link
 * receive} and of file inspection.
 */
export async function storedHash(
  work: Work,
  { fileType, size, bytes }: Pick<ImportedAsset, 'fileType' | 'size' | 'bytes'>,
): Promise<Buffer> {
  const received = await receive(work.services.config, bytes(), { maximum: size, signal: work.signal })
  try {
    const { safeBytes } = await inspect(received.path, fileType, work)
    return safeBytes ? createHash('sha256').update(safeBytes).digest() : received.hash
  } finally {
    await received.remove()
  }
}

export interface ImportOutcome {
  made: boolean
  same: boolean
}

const textOf = (text: string, longest: number) => storableTextOf(storableTextOf(text).slice(0, longest))

/** Returns the imported metadata. null: it is empty, or longer than 20,000 characters of JSON. */
function storable(metadata: Record<string, unknown>): Record<string, unknown> | null {
  const { length } = JSON.stringify(metadata)
  return length > 2 && length <= 20_000 ? metadata : null
}
