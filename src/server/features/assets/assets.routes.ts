import type { Work } from '#server/access/context.ts'
import { implement } from '#server/http/endpoints.ts'
import { thumbnailAddress } from '#server/images/addresses.ts'
import { assetAddress } from '#shared/asset-address.ts'
import { assetEndpoints } from '#shared/contract/assets.ts'
import { success } from '#shared/contract/common.ts'
import * as blobs from './assets.blob.ts'
import * as assets from './assets.service.ts'
import * as uploads from './assets.upload.ts'
import type { AssetFolder } from './folders.repository.ts'
import * as folders from './folders.service.ts'
import * as received from './receive-upload.service.ts'
import { listUsers } from './references.ts'
import * as signed from './signed-uploads.service.ts'
import * as tags from './tags.service.ts'

function present(
  { id, spaceUid, mediaType, size, hash, elsewhere, ...asset }: assets.AssetView,
  { services: { config, secrets } }: Pick<Work, 'services'>,
) {
  const { fileName, width } = asset
  const hex = hash.toString('hex')
  return {
    ...asset,
    _id: id,
    fileType: mediaType,
    fileSize: size,
    src: elsewhere?.src ?? assetAddress(config, spaceUid, id, fileName),
    elsewhere: elsewhere !== null,
    thumbnail:
      width === null
        ? null
        : thumbnailAddress(secrets, spaceUid, { id, fileName, private: asset.private, hash: hex }),
    hash: hex,
  }
}

const presentFolder = ({ id, ...folder }: AssetFolder) => ({ _id: id, ...folder })
const presentTag = ({ id, ...tag }: { id: string; name: string; assetCount: number }) => ({ _id: id, ...tag })

export const assetRoutes = implement(assetEndpoints, {
  listAssets: async (ctx, { query }) => {
    const { missingAlt, duplicates, trash, ...filter } = query
    const found = await assets.listAssets(ctx, {
      ...filter,
      missingAlt: missingAlt === 'true',
      duplicates: duplicates === 'true',
      trash: trash === 'true',
    })
    return {
      assets: found.assets.map((asset) => present(asset, ctx)),
      total: found.total,
      isMore: found.isMore,
      page: query.page,
      limit: query.limit,
    }
  },
  getAsset: async (ctx, { params }) => ({
    asset: present(await assets.getAsset(ctx, params.id), ctx),
  }),
  uploadAssets: async (ctx, { body }) => {
    const results = await uploads.uploadAssets(ctx, body)
    return {
      results: results.map((result) =>
        result.success ? { ...result, asset: present(result.asset, ctx) } : result,
      ),
    }
  },
  uploadAssetFromUrl: async (ctx, { body }) => ({
    asset: present(await uploads.uploadFromUrl(ctx, body.url), ctx),
  }),
  signUpload: async (ctx, { query }) => {
    const { id, ...upload } = await signed.signUpload(ctx, query)
    return { _id: id, ...upload }
  },
  getUploadOffset: async (ctx, { params }) => ({
    headers: { 'upload-offset': String(await received.getUploadOffset(ctx, params.token)) },
  }),
  receiveUpload: async (ctx, { params, headers, body }) => ({
    headers: { 'upload-offset': String(await received.receiveUpload(ctx, params.token, headers, body)) },
  }),
  confirmUpload: async (ctx, { params, body }) => ({
    asset: present(await signed.confirmUpload(ctx, params.id, body.data.token), ctx),
  }),
  updateAsset: async (ctx, { params, body }) => ({
    asset: present(await assets.updateAsset(ctx, params.id, body.data), ctx),
  }),
  replaceAsset: async (ctx, { params, body }) => ({
    asset: present(await uploads.replaceAsset(ctx, params.id, body), ctx),
  }),
  editAssetPicture: async (ctx, { params, body }) => ({
    asset: present(await uploads.editPicture(ctx, params.id, body.data), ctx),
  }),
  updateAssetTags: async (ctx, { body }) => ({
    results: await assets.updateAssetTags(ctx, body.assetIds, body.add, body.remove),
  }),
  deleteAssets: async (ctx, { body }) => ({ results: await assets.deleteAssets(ctx, body.assetIds) }),
  restoreAssets: async (ctx, { body }) => ({ results: await assets.restoreAssets(ctx, body.assetIds) }),
  deleteAsset: async (ctx, { params }) => {
    await assets.deleteAsset(ctx, params.id)
    return success
  },
  getAssetBlob: (ctx, { params }) => blobs.readBlob(ctx, params.id),
  getAssetReferences: async (ctx, { params, query }) => {
    await assets.requireAsset(ctx, params.id, { trashed: true })
    const { users, total, hidden } = await listUsers(ctx, params.id, query.limit)
    return { references: users.map(({ id, ...user }) => ({ _id: id, ...user })), total, hidden }
  },
  listTags: async (ctx) => ({ tags: (await tags.listTags(ctx)).map(presentTag) }),
  createTag: async (ctx, { body }) => ({ tag: presentTag(await tags.createTag(ctx, body.data.name)) }),
  updateTag: async (ctx, { params, body }) => ({
    tag: presentTag(await tags.updateTag(ctx, params.id, body.data.name)),
  }),
  deleteTag: async (ctx, { params }) => {
    await tags.deleteTag(ctx, params.id)
    return success
  },
  listAssetFolders: async (ctx) => ({ assetFolders: (await folders.listFolders(ctx)).map(presentFolder) }),
  createAssetFolder: async (ctx, { body }) => ({
    assetFolder: presentFolder(await folders.createFolder(ctx, body.data)),
  }),
  updateAssetFolder: async (ctx, { params, body }) => ({
    assetFolder: presentFolder(await folders.updateFolder(ctx, params.id, body.data)),
  }),
  deleteAssetFolder: async (ctx, { params }) => {
    await folders.deleteFolder(ctx, params.id)
    return success
  },
})
