import { z } from 'zod'
import { nameText, storableText } from '../fields/field-type.ts'
import {
  countedTotal,
  idSchema,
  maxSignedUploadBytes,
  nameSchema,
  successSchema,
  timeSchema,
} from './common.ts'
import { endpoint } from './endpoint.ts'
import { secret } from './secret.ts'

/** Upload limits: files per request, bytes per file. */
export const uploadLimits = { files: 10, bytes: 20 * 1024 * 1024 } as const

/** A region of a picture in pixels, measured after the EXIF orientation is applied. */
export const regionSchema = z.strictObject({
  left: z.int().min(0),
  top: z.int().min(0),
  width: z.int().min(1),
  height: z.int().min(1),
})

/** The point that must stay visible when a picture is cropped: 0 to 1 from the left and the top. */
export const focalPointSchema = z.strictObject({ x: z.number().min(0).max(1), y: z.number().min(0).max(1) })

const personSchema = z.object({ _id: idSchema, name: z.string() }).nullable()

/** Metadata read from the file: untrusted, and limited in size. */
const metadataSchema = z.record(z.string(), z.unknown())

export const assetSchema = z.object({
  _id: idSchema,
  fileName: z.string(),
  /** Media type detected from the content, not the type that the client sent: `image/webp`. */
  fileType: z.string(),
  /** Size in bytes. */
  fileSize: z.int(),
  /** URL for sites. It stays the same when the file is replaced. */
  src: z.string(),
  /**
   * Path of a picture of at most 480 px per side for lists, on the installation's origin. Its content never changes.
   * null: not a picture.
   */
  thumbnail: z.string().nullable(),
  /** A thumbhash (base64) to show while the picture loads. */
  placeholder: z.string().nullable(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  title: z.string(),
  description: z.string(),
  altText: z.string(),
  /**
   * `exif`, `colors` (hex, most frequent first), `duration` (seconds) and `frames` (of an animation), if the file has
   * them.
   */
  metadata: metadataSchema,
  /** `_id`s of tags. */
  tags: z.array(idSchema),
  focalPoint: focalPointSchema.nullable(),
  /** Whether the file is readable only with a signed URL that expires. */
  private: z.boolean(),
  /** SHA-256 of the content in hex. */
  hash: z.string(),
  /** Another asset of the space with the same content. null: none. */
  duplicateOf: idSchema.nullable(),
  /** Number of documents that use the asset. null in lists, where uses are not counted. */
  useCount: z.int().nullable(),
  /**
   * Whether the file of an imported asset is missing here, because it could not be fetched or was refused. Sites
   * receive its original URL (`src`).
   */
  elsewhere: z.boolean(),
  /** Whether the file before the last replacement or edit is still recorded. That file can be restored for 30 days. */
  restorable: z.boolean(),
  version: z.int(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
  createdBy: personSchema,
  updatedBy: personSchema,
})
export type Asset = z.infer<typeof assetSchema>

export const tagSchema = z.object({
  _id: idSchema,
  name: z.string(),
  /** Number of assets outside the trash with this tag. */
  assetCount: z.int(),
})
export type Tag = z.infer<typeof tagSchema>

/** A saved filter of the library, shown as a folder. `filter`: query parameters of the asset list. */
export const assetFolderSchema = z.object({
  _id: idSchema,
  name: z.string(),
  filter: z.record(z.string(), z.string()),
})
export type AssetFolder = z.infer<typeof assetFolderSchema>

const uploadResultSchema = z.object({
  fileName: z.string(),
  success: z.boolean(),
  asset: assetSchema.optional(),
  code: z.string().optional(),
  message: z.string().optional(),
})

const assetResultsSchema = z.object({
  results: z.array(z.object({ _id: idSchema, success: z.boolean(), code: z.string().optional() })),
})

const assetIds = z.array(idSchema).min(1).max(200)

const assetChange = z.strictObject({
  fileName: storableText(255).optional(),
  title: nameText(255).optional(),
  description: storableText(2000).optional(),
  altText: storableText(1000).optional(),
  tags: z.array(idSchema).max(100).optional(),
  focalPoint: focalPointSchema.nullish(),
  private: z.boolean().optional(),
  /** The version that the caller edited. */
  version: z.int().optional(),
})

/** Query parameters are text, so the schema parses numbers, and the service parses lists. */
export const assetListQuery = z.strictObject({
  page: z.coerce.number().int().min(1).max(100_000).default(1),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** Words in the title, file name, description or alt text; case, kana type and character width are ignored. */
  search: z.string().max(200).optional(),
  /** In the syntax of `<input type=file accept>`: `image/*,.pdf,video/mp4`. */
  accept: z.string().max(1000).optional(),
  /** `_id`s of assets, separated by commas: only these are listed. */
  ids: z.string().max(5000).optional(),
  createdBy: idSchema.optional(),
  updatedBy: idSchema.optional(),
  /** `_id`s of tags, separated by commas: assets that have all of them. `none`: assets without tags. */
  tags: z.string().max(2600).optional(),
  /** Only pictures without an alt text. */
  missingAlt: z.enum(['true']).optional(),
  /** Only assets with the same content as another asset. */
  duplicates: z.enum(['true']).optional(),
  trash: z.enum(['true']).optional(),
  order: z
    .enum(['-createdAt', 'createdAt', '-updatedAt', 'fileName', '-fileName', '-fileSize', 'fileSize'])
    .default('-createdAt'),
})

/** The number of bytes that an upload has received. */
const receivedHeaders = z.object({ 'upload-offset': z.string() })

export const assetEndpoints = {
  listAssets: endpoint('GET /api/project/{p}/assets', {
    programs: 'apiToken',
    summary: 'List assets of the media library',
    description:
      'Filtered results are counted up to 10,000, search results up to 1,000: `isMore` is true if ' +
      'there are more than `total`. The trash is always sorted by the time of deletion, newest first.',
    permission: 'asset.read',
    query: assetListQuery,
    response: z.object({
      assets: z.array(assetSchema),
      ...countedTotal,
      page: z.int(),
      limit: z.int(),
    }),
  }),
  getAsset: endpoint('GET /api/project/{p}/assets/{id}', {
    programs: 'apiToken',
    summary: 'Get an asset and the number of its uses',
    description: '404 for an asset in the trash.',
    permission: 'asset.read',
    response: z.object({ asset: assetSchema }),
  }),
  uploadAssets: endpoint('POST /api/project/{p}/assets', {
    audit: { act: 'asset.create' },
    programs: 'apiToken',
    summary: 'Upload up to 10 files of up to 20 MiB (multipart, parts named `file`)',
    description:
      'Each file is stored or refused separately; `results` has the outcomes in the order of the files. ' +
      '503 or 507 if every file failed with such an error.',
    permission: 'asset.write.own',
    idempotent: true,
    body: { kind: 'multipart', ...uploadLimits },
    transaction: 'own',
    maximumSeconds: 600,
    response: z.object({ results: z.array(uploadResultSchema) }),
  }),
  uploadAssetFromUrl: endpoint('POST /api/project/{p}/assets:fromUrl', {
    audit: { act: 'asset.create', of: 'asset', shows: ['fileName', 'fileType', 'fileSize'] },
    programs: 'apiToken',
    summary: 'Upload a file from a public URL to the media library',
    description:
      '400 `FileCannotBeFetched` if the URL does not answer with the file within 45 seconds and five ' +
      'redirects, 413 for a file of more than 20 MiB.',
    permission: 'asset.write.own',
    idempotent: true,
    body: z.strictObject({ url: z.url().max(4096) }),
    transaction: 'own',
    maximumSeconds: 60,
    response: z.object({ asset: assetSchema }),
  }),
  signUpload: endpoint('GET /api/project/{p}/assets/signedUrl', {
    letsWrite: true,
    summary: 'Get a URL to upload a file of exactly this type and size',
    description:
      'The URL accepts a PUT for ten minutes. `confirmUpload` then creates the asset, at most an hour ' +
      'later. 413 for a file of more than 20 MiB, 400 `FileIsEmpty` for an empty one. Limits for ' +
      'unconfirmed uploads: 200 and 1 GB per account over all its spaces, 2,000 and 10 GB per space. ' +
      'More are refused with 429 `TooManyOpenUploads` until some are confirmed or an hour old.',
    permission: 'asset.write.own',
    transaction: 'own',
    query: z.strictObject({
      fileName: storableText(1024),
      fileType: z.string().max(255),
      fileSize: z.coerce.number().int().min(0),
    }),
    response: z.object({
      _id: idSchema,
      /** URL for the PUT request: absolute, or a path below the installation's origin. */
      url: z.string(),
      headers: z.record(z.string(), z.string()),
      token: secret(),
      /**
       * Signed pass that lets the admin's upload script connect to `url` on another origin. null: `url` is on the
       * installation's origin.
       */
      pass: z.string().nullable(),
      expiresAt: timeSchema,
      /**
       * Whether an upload can continue after an interruption. `HEAD url` returns `Upload-Offset`, and a PUT with
       * `Content-Range` continues from this offset.
       */
      resumable: z.boolean(),
    }),
  }),
  getUploadOffset: endpoint('HEAD /api/uploads/{token}', {
    summary: 'Get the number of received bytes of an upload',
    description:
      'The path is the URL of a signed upload that this installation receives. 403 for an expired URL, ' +
      '409 `UploadIsFinished` for a confirmed upload.',
    permission: 'public',
    caller: 'signedAddress',
    cors: 'any',
    rate: { address: 300 },
    response: { kind: 'none', headers: receivedHeaders },
  }),
  receiveUpload: endpoint('PUT /api/uploads/{token}', {
    audit: { none: 'the confirmation of the upload is recorded' },
    summary: 'Send the bytes of an upload to its signed URL',
    description:
      'A PUT with `Content-Range: bytes {offset}-{last}/{size}` resumes at the offset, a PUT without it ' +
      'starts from the beginning. 409 `UploadIsIncomplete` with the current `Upload-Offset` for another ' +
      'offset, and while another request sends bytes. 413 for more bytes than the signed size, 415 for ' +
      'another type than the signed one, and the errors of `getUploadOffset`.',
    permission: 'public',
    caller: 'signedAddress',
    cors: 'any',
    rate: { address: 300 },
    headers: z.object({
      'content-type': z.string().optional(),
      'content-length': z.string().optional(),
      'content-range': z.string().optional(),
    }),
    body: { kind: 'stream', types: ['*'] },
    maximumBytes: maxSignedUploadBytes,
    response: { kind: 'none', headers: receivedHeaders },
  }),
  confirmUpload: endpoint('POST /api/project/{p}/assets/{id}/signedUrl', {
    audit: { act: 'asset.create', of: 'asset', shows: ['fileName', 'fileType', 'fileSize'] },
    summary: 'Confirm an upload and create its asset',
    description:
      'Checks size, type and content of the uploaded file. A repeated call returns the same asset. 403 ' +
      '`Forbidden` for a token that has expired or belongs to another account. 409 `UploadIsIncomplete` ' +
      'if bytes are missing.',
    permission: 'asset.write.own',
    idempotent: true,
    body: z.strictObject({ data: z.strictObject({ token: z.string().max(8192) }) }),
    transaction: 'own',
    maximumSeconds: 60,
    response: z.object({ asset: assetSchema }),
  }),
  updateAsset: endpoint('PATCH /api/project/{p}/assets/{id}', {
    audit: { act: 'asset.update', of: 'asset', shows: ['fileName', 'title', 'description', 'altText'] },
    summary: 'Update the details of an asset',
    description:
      'Without the right `asset.write.any`, members can change only their own uploads. Omitted ' +
      'properties stay unchanged. 409 `VersionConflict` for another `version` than the current one.',
    permission: 'asset.write.own',
    body: z.strictObject({ data: assetChange }),
    response: z.object({ asset: assetSchema }),
  }),
  replaceAsset: endpoint('PUT /api/project/{p}/assets/{id}:refresh', {
    audit: { act: 'asset.replace', of: 'asset', shows: ['fileName', 'fileType', 'fileSize'] },
    summary: 'Replace the file of an asset (multipart, one part `file`)',
    description:
      'The URL and the details of the asset stay. A focal point stays only if the new picture has the ' +
      'same size. 415 `UnsupportedMediaType` for a file of another kind. The previous file can be ' +
      'restored for 30 days (`editAssetPicture`).',
    permission: 'asset.write.own',
    body: { kind: 'multipart', files: 1, bytes: uploadLimits.bytes },
    transaction: 'own',
    maximumSeconds: 600,
    response: z.object({ asset: assetSchema }),
  }),
  editAssetPicture: endpoint('PATCH /api/project/{p}/assets/{id}:refresh', {
    audit: { act: 'asset.edit', of: 'asset', shows: ['width', 'height', 'fileSize'] },
    summary: 'Crop or rotate a picture, or restore its previous file',
    description:
      'The picture is rotated clockwise first, then cropped to a region of the rotated picture. Both ' +
      'remove the focal point. `restore` restores the file before the last change, also after ' +
      '`replaceAsset` (404 after 30 days). 409 `VersionConflict` for another `version` than the current ' +
      'one.',
    permission: 'asset.write.own',
    body: z.strictObject({
      data: z.strictObject({
        rotate: z.literal([0, 90, 180, 270]).optional(),
        region: regionSchema.optional(),
        restore: z.literal(true).optional(),
        version: z.int().optional(),
      }),
    }),
    transaction: 'own',
    maximumSeconds: 60,
    response: z.object({ asset: assetSchema }),
  }),
  updateAssetTags: endpoint('POST /api/project/{p}/assets/bulkTagsUpdate', {
    idempotent: true,
    audit: { act: 'asset.tag' },
    summary: 'Add tags to assets and remove tags from them',
    description:
      'Returns a result for each asset. A tag in both lists is added. 400 for an unknown tag in `add`.',
    permission: 'asset.write.own',
    body: z.strictObject({
      assetIds,
      add: z.array(idSchema).max(100).default([]),
      remove: z.array(idSchema).max(100).default([]),
    }),
    response: assetResultsSchema,
  }),
  deleteAssets: endpoint('POST /api/project/{p}/assets/bulkDelete', {
    idempotent: true,
    audit: { act: 'asset.delete' },
    summary: 'Move assets to the trash, where they stay for 30 days',
    description:
      'Returns a result for each asset. Documents keep their references to them, which resolve to ' +
      'nothing.',
    permission: 'asset.write.own',
    body: z.strictObject({ assetIds }),
    response: assetResultsSchema,
  }),
  restoreAssets: endpoint('POST /api/project/{p}/assets/bulkRestore', {
    idempotent: true,
    audit: { act: 'asset.restore' },
    summary: 'Restore assets from the trash',
    description:
      'Returns a result for each asset. Restoring an asset that is not in the trash succeeds without a ' +
      'change.',
    permission: 'asset.write.own',
    body: z.strictObject({ assetIds }),
    response: assetResultsSchema,
  }),
  deleteAsset: endpoint('DELETE /api/project/{p}/asset/{id}', {
    audit: { act: 'asset.delete' },
    summary: 'Move an asset to the trash',
    description:
      'It stays there for 30 days. Documents keep their references to it, which resolve to nothing.',
    permission: 'asset.write.own',
    response: successSchema,
  }),
  getAssetBlob: endpoint('GET /api/project/{p}/assets/{id}/getBlob', {
    summary: 'Download the original file of an asset',
    description: 'Always sent as a sandboxed `attachment`.',
    permission: 'asset.read',
    transaction: 'own',
    maximumSeconds: 600,
    response: { kind: 'file' },
  }),
  getAssetReferences: endpoint('GET /api/project/{p}/asset/{id}/references', {
    summary: 'List the documents that use an asset',
    description:
      'Contains documents that the caller can read, last updated first. `total` is the number of all of ' +
      'them, `hidden` the number of others. Also works for an asset in the trash.',
    permission: 'asset.read',
    query: z.strictObject({ limit: z.coerce.number().int().min(1).max(200).default(50) }),
    response: z.object({
      references: z.array(
        z.object({
          app: z.object({ uid: z.string(), name: z.string() }),
          model: z.object({ uid: z.string(), name: z.string() }),
          _id: idSchema,
          title: z.string(),
          published: z.boolean(),
          /** uids of the fields whose value is the asset. Lists can be filtered by these fields. */
          fields: z.array(z.string()),
          /**
           * The first ten occurrences in the document. `path`: for example `sections.2.data.body`. `names`: the names
           * of the fields along the path, with item numbers from 1 (`['セクション', 3, '本文']`).
           */
          places: z.array(z.object({ path: z.string(), names: z.array(z.union([z.string(), z.int()])) })),
        }),
      ),
      total: z.int(),
      hidden: z.int(),
    }),
  }),
  listTags: endpoint('GET /api/project/{p}/tags', {
    summary: 'List the tags of the media library by name, with their numbers of assets',
    permission: 'asset.read',
    response: z.object({ tags: z.array(tagSchema) }),
  }),
  createTag: endpoint('POST /api/project/{p}/tags', {
    audit: { act: 'tag.create', of: 'tag', shows: ['name'] },
    summary: 'Create a tag',
    description:
      'Names that differ only in case, width or kana count as equal (409 `TagNameIsAlreadyInUse`). 400 ' +
      '`InvalidTagName` for a name with a comma, an angle bracket or invisible characters.',
    permission: 'tag.manage',
    idempotent: true,
    body: z.strictObject({ data: z.strictObject({ name: nameSchema }) }),
    response: z.object({ tag: tagSchema }),
  }),
  updateTag: endpoint('PUT /api/project/{p}/tags/{id}', {
    audit: { act: 'tag.update', of: 'tag', shows: ['name'] },
    summary: 'Rename a tag without removing it from assets',
    description: 'Refuses names like `createTag`.',
    permission: 'tag.manage',
    body: z.strictObject({ data: z.strictObject({ name: nameSchema }) }),
    response: z.object({ tag: tagSchema }),
  }),
  deleteTag: endpoint('DELETE /api/project/{p}/tags/{id}', {
    audit: { act: 'tag.delete' },
    summary: 'Delete a tag and remove it from all assets',
    permission: 'tag.manage',
    response: successSchema,
  }),
  listAssetFolders: endpoint('GET /api/project/{p}/assetFolders', {
    summary: 'List the saved filters of the media library, in their order',
    permission: 'asset.read',
    response: z.object({ assetFolders: z.array(assetFolderSchema) }),
  }),
  createAssetFolder: endpoint('POST /api/project/{p}/assetFolders', {
    audit: { act: 'assetFolder.create', of: 'assetFolder', shows: ['name'] },
    summary: 'Create a saved filter of the media library',
    description: '`filter` can have the parameters of `listAssets`. A space can have 200 saved filters.',
    permission: 'tag.manage',
    idempotent: true,
    body: z.strictObject({ data: assetFolderSchema.omit({ _id: true }).extend({ name: nameSchema }) }),
    response: z.object({ assetFolder: assetFolderSchema }),
  }),
  updateAssetFolder: endpoint('PUT /api/project/{p}/assetFolders/{id}', {
    audit: { act: 'assetFolder.update', of: 'assetFolder', shows: ['name'] },
    summary: 'Update a saved filter of the media library',
    permission: 'tag.manage',
    body: z.strictObject({
      data: assetFolderSchema.omit({ _id: true }).extend({ name: nameSchema }).partial(),
    }),
    response: z.object({ assetFolder: assetFolderSchema }),
  }),
  deleteAssetFolder: endpoint('DELETE /api/project/{p}/assetFolders/{id}', {
    audit: { act: 'assetFolder.delete' },
    summary: 'Delete a saved filter without deleting assets',
    permission: 'tag.manage',
    response: successSchema,
  }),
}
