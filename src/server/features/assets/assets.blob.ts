import type { FileAnswer } from '#shared/contract/endpoint.ts'
import type { UploadContext } from './assets.files.ts'
import { requireAsset } from './assets.service.ts'

/** Media types that browsers display and do not execute. Other files are sent as `application/octet-stream`. */
const shown = /^(?:image\/(?:png|jpeg|webp|avif|gif)|(?:audio|video)\/[\w.+-]+)$/

/** Returns the stored file of an asset. Throws 404, and 503 if its storage does not respond or refuses access. */
export async function readBlob(ctx: UploadContext, id: string): Promise<FileAnswer> {
  const { asset, spaceId } = await ctx.inSpace(async (inside) => ({
    asset: await requireAsset(inside, id),
    spaceId: inside.scope.spaceId,
  }))
  const driver = await ctx.services.storages.of({ space_id: spaceId, storage: asset.storage })
  return {
    bytes: await driver.read(asset.storageKey, undefined, ctx.signal),
    fileName: asset.fileName,
    type: shown.test(asset.mediaType) ? asset.mediaType : 'application/octet-stream',
    size: asset.size,
  }
}
