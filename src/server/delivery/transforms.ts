import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { LRUCache } from 'lru-cache'
import { imageProcesses, transform } from '#server/images/images.ts'
import type { Transform } from '#server/images/transform.ts'
import type { Kept, TransformCache } from '#server/images/transform-cache.ts'
import type { Made, Watermark } from '#server/images/transform-file.ts'
import { createGate } from '#server/lib/gate.ts'
import { createSharedWork } from '#server/lib/shared-work.ts'
import type { Storages } from '#server/storage/index.ts'
import { AppError } from '#shared/errors.ts'
import { canonical } from './asset-parameters.ts'
import type { AssetRow } from './asset-rows.ts'
import { overloaded } from './errors.ts'

export type Result = Kept | Made

export interface Transforms {
  /** Returns the cache key of a result. Results with equal keys have equal bytes, in every process. */
  keyOf(asset: AssetRow, wanted: Transform, watermark: AssetRow | undefined): string
  /**
   * Returns the result. Concurrent callers with the same key share one transform. Throws an `AppError` if the result
   * cannot be produced, and a 429 if too many requests are waiting or the turn of this one does not come within 50
   * seconds.
   */
  obtain(
    key: string,
    asset: AssetRow,
    wanted: Transform,
    watermark: AssetRow | undefined,
    signal: AbortSignal,
  ): Promise<Result>
  /** Removes a stored result from the cache. Call it when the result can no longer be read. */
  forget(key: string): Promise<void>
}

/** Version of the transforms, part of every key. Increment it when the same parameters produce different bytes. */
const recipe = 'imori-transform-1'
/**
 * Limits of concurrent work that fetches sources and produces pictures, and thus of the copies of sources on disk. One
 * space can use half of `active`, because its storage may be slow. A request waits at most 50 seconds, because proxies
 * do not wait longer.
 */
const active = imageProcesses + 6
const limits = { active, activePerLine: active >> 1, waiting: 300, patience: 50_000, refusal: overloaded }
/**
 * Limits of the cache of failures. A transform that failed because the picture is damaged or too large is not retried
 * for ten minutes.
 */
const failures = { max: 2_000, ttl: 600_000 }

/**
 * Produces transforms in the processes of images/, with limited concurrency and turns between spaces. `folder` contains
 * the copies of sources.
 */
export function createTransforms(deps: {
  cache: TransformCache
  storages: Storages
  folder: string
  onError(error: unknown): void
}): Transforms {
  const { cache, storages, folder, onError } = deps
  const gate = createGate(limits)
  const shared = createSharedWork<Result>()
  const failed = new LRUCache<string, AppError>(failures)

  /** Runs `work` with a local path of the file: its path in the storage, or the path of a temporary copy. */
  async function withFile<T>(
    asset: AssetRow,
    signal: AbortSignal,
    work: (path: string) => Promise<T>,
  ): Promise<T> {
    const driver = await storages.of({ space_id: asset.spaceId, storage: asset.storage })
    if (driver.pathOf) return work(driver.pathOf(asset.storageKey))
    const copy = join(folder, randomBytes(12).toString('hex'))
    try {
      await mkdir(folder, { recursive: true })
      await pipeline(await driver.read(asset.storageKey, undefined, signal), createWriteStream(copy), {
        signal,
      })
      return await work(copy)
    } finally {
      await rm(copy, { force: true })
    }
  }

  async function make(
    asset: AssetRow,
    wanted: Transform,
    watermark: (Omit<Watermark, 'path'> & { asset: AssetRow }) | undefined,
    signal: AbortSignal,
  ): Promise<Made> {
    const { focalX, focalY } = asset
    const visitor = {
      line: asset.spaceId,
      onGone(leave: () => void) {
        signal.addEventListener('abort', leave)
        return () => signal.removeEventListener('abort', leave)
      },
    }
    const run = (path: string, mark: Watermark | null) =>
      transform({
        path,
        transform: wanted,
        focalPoint: focalX === null || focalY === null ? null : { x: focalX, y: focalY },
        stripMetadata: asset.settings.stripMetadata,
        watermark: mark,
      })
    return gate.run(visitor, () =>
      withFile(asset, signal, (path) => {
        if (!watermark) return run(path, null)
        const { asset: picture, ...where } = watermark
        return withFile(picture, signal, (markPath) => run(path, { ...where, path: markPath }))
      }),
    )
  }

  return {
    keyOf({ hash, focalX, focalY, settings }, wanted, watermark) {
      const { stripMetadata, watermark: where } = settings
      const point = wanted.width && wanted.height ? [focalX, focalY] : []
      const mark = watermark && [watermark.hash, where?.position, where?.opacity]
      return createHash('sha256')
        .update(JSON.stringify([recipe, hash, canonical(wanted), point, stripMetadata, mark]))
        .digest('hex')
        .slice(0, 40)
    },
    obtain(key, asset, wanted, watermark, signal) {
      return shared.join(
        key,
        async (left) => {
          const kept = await cache.find(key)
          if (kept) return kept
          const known = failed.get(key)
          if (known) throw known
          const where = asset.settings.watermark
          const mark =
            watermark && where
              ? { asset: watermark, position: where.position, opacity: where.opacity }
              : undefined
          const made = await make(asset, wanted, mark, left).catch((error: unknown) => {
            if (error instanceof AppError && ['FileIsDamaged', 'ImageIsTooLarge'].includes(error.code))
              failed.set(key, error)
            throw error
          })
          // A full disk must not prevent the response.
          await cache.keep(key, made).catch(onError)
          return made
        },
        signal,
      )
    },
    forget: (key) => cache.forget(key),
  }
}
