import type { KeyedTransactions, OwnTransactions, SpaceContext, Work } from '#server/access/context.ts'
import { hasState } from '#server/db/sql-states.ts'
import { inspect } from '#server/images/images.ts'
import { uploadLimits } from '#shared/contract/assets.ts'
import type { FilePart } from '#shared/contract/endpoint.ts'
import { invalid } from '#shared/errors.ts'
import type { FileRecord } from './assets.repository.ts'
import { claimBlob } from './blobs.ts'
import { type Incoming, receive, receiveBytes } from './incoming.ts'

export type UploadContext = OwnTransactions<SpaceContext>
/** Of what makes assets: asked for again with the same key, it makes none. */
export type CreationContext = KeyedTransactions<SpaceContext>

/** Receives a file of at most 20 MB. Throws 413, 507 and what its bytes throw. */
export function receiveFile({ services, signal }: Work, bytes: AsyncIterable<Uint8Array>): Promise<Incoming> {
  return receive(services.config, bytes, { maximum: uploadLimits.bytes, signal })
}

/** Receives the only file of a body, and has it until `work` is done. Throws 400 when there is none, and as {@link receiveFile}. */
export async function withOnlyFile<T>(
  context: Work,
  files: AsyncIterable<FilePart>,
  work: (file: Incoming, declaredType: string) => Promise<T>,
): Promise<T> {
  const arrived: { file: Incoming; type: string }[] = []
  try {
    for await (const { type, bytes } of files) arrived.push({ type, file: await receiveFile(context, bytes) })
    const [only] = arrived
    if (!only) throw invalid('file', 'Required')
    return await work(only.file, only.type)
  } finally {
    for (const { file } of arrived) await file.remove()
  }
}

/**
 * Looks at a file that has come and puts its content into the space's storage, unless it is there already. What it
 * answers is for a row of `asset`, to be written within the day. Throws the refusals of images/images.ts and of storages.
 */
export async function keepFile(
  ctx: UploadContext,
  received: Incoming,
  declaredType: string,
): Promise<FileRecord> {
  const { mediaType, width, height, frames, placeholder, metadata, safeBytes } = await inspect(
    received.path,
    declaredType,
    ctx.signal,
  )
  const file = safeBytes ? await receiveBytes(ctx.services.config, safeBytes) : received
  try {
    const about = { ...metadata, ...(frames > 1 ? { frames } : {}) }
    return {
      ...(await store(ctx, file, mediaType)),
      mediaType,
      width,
      height,
      placeholder,
      metadata: about,
    }
  } finally {
    if (file !== received) await file.remove()
  }
}

/** The same without a look at it: nobody is shown it, it can only be downloaded. */
export async function keepPlain(ctx: UploadContext, received: Incoming): Promise<FileRecord> {
  const mediaType = 'application/octet-stream'
  const nothing = { width: null, height: null, placeholder: null, metadata: {} }
  return { ...(await store(ctx, received, mediaType)), mediaType, ...nothing }
}

async function store(
  ctx: UploadContext,
  { size, hash, bytes }: Incoming,
  type: string,
): Promise<Pick<FileRecord, 'storage' | 'storageKey' | 'size' | 'hash'>> {
  const { spaceId, storage, storageKey } = await claim(ctx, hash)
  const driver = await ctx.services.storages.of({ space_id: spaceId, storage })
  if ((await driver.stat(storageKey))?.size !== size)
    await driver.write(storageKey, bytes, {
      type,
      size,
      sha256: hash.toString('hex'),
      ...(ctx.signal ? { signal: ctx.signal } : {}),
    })
  return { storage, storageKey, size, hash }
}

interface Claim {
  spaceId: number
  storage: string
  storageKey: string
}

/** Takes a place in the space's storage. Asks again when the row that was to be taken is being removed at this very moment. */
async function claim(ctx: UploadContext, hash: Buffer): Promise<Claim> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ctx.inSpace(async ({ db, scope }) => {
        const { spaceId } = scope
        const storage = await ctx.services.storages.nameFor(db, spaceId)
        return { spaceId, storage, storageKey: await claimBlob(db, scope, storage, hash) }
      })
    } catch (error) {
      if (!hasState(error, 'uniqueViolation') || attempt >= 5) throw error
    }
  }
}

/** Is a file of the one type fit to take the place of one of the other, so that what shows it still can? */
export function isSameKind(before: string, after: string): boolean {
  const kind = (type: string) => /^(?:image|video|audio)\//.exec(type)?.[0] ?? type
  return kind(before) === kind(after)
}
