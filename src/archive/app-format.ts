import { z } from 'zod'
import { path, sha256 } from './format.ts'
import { assetPath, safeFileName } from './names.ts'

/*
 * Format version 2: an app as Imori has it (docs/archive-format.md). What fields, views and roles say is looked at by who
 * makes an app of it.
 */

/** The version of archives that hold an app with its models. */
export const appFormatVersion = 2

const id = z.string().regex(/^[0-9a-f]{24}$/)
const count = z.number().int().nonnegative()
const time = z.iso.datetime({ precision: 3 })
const uid = z.string().max(64)
const text = (longest: number) => z.string().max(longest)

/** A picture of ours that is no asset; its file is named by its content. */
const picture = z.strictObject({
  type: z.literal('image'),
  mediaType: z.enum(['image/webp', 'image/jpeg', 'image/png']),
  bytes: count,
  sha256,
})
export type PortablePicture = z.infer<typeof picture>

const field = z.looseObject({ uid, name: text(100), type: text(64) })
const made = { uid, name: text(100), description: text(1000), fields: z.array(field).max(200) }

/** `app.json`: everything of an app but its documents and its files. */
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
  /** Each behind those that it is made of. */
  customFieldTypes: z.array(z.strictObject(made)).max(1000),
  /** In their order. */
  models: z.array(z.strictObject({ ...made, titleField: uid.nullable() })).max(1000),
  /** Everybody's, in their order; fields by uid. */
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
  /** Those that people made for this app. */
  roles: z
    .array(
      z.strictObject({
        uid: text(100),
        name: text(100),
        description: text(500),
        rights: z.array(text(64)).max(100),
        /** What is different in some models: uids of fields that can be read only. */
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

/** Values by the uids of fields, as the management API answers them. */
const values = z.record(z.string(), z.unknown())

/** A line of `documents/{model}.ndjson`. */
export const portableDocumentSchema = z.strictObject({
  _id: id,
  createdAt: time,
  updatedAt: time,
  firstPublishedAt: time.nullable(),
  publishedAt: time.nullable(),
  /** When what is published last changed. */
  publishedUpdatedAt: time.nullable(),
  customOrder: z.number().nullable(),
  /** What readers of drafts see. */
  current: values,
  /** What is published; `same`: what `current` is; null: nothing. */
  published: z.union([z.literal('same'), values]).nullable(),
})
export type PortableDocument = z.infer<typeof portableDocumentSchema>

/** A line of `revisions/{model}.ndjson`. */
export const portableRevisionSchema = z.strictObject({
  /** The document whose revision it is. */
  _id: id,
  version: z
    .number()
    .int()
    .min(1)
    .max(2 ** 31 - 1),
  kind: z.enum(['create', 'save', 'publish', 'unpublish', 'delete', 'restore']),
  /** Where the write came from. */
  source: text(100),
  /** Written without saying on which version. */
  blind: z.boolean(),
  createdAt: time,
  createdBy: z.strictObject({ name: text(255), email: text(320) }).nullable(),
  /** Which states of the document it is; its values stand there. */
  is: z.array(z.enum(['current', 'published'])).max(2),
  /** null: those of the first state that it is. */
  values: values.nullable(),
})
export type PortableRevision = z.infer<typeof portableRevisionSchema>

/** A line of `assets.ndjson`. */
export const portableAssetSchema = z.strictObject({
  _id: id,
  fileName: text(1024),
  mediaType: text(255),
  bytes: count,
  sha256,
  /** null: the file is not in the archive. */
  path: path.nullable(),
  title: text(255),
  description: text(2000),
  altText: text(1000),
  focalPoint: z.strictObject({ x: z.number().min(0).max(1), y: z.number().min(0).max(1) }).nullable(),
  private: z.boolean(),
  /** Names. */
  tags: z.array(text(100)).max(1000),
})
export type PortableAsset = z.infer<typeof portableAssetSchema>

const part = z.strictObject({ count, path })

export const appManifestSchema = z.strictObject({
  format: z.literal('imori-archive'),
  formatVersion: z.literal(appFormatVersion),
  generator: text(100),
  finishedAt: time,
  source: z.strictObject({ kind: z.literal('imori'), space: text(64), app: uid, origin: text(2048) }),
  /** `revisions` of all models, or of none. */
  models: z.array(z.strictObject({ uid, documents: part, revisions: part.exactOptional() })).max(1000),
  counts: z.strictObject({
    documents: count,
    revisions: count.exactOptional(),
    /** Assets in use, those of them whose files are here, and the bytes of these. */
    assets: z.strictObject({ all: count, files: count, bytes: count }),
  }),
  files: z.array(z.strictObject({ path, bytes: count, sha256 })),
})
export type AppManifest = z.infer<typeof appManifestSchema>

/** Where the documents of a model stand. */
export const documentsPath = (model: string): string => `documents/${safeFileName(model)}.ndjson`

/** Where the revisions of these stand. */
export const revisionsPath = (model: string): string => `revisions/${safeFileName(model)}.ndjson`

/** Where the file of a picture or an asset lies. */
export const filePath = ({ sha256: hash }: { sha256: string }): string => assetPath(hash)
