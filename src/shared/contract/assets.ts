import { z } from 'zod'
import { nameText, storableText } from '../fields/field-type.ts'
import { countedTotal, idSchema, nameSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { secret } from './secret.ts'

/** Upload limits of the specification: files per request, bytes per file. */
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

/** An asset as the management API returns it. */
export const assetSchema = z.object({
  _id: idSchema,
  fileName: z.string(),
  /** Media type detected from the content, not the type that the client sent: `image/webp`. */
  fileType: z.string(),
  /** Size in bytes. */
  fileSize: z.int(),
  /** The address that sites use. It stays the same when the file is replaced. */
  src: z.string(),
  /** A picture of at most 480 px for lists, below the installation's origin and immutable. null: not a picture. */
  thumbnail: z.string().nullable(),
  /** A thumbhash (base64) to show while the picture loads. */
  placeholder: z.string().nullable(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  title: z.string(),
  description: z.string(),
  altText: z.string(),
  /** `exif`, `colors` (hex, most frequent first) and `duration` (seconds), if the file has them. */
  metadata: metadataSchema,
  /** `_id`s of tags. */
  tags: z.array(idSchema),
  focalPoint: focalPointSchema.nullable(),
  /** Whether the file is readable only with a signed address that expires. */
  private: z.boolean(),
  /** SHA-256 of the content in hex. */
  hash: z.string(),
  /** Another asset of the space with the same content. null: none. */
  duplicateOf: idSchema.nullable(),
  /** Number of documents that use the asset. null in lists, where uses are not counted. */
  useCount: z.int().nullable(),
  /**
   * Whether an imported asset has no file here, because the file could not be fetched or was refused. Sites receive its
   * original address (`src`).
   */
  elsewhere: z.boolean(),
  /** Whether the file before the last replacement or edit can be restored. */
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
  /** Number of assets with this tag. */
  assetCount: z.int(),
})
export type Tag = z.infer<typeof tagSchema>

/** A saved filter of the library, shown as a folder. `filter` are parameters of the list. */
export const assetFolderSchema = z.object({
  _id: idSchema,
  name: z.string(),
  filter: z.record(z.string(), z.string()),
})
export type AssetFolder = z.infer<typeof assetFolderSchema>

/** The result for one of several uploaded files. */
const uploadResultSchema = z.object({
  fileName: z.string(),
  success: z.boolean(),
  asset: assetSchema.optional(),
  /** Error code if the file was refused. */
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

/** Query parameters are all text, so the schema parses numbers, and the service parses lists. */
export const assetListQuery = z.strictObject({
  page: z.coerce.number().int().min(1).max(100_000).default(1),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** Words in the title, file name, description or alt text; kana type and character width are ignored. */
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

export const assetEndpoints = {
  listAssets: endpoint('GET /api/project/{p}/assets', {
    summary:
      'A page of the media library. What filters find is counted to 10,000: `isMore` says that there are more than `total`.',
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
    summary: 'One asset with the number of its uses.',
    permission: 'asset.read',
    response: z.object({ asset: assetSchema }),
  }),
  uploadAssets: endpoint('POST /api/project/{p}/assets', {
    audit: { act: 'asset.create' },
    summary:
      'Upload up to 10 files of up to 20 MB (multipart, parts named `file`). Each stands for itself: ' +
      '`results` says in their order what was kept and why something was refused. 503 or 507 when the server could keep none.',
    permission: 'asset.write.own',
    idempotent: true,
    body: { kind: 'multipart', ...uploadLimits },
    transaction: 'own',
    maximumSeconds: 600,
    response: z.object({ results: z.array(uploadResultSchema) }),
  }),
  uploadAssetFromUrl: endpoint('POST /api/project/{p}/assets:fromUrl', {
    audit: { act: 'asset.create', of: 'asset', shows: ['fileName', 'fileType', 'fileSize'] },
    summary: 'Fetch a file from a public address into the library.',
    permission: 'asset.write.own',
    idempotent: true,
    body: z.strictObject({ url: z.url().max(4096) }),
    transaction: 'own',
    maximumSeconds: 60,
    response: z.object({ asset: assetSchema }),
  }),
  signUpload: endpoint('GET /api/project/{p}/assets/signedUrl', {
    letsWrite: true,
    summary:
      'Where to PUT a file of exactly this type and size within ten minutes: the asset is made by the confirmation. So many may wait for theirs: 200 ' +
      'and 1 GB of one account over all its spaces, 2,000 and 10 GB in a space; more are refused with `TooManyOpenUploads` until some are confirmed, or an hour old.',
    permission: 'asset.write.own',
    transaction: 'own',
    query: z.strictObject({
      fileName: storableText(1024),
      fileType: z.string().max(255),
      fileSize: z.coerce.number().int().min(0),
    }),
    response: z.object({
      _id: idSchema,
      /** Address for the PUT request: absolute, or a path below the installation's origin. */
      url: z.string(),
      /** Headers that the PUT request must send. */
      headers: z.record(z.string(), z.string()),
      /** The token that `confirmUpload` requires. */
      token: secret(),
      /**
       * Signed pass that lets the admin's upload script connect to `url` on another origin. null: `url` is on the same
       * origin.
       */
      pass: z.string().nullable(),
      expiresAt: timeSchema,
      /**
       * Whether an upload can continue after an interruption: `HEAD url` returns `Upload-Offset`, and a PUT with
       * `Content-Range` continues from there.
       */
      resumable: z.boolean(),
    }),
  }),
  confirmUpload: endpoint('POST /api/project/{p}/assets/{id}/signedUrl', {
    audit: { act: 'asset.create', of: 'asset', shows: ['fileName', 'fileType', 'fileSize'] },
    summary:
      'Make the asset of what was PUT: its size, type and content are checked now. Repeated, it answers the same asset.',
    permission: 'asset.write.own',
    idempotent: true,
    body: z.strictObject({ data: z.strictObject({ token: z.string().max(8192) }) }),
    transaction: 'own',
    maximumSeconds: 60,
    response: z.object({ asset: assetSchema }),
  }),
  updateAsset: endpoint('PATCH /api/project/{p}/assets/{id}', {
    audit: { act: 'asset.update', of: 'asset', shows: ['fileName', 'title', 'description', 'altText'] },
    summary: 'Change what is said of an asset. Own uploads, or any with the right to.',
    permission: 'asset.write.own',
    body: z.strictObject({ data: assetChange }),
    response: z.object({ asset: assetSchema }),
  }),
  replaceAsset: endpoint('PUT /api/project/{p}/assets/{id}:refresh', {
    audit: { act: 'asset.replace', of: 'asset', shows: ['fileName', 'fileType', 'fileSize'] },
    summary: 'Replace the file (multipart, one part `file`). The address and everything said of it stay.',
    permission: 'asset.write.own',
    body: { kind: 'multipart', files: 1, bytes: uploadLimits.bytes },
    transaction: 'own',
    maximumSeconds: 600,
    response: z.object({ asset: assetSchema }),
  }),
  editAssetPicture: endpoint('PATCH /api/project/{p}/assets/{id}:refresh', {
    audit: { act: 'asset.edit', of: 'asset', shows: ['width', 'height', 'fileSize'] },
    summary:
      'Crop or turn a picture: first the turn (clockwise), then the region of the turned picture. `restore` brings the file before the last change back (30 days).',
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
    summary: 'Add tags to assets and take others away.',
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
    summary: 'Move assets to the trash, where they stay for 30 days.',
    permission: 'asset.write.own',
    body: z.strictObject({ assetIds }),
    response: assetResultsSchema,
  }),
  restoreAssets: endpoint('POST /api/project/{p}/assets/bulkRestore', {
    idempotent: true,
    audit: { act: 'asset.restore' },
    summary: 'Bring assets back from the trash.',
    permission: 'asset.write.own',
    body: z.strictObject({ assetIds }),
    response: assetResultsSchema,
  }),
  deleteAsset: endpoint('DELETE /api/project/{p}/asset/{id}', {
    audit: { act: 'asset.delete' },
    summary: 'Move an asset to the trash. What refers to it keeps the reference, which resolves to nothing.',
    permission: 'asset.write.own',
    response: successSchema,
  }),
  getAssetBlob: endpoint('GET /api/project/{p}/assets/{id}/getBlob', {
    summary: 'The original bytes, to be saved: always `attachment`, sandboxed.',
    permission: 'asset.read',
    transaction: 'own',
    maximumSeconds: 600,
    response: { kind: 'file' },
  }),
  getAssetReferences: endpoint('GET /api/project/{p}/asset/{id}/references', {
    summary: 'Which documents use an asset, of the apps the caller may read; `hidden` counts the others.',
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
    summary: 'The tags of the library by name, with how many assets carry them.',
    permission: 'asset.read',
    response: z.object({ tags: z.array(tagSchema) }),
  }),
  createTag: endpoint('POST /api/project/{p}/tags', {
    audit: { act: 'tag.create', of: 'tag', shows: ['name'] },
    summary: 'Make a tag. Names are told apart without regard to case, width and kana.',
    permission: 'tag.manage',
    idempotent: true,
    body: z.strictObject({ data: z.strictObject({ name: nameSchema }) }),
    response: z.object({ tag: tagSchema }),
  }),
  updateTag: endpoint('PUT /api/project/{p}/tags/{id}', {
    audit: { act: 'tag.update', of: 'tag', shows: ['name'] },
    summary: 'Rename a tag; assets keep it.',
    permission: 'tag.manage',
    body: z.strictObject({ data: z.strictObject({ name: nameSchema }) }),
    response: z.object({ tag: tagSchema }),
  }),
  deleteTag: endpoint('DELETE /api/project/{p}/tags/{id}', {
    audit: { act: 'tag.delete' },
    summary: 'Delete a tag; assets lose it.',
    permission: 'tag.manage',
    response: successSchema,
  }),
  listAssetFolders: endpoint('GET /api/project/{p}/assetFolders', {
    summary: 'Saved filters of the library, in their order.',
    permission: 'asset.read',
    response: z.object({ assetFolders: z.array(assetFolderSchema) }),
  }),
  createAssetFolder: endpoint('POST /api/project/{p}/assetFolders', {
    audit: { act: 'assetFolder.create', of: 'assetFolder', shows: ['name'] },
    summary: 'Save a filter under a name.',
    permission: 'tag.manage',
    idempotent: true,
    body: z.strictObject({ data: assetFolderSchema.omit({ _id: true }).extend({ name: nameSchema }) }),
    response: z.object({ assetFolder: assetFolderSchema }),
  }),
  updateAssetFolder: endpoint('PUT /api/project/{p}/assetFolders/{id}', {
    audit: { act: 'assetFolder.update', of: 'assetFolder', shows: ['name'] },
    summary: 'Change a saved filter.',
    permission: 'tag.manage',
    body: z.strictObject({
      data: assetFolderSchema.omit({ _id: true }).extend({ name: nameSchema }).partial(),
    }),
    response: z.object({ assetFolder: assetFolderSchema }),
  }),
  deleteAssetFolder: endpoint('DELETE /api/project/{p}/assetFolders/{id}', {
    audit: { act: 'assetFolder.delete' },
    summary: 'Delete a saved filter; no asset is touched.',
    permission: 'tag.manage',
    response: successSchema,
  }),
}
