import type { KeyedTransactions, OwnTransactions, SpaceContext } from '#server/access/context.ts'
import { hasState } from '#server/db/sql-states.ts'
import { inspect } from '#server/images/images.ts'
import { uploadLimits } from '#shared/contract/assets.ts'
import type { FilePart } from '#shared/contract/endpoint.ts'
import { invalid } from '#shared/errors.ts'
import type { FileRecord } from './assets.repository.ts'
import { claimBlob } from './blobs.ts'
import { type Incoming, type IncomingPlace, receive, receiveBytes } from './incoming.ts'

/** What uploads need beside their context. */
export interface UploadEnvironment extends IncomingPlace {
  /** Aborted when the sender has gone, or the time is up. */
  signal?: AbortSignal | undefined
}

export type UploadContext = OwnTransactions<SpaceContext>
/** Of what makes assets: asked for again with the same key, it makes none. */
export type CreationContext = KeyedTransactions<SpaceContext>

/** Receives a file of at most 20 MB. Throws 413, 507 and what its bytes throw. */
export function receiveFile(
  environment: UploadEnvironment,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Incoming> {
  return receive(environment, bytes, { maximum: uploadLimits.bytes, signal: environment.signal })
}

/** Receives the only file of a body, and has it until `work` is done. Throws 400 when there is none, and as {@link receiveFile}. */
export async function withOnlyFile<T>(
  environment: UploadEnvironment,
  files: AsyncIterable<FilePart>,
  work: (file: Incoming, declaredType: string) => Promise<T>,
): Promise<T> {
  const arrived: { file: Incoming; type: string }[] = []
  try {
    for await (const { type, bytes } of files)
      arrived.push({ type, file: await receiveFile(environment, bytes) })
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
  environment: UploadEnvironment,
  received: Incoming,
  declaredType: string,
): Promise<FileRecord> {
  const { signal } = environment
  const { mediaType, width, height, frames, placeholder, metadata, safeBytes } = await inspect(
    received.path,
    declaredType,
    signal,
  )
  const file = safeBytes ? await receiveBytes(environment, safeBytes) : received
  try {
    const about = { ...metadata, ...(frames > 1 ? { frames } : {}) }
    return {
      ...(await store(ctx, environment, file, mediaType)),
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
export async function keepPlain(
  ctx: UploadContext,
  environment: UploadEnvironment,
  received: Incoming,
): Promise<FileRecord> {
  const mediaType = 'application/octet-stream'
  const nothing = { width: null, height: null, placeholder: null, metadata: {} }
  return { ...(await store(ctx, environment, received, mediaType)), mediaType, ...nothing }
}

async function store(
  ctx: UploadContext,
  { signal }: UploadEnvironment,
  { size, hash, bytes }: Incoming,
  type: string,
): Promise<Pick<FileRecord, 'storage' | 'storageKey' | 'size' | 'hash'>> {
  const { spaceId, storage, storageKey } = await claim(ctx, hash)
  const driver = await ctx.storages.of({ space_id: spaceId, storage })
  if ((await driver.stat(storageKey))?.size !== size)
    await driver.write(storageKey, bytes, {
      type,
      size,
      sha256: hash.toString('hex'),
      ...(signal ? { signal } : {}),
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
        const storage = await ctx.storages.nameFor(db, spaceId)
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
