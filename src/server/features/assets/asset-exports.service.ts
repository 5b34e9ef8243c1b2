import type { Storages } from '#server/storage/index.ts'
import type { CarriedAsset } from './asset-exports.repository.ts'

export { type CarriedAsset, findAssetIds, listCarriedAssets } from './asset-exports.repository.ts'

/** Reads the bytes of an asset from its storage. Throws the storage's errors. */
export async function readCarriedAsset(
  storages: Storages,
  spaceId: number,
  { storage, storageKey }: Pick<CarriedAsset, 'storage' | 'storageKey'>,
  signal?: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const driver = await storages.of({ space_id: spaceId, storage })
  return driver.read(storageKey, undefined, signal)
}
