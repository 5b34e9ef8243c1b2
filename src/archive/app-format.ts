import { z } from 'zod'
import { path, sha256 } from './format.ts'
import { assetPath, safeFileName } from './names.ts'

/*
 * Format version 2: an app of Imori (docs/archive-format.md). The contents of fields, views and roles are validated by
 * the importer that creates the app.
 */

/** Format version of archives that contain an app, or all apps of a space, with their models. */
export const appFormatVersion = 2

const id = z.string().regex(/^[0-9a-f]{24}$/)
const count = z.number().int().nonnegative()
const time = z.iso.datetime({ precision: 3 })
const uid = z.string().max(64)
const text = (longest: number) => z.string().max(longest)

/** An icon or cover. It is not an asset; its file is named by its hash. */
const picture = z.strictObject({
  type: z.literal('image'),
  mediaType: z.enum(['image/webp', 'image/jpeg', 'image/png']),
  bytes: count,
  sha256,
})
export type PortablePicture = z.infer<typeof picture>

const field = z.looseObject({ uid, name: text(100), type: text(64) })
const made = { uid, name: text(100), description: text(1000), fields: z.array(field).max(200) }

/** `app.json`: the settings, custom field types, models, shared views and custom roles of an app. */
export const portableAppSchema = z.strictObject({
  app: z.strictObject({
    uid,
    name: text(100),
    description: text(1000),
    icon: z
      .discriminatedUnion('type', [z.strictObject({ type: z.literal('emoji'), value: text(32) }), picture])
      .nullable(),
    cover: picture.nullable(),
    accessSettings: z.strictObject({ visibility: z.enum(['open', 'private']), defaultRole: text(100) }),
  }),
  /** In dependency order: each type after the types it uses. */
  customFieldTypes: z.array(z.strictObject(made)).max(1000),
  models: z.array(z.strictObject({ ...made, titleField: uid.nullable() })).max(1000),
  /** Shared views in the order of the app. Their settings refer to fields by uid. */
  views: z
    .array(
      z.strictObject({
        modelUid: uid,
        name: text(100),
        type: text(64),
        settings: z.record(z.string(), z.unknown()),
      }),
    )
    .max(100_000),
  roles: z
    .array(
      z.strictObject({
        uid: text(100),
        name: text(100),
        description: text(500),
        rights: z.array(text(64)).max(100),
        /** Exceptions for individual models: the role's rights there, and the uids of fields that are read-only. */
        models: z
          .array(
            z.strictObject({
              model: uid,
              rights: z.array(text(64)).max(100).exactOptional(),
              readOnly: z.array(uid).max(1000).exactOptional(),
            }),
          )
          .max(1000),
      }),
    )
    .max(1000),
})
export type PortableApp = z.infer<typeof portableAppSchema>

/** Values by field uid, in the format of the management API. */
const values = z.record(z.string(), z.unknown())

/** A line of `documents/{model}.ndjson`. */
export const portableDocumentSchema = z.strictObject({
  _id: id,
  createdAt: time,
  updatedAt: time,
  firstPublishedAt: time.nullable(),
  publishedAt: time.nullable(),
  /** Time when the published state last changed. */
  publishedUpdatedAt: time.nullable(),
  customOrder: z.number().nullable(),
  /** The draft state. */
  current: values,
  /** The published state; `same`: equal to `current`; null: not published. */
  published: z.union([z.literal('same'), values]).nullable(),
})
export type PortableDocument = z.infer<typeof portableDocumentSchema>

/** A line of `revisions/{model}.ndjson`. */
export const portableRevisionSchema = z.strictObject({
  /** `_id` of the document. */
  _id: id,
  version: z
    .number()
    .int()
    .min(1)
    .max(2 ** 31 - 1),
  kind: z.enum(['create', 'save', 'publish', 'unpublish', 'delete', 'restore']),
  /** Origin of the write: `admin`, `api`, or the name of a job. */
  source: text(100),
  /** Whether the revision was written without a base version. */
  blind: z.boolean(),
  createdAt: time,
  createdBy: z.strictObject({ name: text(255), email: text(320) }).nullable(),
  /** States of the document that equal this revision. Their values are stored in the document's line. */
  is: z.array(z.enum(['current', 'published'])).max(2),
  /** null: `is` is not empty, and the values equal the first state in `is`. */
  values: values.nullable(),
})
export type PortableRevision = z.infer<typeof portableRevisionSchema>

/** Metadata of a file that an earlier import could not store. Sites receive it with the file's original URL. */
const elsewhere = z.strictObject({
  src: text(4096).regex(/^https?:\/\//i),
  fileType: text(255),
  fileSize: z.number().nonnegative(),
  width: z.number().nonnegative().nullable(),
  height: z.number().nonnegative().nullable(),
  metadata: z.record(z.string(), z.unknown()),
})

/** A line of `assets.ndjson`. */
export const portableAssetSchema = z.strictObject({
  _id: id,
  fileName: text(1024),
  mediaType: text(255),
  bytes: count,
  sha256,
  /** null: the archive does not contain the file. */
  path: path.nullable(),
  title: text(255),
  description: text(2000),
  altText: text(1000),
  focalPoint: z.strictObject({ x: z.number().min(0).max(1), y: z.number().min(0).max(1) }).nullable(),
  private: z.boolean(),
  tags: z.array(text(100)).max(1000),
  /** Omitted for files that are stored in the library. */
  elsewhere: elsewhere.optional(),
})
export type PortableAsset = z.infer<typeof portableAssetSchema>

const part = z.strictObject({ count, path })

export const appManifestSchema = z.strictObject({
  format: z.literal('imori-archive'),
  formatVersion: z.literal(appFormatVersion),
  generator: text(100),
  finishedAt: time,
  source: z.strictObject({ kind: z.literal('imori'), space: text(64), app: uid, origin: text(2048) }),
  /** `revisions` is set for all models or for none. */
  models: z.array(z.strictObject({ uid, documents: part, revisions: part.exactOptional() })).max(1000),
  counts: z.strictObject({
    documents: count,
    revisions: count.exactOptional(),
    /**
     * `all`: number of used assets. `files`: number of distinct asset files in the archive. `bytes`: total size of
     * these files in bytes.
     */
    assets: z.strictObject({ all: count, files: count, bytes: count }),
  }),
  files: z.array(z.strictObject({ path, bytes: count, sha256 })),
})
export type AppManifest = z.infer<typeof appManifestSchema>

/** Returns the path of the documents of a model. */
export const documentsPath = (model: string): string => `documents/${safeFileName(model)}.ndjson`

/** Returns the path of the revisions of a model's documents. */
export const revisionsPath = (model: string): string => `revisions/${safeFileName(model)}.ndjson`

/** Returns the path of the file of a picture or an asset. */
export const filePath = ({ sha256: hash }: { sha256: string }): string => assetPath(hash)
