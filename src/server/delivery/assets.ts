import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Config, Secrets } from '#server/config.ts'
import type { Registry } from '#server/content/registry.ts'
import type { Database } from '#server/db/connection.ts'
import { isSigned } from '#server/images/addresses.ts'
import { createTransformCache, type Kept } from '#server/images/transform-cache.ts'
import type { Made } from '#server/images/transform-file.ts'
import { StorageNotFound } from '#server/storage/driver.ts'
import type { Storages } from '#server/storage/index.ts'
import { idPattern } from '#shared/identifiers.ts'
import { createAppPictures } from './app-pictures.ts'
import { assetHeaders, pictureHeaders } from './asset-headers.ts'
import { type Asked, needsSignature, planTransform, readParameters } from './asset-parameters.ts'
import { type AssetRow, createAssetRows, formerUidPattern } from './asset-rows.ts'
import { type ByteRange, type ByteSource, sendBytes } from './byte-answers.ts'
import { DeliveryError } from './errors.ts'
import { nothingThere, type Site } from './site.ts'
import { createTransforms } from './transforms.ts'

/** Size limits in bytes of the cache for small files and transform results. */
const memory = {
  maxSize: 64 * 1024 * 1024,
  maxEntrySize: 1024 * 1024,
  sizeCalculation: (body: Buffer) => body.length + 200,
}
const largestRemembered = memory.maxEntrySize - 200
/** Chunk size for reading files, in bytes. */
const pieceBytes = 256 * 1024

export interface AssetDelivery {
  /**
   * Responds to `GET|HEAD /v1/{assetUid}/{fileName}` for the assets of a space and the icons and covers of its apps.
   * Throws `DeliveryError` and `AppError`.
   */
  answer(
    request: FastifyRequest,
    reply: FastifyReply,
    site: Site,
    segments: string[],
    query: string,
  ): Promise<FastifyReply>
  close(): Promise<void>
}

interface Plan {
  headers: Record<string, string>
  etag: string
  /** Whether later requests may use the plan. A plan with a signature depends on the current time. */
  isLasting: boolean
  /** `gone` returns a signal that aborts when the client disconnects. */
  open(gone: () => AbortSignal): Promise<ByteSource>
}

/** Maximum number of cached plans per asset, and maximum length of the key of a cached plan. */
const maximumPlans = 50
const longestName = 1_000

