import { createHash } from 'node:crypto'
import { accountOf } from '#server/access/actor.ts'
import type { SpaceContext, Work } from '#server/access/context.ts'
import type { ElsewhereFile } from '#server/db/tables.ts'
import { inspect } from '#server/images/images.ts'
import { AppError } from '#shared/errors.ts'
import { storableTextOf } from '#shared/unicode.ts'
import { keepFile, keepPlain, type UploadContext } from './assets.files.ts'
import * as assets from './assets.repository.ts'
import { putFile } from './assets.upload.ts'
import { safeFileName } from './file-name.ts'
import { receive } from './incoming.ts'
import { setTags } from './tags.repository.ts'
import { tagsNamed } from './tags.service.ts'

/** A file that was in a library elsewhere, with what was said of it there. */
export interface ImportedAsset {
  id: string
  fileName: string
  /** What the other library said it is; what counts is found in the content. */
  fileType: string
  title: string
  description: string
  altText: string
  metadata: Record<string, unknown>
  /** By what it was known in addresses. */
  formerUid: string | null
  focalPoint?: { x: number; y: number } | null
  private?: boolean
  /** Names of tags, which are made where the space has none of that name. */
  tags?: readonly string[]
  /** Bytes. */
  size: number
  bytes(): AsyncIterable<Uint8Array>
  /** What sites were told of the file where it was, as far as anything told it. */
  elsewhere?: ElsewhereFile
  /** There are no bytes of it. */
  isMissing?: boolean
}

/**
 * Takes a file into the library under the `_id` that it had. `made`: it was not there before; `same`: whether the one that was there
 * is the same file, and not in the trash. `work` is done in the transaction. Throws the refusals of files and of storages.
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
 * Takes a file that is not in the archive, or that the library refuses, as what sites were told of it: they go on receiving its old
 * address. Bytes that were refused are kept as a plain file, so that nothing is only in the archive; `isThere`: there are any.
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
      const made = await assets.insertAsset(db, scope, {
        id,
        fileName: safeFileName(asset.fileName),
        createdBy: accountOf(ctx.actor),
        file,
        title: textOf(asset.title, 255),
        description: textOf(asset.description, 2000),
        altText: textOf(asset.altText, 1000),
        focalPoint: asset.focalPoint ?? null,
        isPrivate: asset.private ?? false,
        elsewhere,
      })
      if (made && asset.tags && asset.tags.length > 0)
        await setTags(db, scope, id, await tagsNamed(inside, asset.tags))
      const there = made ? null : await assets.findAsset(db, scope, id, { trashed: true })
      // One that lies in the trash is gone for who looks at documents.
      const same = made || (there?.deletedAt === null && there.hash.equals(file.hash))
      if (same && formerUid !== null) await assets.insertFormerUid(db, scope, formerUid, id)
      await work(inside, { made, same })
    })
  } finally {
    await received.remove()
  }
}

/**
 * Takes another file for an asset that was imported and is of this version; its address and what is said of it stay. `work` is done in the
 * transaction, with the version that the asset has then. Throws 404, 409, 415, and the refusals of files and of storages.
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

/** The hash that a file has when it is stored, without what may not be delivered. Throws the refusals of files. */
export async function storedHash(
  { services, signal }: Work,
  { fileType, size, bytes }: Pick<ImportedAsset, 'fileType' | 'size' | 'bytes'>,
): Promise<Buffer> {
  const received = await receive(services.config, bytes(), { maximum: size, signal })
  try {
    const { safeBytes } = await inspect(received.path, fileType, signal)
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

/** What was said of a file elsewhere, if there is any of it and it is not too much. */
function storable(metadata: Record<string, unknown>): Record<string, unknown> | null {
  const { length } = JSON.stringify(metadata)
  return length > 2 && length <= 20_000 ? metadata : null
}
