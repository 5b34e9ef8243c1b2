import type { SpaceContext } from '#server/access/context.ts'
import { lockQuota, quotaExceeded } from '#server/access/entitlements.ts'
import type { AppError } from '#shared/errors.ts'

/** The room for assets that the billing plan of a space leaves. */
export interface AssetRoom {
  /** Reserves room for one asset. Returns the error if there is none, and reserves nothing. */
  reserve(bytes: number): AppError | null
  /** Whether the plan has no limits for assets. */
  isUnlimited: boolean
}

/**
 * Locks the quotas of the number and of the bytes of assets until the transaction ends, unless they have no limit. A
 * transaction must reserve all its assets in one room, because the database counts them when the transaction ends.
 */
export async function lockAssetRoom(ctx: SpaceContext): Promise<AssetRoom> {
  const count = await lockQuota(ctx, 'assets')
  const storage = await lockQuota(ctx, 'storage')
  return {
    isUnlimited: !count && !storage,
    reserve(bytes) {
      if (count && count.used + 1 > count.limit) return quotaExceeded('assets', count)
      if (storage && storage.used + bytes > storage.limit) return quotaExceeded('storage', storage)
      if (count) count.used += 1
      if (storage) storage.used += bytes
      return null
    },
  }
}

/** Throws `AssetQuotaExceeded` or `StorageQuotaExceeded` if the space has no room for one more asset of this size. */
export async function requireAssetRoom(ctx: SpaceContext, bytes: number): Promise<void> {
  const refusal = (await lockAssetRoom(ctx)).reserve(bytes)
  if (refusal) throw refusal
}
