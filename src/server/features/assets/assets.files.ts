import type { KeyedTransactions, OwnTransactions, SpaceContext, Work } from '#server/access/context.ts'
import { hasState } from '#server/db/sql-states.ts'
import { inspect } from '#server/images/images.ts'
import { uploadLimits } from '#shared/contract/assets.ts'
import type { FilePart } from '#shared/contract/endpoint.ts'
import { invalid } from '#shared/errors.ts'
import type { FileRecord } from './assets.repository.ts'
import { claimBlob } from './blobs.repository.ts'
import { type Incoming, receive, receiveBytes } from './incoming.ts'

export type UploadContext = OwnTransactions<SpaceContext>
/** The context for creating assets. A repeated request with the same idempotency key creates no assets. */
export type CreationContext = KeyedTransactions<SpaceContext>

/** Receives a file of at most 20 MB. Throws 413, 507 and errors of the stream. */
export function receiveFile({ services, signal }: Work, bytes: AsyncIterable<Uint8Array>): Promise<Incoming> {
  return receive(services.config, bytes, { maximum: uploadLimits.bytes, signal })
}

/**
 * Receives the only file of a body and removes it when `work` is done. Throws 400 if the body contains no file, and
 * like {@link receiveFile}.
 */
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

/** A received file with its properties. `file` has the bytes to store, which may differ from the received ones. */
export interface InspectedFile {
  file: Incoming
  properties: Omit<FileRecord, 'storage' | 'storageKey' | 'size' | 'hash'>
  /** Removes `file`, unless it is the received one. */
  remove(): Promise<void>
}

/** Inspects a received file. Throws the errors of images/images.ts, and 507. */
export async function inspectFile(
  ctx: Work,
  received: Incoming,
  declaredType: string,
): Promise<InspectedFile> {
  const { mediaType, width, height, frames, placeholder, metadata, safeBytes } = await inspect(
    received.path,
    declaredType,
    ctx,
  )
  const about = { ...metadata, ...(frames > 1 ? { frames } : {}) }
  const properties = { mediaType, width, height, placeholder, metadata: about }
  if (!safeBytes) return { file: received, properties, remove: async () => {} }
  const file = await receiveBytes(ctx.services.config, safeBytes)
  return { file, properties, remove: () => file.remove() }
}

/**
 * Writes the content of an inspected file to the space's storage, unless it is there already. The result must be used
 * in a row of `asset` or `form_file` within 24 hours. Throws the errors of storages.
 */
export async function storeFile(
  ctx: UploadContext,
  { file, properties }: InspectedFile,
): Promise<FileRecord> {
  return { ...(await store(ctx, file, properties.mediaType)), ...properties }
}

/** Inspects a received file and stores it. Throws the errors of {@link inspectFile} and {@link storeFile}. */
export async function keepFile(
  ctx: UploadContext,
  received: Incoming,
  declaredType: string,
): Promise<FileRecord> {
  const inspected = await inspectFile(ctx, received, declaredType)
  try {
    return await storeFile(ctx, inspected)
  } finally {
    await inspected.remove()
  }
}

/** Stores a file without inspection, as `application/octet-stream`, so that browsers download it. */
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

/**
 * Claims a key in the space's storage. Makes up to five attempts if the existing row is being removed at the same time.
 */
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

/** Checks whether pages that use a file of type `before` still work with a file of type `after`. */
export function isSameKind(before: string, after: string): boolean {
  const kind = (type: string) => /^(?:image|video|audio)\//.exec(type)?.[0] ?? type
  return kind(before) === kind(after)
}