/** Creates the delivery of media library files and transformed pictures. */
export function createAssetDelivery(deps: {
  config: Config
  secrets: Secrets
  database: Pick<Database, 'deliveryPool'>
  registry: Registry
  storages: Storages
  onError(error: unknown): void
}): AssetDelivery {
  const { config, secrets, storages, onError } = deps
  const findAsset = createAssetRows(deps.database, deps.registry.versions)
  const findAppPicture = createAppPictures(deps.database, deps.registry.versions)
  const cache = createTransformCache(join(config.dataDir, 'transforms'), config.transformCache)
  const transforms = createTransforms({
    cache,
    storages,
    folder: join(config.dataDir, 'transforms', 'sources'),
    onError,
  })
  /**
   * Small files by hash, and transform results by key. The content of a key never changes, so entries cannot become
   * outdated.
   */
  const bodies = new LRUCache<string, Buffer>(memory)

  /**
   * Creates a byte source that reads with `read`. Caches the bytes if there are at most `largestRemembered` of them.
   */
  function source(
    name: string,
    size: number,
    read: (range: ByteRange) => Promise<AsyncIterable<Uint8Array>>,
  ): ByteSource {
    return {
      size,
      async open(range) {
        const known = bodies.get(name)
        if (known) return known.subarray(range.start, range.end + 1)
        if (size > largestRemembered) return read(range)
        const body = await gather(await read({ start: 0, end: size - 1 }))
        bodies.set(name, body)
        return body.subarray(range.start, range.end + 1)
      },
    }
  }

  async function original(asset: AssetRow): Promise<ByteSource> {
    const { hash, size, storageKey } = asset
    return source(hash, size, async (range) => {
      const driver = await storages.of({ space_id: asset.spaceId, storage: asset.storage })
      if (!driver.pathOf) return driver.read(storageKey, range)
      return readFile(driver.pathOf(storageKey), range).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? new StorageNotFound() : error
      })
    })
  }

  async function picture(
    key: string,
    asset: AssetRow,
    wanted: ReturnType<typeof planTransform>,
    watermark: AssetRow | undefined,
    gone: () => AbortSignal,
  ): Promise<ByteSource> {
    const known = bodies.get(key)
    if (known) return inMemory(known)
    const signal = gone()
    const result = await transforms.obtain(key, asset, wanted, watermark, signal)
    if ('bytes' in result) {
      const body = bufferOf(result)
      bodies.set(key, body)
      return inMemory(body)
    }
    const { path, start, size } = result
    return source(key, size, async (range) => {
      const from = { start: start + range.start, end: start + range.end }
      return readFile(path, from).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
        // The file was evicted in the meantime, so it is produced again.
        await transforms.forget(key)
        const again = await transforms.obtain(key, asset, wanted, watermark, signal)
        const bytes = 'bytes' in again ? bufferOf(again) : await readWhole(again)
        return Readable.from([bytes.subarray(range.start, range.end + 1)])
      })
    })
  }

  function mayRead(asset: AssetRow, asked: Asked): void {
    const { signature, signed, expires, transform } = asked
    const right = signature !== undefined && isSigned(secrets, asset, signed, signature)
    const now = Date.now() / 1000
    if (right && expires !== undefined && expires < now) throw denied('This address has expired.')
    if (right && (expires !== undefined || !asset.isPrivate)) return
    if (asset.isPrivate) throw denied('This file is read with an address that is signed and expires.')
    const name = transform && needsSignature(asset, transform)
    if (name) throw denied(`The parameter "${name}" with this value needs an address that is signed.`)
  }

  async function plan(asset: AssetRow, query: string, accept: string): Promise<Plan> {
    const asked = readParameters(query)
    mayRead(asset, asked)
    const { version, expires, signature, transform } = asked
    const isLasting = signature === undefined
    if (!transform) {
      const headers = assetHeaders(asset, asset.mediaType, { version, expires, isMade: false })
      return { headers, etag: `"${asset.hash.slice(0, 40)}"`, isLasting, open: () => original(asset) }
    }
    const wanted = planTransform(asset, transform, accept)
    const { watermark } = asset.settings
    const mark = watermark ? await findAsset(asset.spaceUid.toLowerCase(), watermark.assetId) : undefined
    const key = transforms.keyOf(asset, wanted, mark)
    const headers = assetHeaders(asset, `image/${wanted.format}`, { version, expires, isMade: true })
    if (transform.format === 'auto') headers.vary = 'Accept'
    const open = (signal: () => AbortSignal) => picture(key, asset, wanted, mark, signal)
    return { headers, etag: `"${key}"`, isLasting, open }
  }

  /** Plans of earlier requests. A plan is valid as long as `findAsset` returns the same row object. */
  const plans = new WeakMap<AssetRow, Map<string, Plan>>()

  async function knownPlan(asset: AssetRow, query: string, accept: string): Promise<Plan> {
    const known = plans.get(asset) ?? new Map<string, Plan>()
    const name = `${query} ${query.includes('auto') ? accept : ''}`
    const found = known.get(name)
    if (found) return found
    const made = await plan(asset, query, accept)
    if (!made.isLasting || name.length > longestName) return made
    if (known.size >= maximumPlans) known.clear()
    plans.set(asset, known.set(name, made))
    return made
  }

  return {
    async answer(request, reply, site, [assetUid = '', fileName, ...more], query) {
      const lower = assetUid.toLowerCase()
      const id = idPattern.test(lower) ? lower : assetUid
      // The file name is not checked: a URL stays valid when the file is renamed.
      const isAddress = formerUidPattern.test(id) && fileName && more.length === 0
      if (site.space === null || !isAddress) throw new DeliveryError('NotFound', nothingThere)
      const asset = await findAsset(site.space, id)
      if (!asset) {
        const picture = await findAppPicture(site.space, id)
        if (!picture) throw new DeliveryError('NotFound', nothingThere)
        const { mediaType, bytes } = picture
        return sendBytes(request, reply, pictureHeaders(mediaType), `"${id}"`, async () => inMemory(bytes))
      }
      const { headers, etag, open } = await knownPlan(asset, query, request.headers.accept ?? '')
      return sendBytes(request, reply, headers, etag, () => open(() => goneSignal(reply)))
    },
    close: () => cache.close(),
  }
}

const inMemory = (body: Buffer): ByteSource => ({
  size: body.length,
  open: async ({ start, end }) => body.subarray(start, end + 1),
})

const bufferOf = ({ bytes: { buffer, byteOffset, length } }: Made) => Buffer.from(buffer, byteOffset, length)

const readWhole = async ({ path, start, size }: Kept) =>
  gather(await readFile(path, { start, end: start + size - 1 }))

async function readFile(path: string, range: ByteRange): Promise<AsyncIterable<Uint8Array>> {
  const file = await open(path)
  return file.createReadStream({ ...range, highWaterMark: pieceBytes })
}

async function gather(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of bytes) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Returns a signal that aborts when the response is complete or the client has disconnected. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  if (reply.raw.destroyed) controller.abort()
  else reply.raw.once('close', () => controller.abort())
  return controller.signal
}

const denied = (message: string) => new DeliveryError('PermissionDenied', message)
