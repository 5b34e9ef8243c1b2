import { z } from 'zod'

/** See docs/archive-format.md. Incremented if a reader of the previous version would misread the new format. */
export const formatVersion = 1

/** Sources of archives: Newt's API, or a converted export (archive/from). */
export const sourceKinds = [
  'newt',
  'newt-export',
  'wordpress',
  'microcms',
  'contentful',
  'strapi',
  'directus',
  'ghost',
  'sanity',
  'markdown',
  'csv',
  'json',
] as const
export type SourceKind = (typeof sourceKinds)[number]

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
/**
 * A relative path with forward slashes, and with a dot only before the extension, so that it cannot lead out of the
 * archive.
 */
export const path = z
  .string()
  .max(200)
  .regex(/^[a-z0-9_-]+(?:\/[a-z0-9_-]+)*(?:\.[a-z]+)?$/)
const count = z.number().int().nonnegative()
const part = z.object({ count, path })
/** Maximum number of hosts: every text is searched for each of them. */
const mostHosts = 1_000

export const manifestSchema = z.object({
  format: z.literal('imori-archive'),
  formatVersion: z.literal(formatVersion),
  generator: z.string(),
  /** `gaps`: the archive has gaps; `partial`: another run may fetch data that is missing. */
  status: z.enum(['complete', 'gaps', 'partial']),
  startedAt: z.string(),
  finishedAt: z.string(),
  source: z.object({
    kind: z.enum(sourceKinds),
    space: z.string(),
    app: z.string(),
    origin: z.string().nullable(),
  }),
  asked: z.object({
    models: z.array(z.string()).max(10_000),
    views: z.array(z.enum(['api', 'cdn'])),
    depth: z.literal(1),
    assetHosts: z.array(z.string()).max(mostHosts),
  }),
  /** Hosts of asset objects (or folders on shared hosts) other than Newt's and `assetHosts`. */
  learntHosts: z.array(z.string()).max(mostHosts).default([]),
  /** Hosts of pictures embedded in HTML that are not in the archive, with the number of pictures. */
  foreignImages: z
    .array(z.object({ host: z.string(), images: count }))
    .max(10_000)
    .default([]),
  models: z.array(
    z.object({
      uid: z.string(),
      /** The reference field by which the model was discovered. null: the user named the model. */
      foundBy: z.string().nullable(),
      api: part,
      cdn: part.nullable(),
      /** Sources of Markdown fields and plain text of rich text. null: the server provided none. */
      texts: z
        .object({ fields: z.array(z.string()), api: part.nullable(), cdn: part.nullable() })
        .nullable()
        .default(null),
    }),
  ),
  counts: z.object({
    contents: z.object({ api: count, cdn: count }),
    assets: z.object({ urls: count, files: count, bytes: count }),
    gaps: z.object({ assets: count, references: count, contents: count }),
  }),
  files: z.array(z.object({ path, bytes: count, sha256 })),
})
export type Manifest = z.infer<typeof manifestSchema>

/** A line of assets.ndjson. */
export const assetLineSchema = z.object({
  url: z.string(),
  path,
  sha256,
  bytes: count,
  contentType: z.string(),
  /** Last path segment of the URL, decoded. Used as data only, never as a path. */
  fileName: z.string(),
})
export type AssetLine = z.infer<typeof assetLineSchema>

const use = z.object({
  view: z.string(),
  model: z.string(),
  content: z.string(),
  title: z.string().optional(),
  field: z.string().optional(),
})
const uses = { uses: count, usedBy: z.array(use) }

/** A line of gaps.ndjson. */
export const gapSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('asset'), url: z.string(), reason: z.string(), ...uses }),
  /**
   * The file is archived, but its size (`bytes`) differs from the size in the asset object (`said`). The host
   * repeatedly sent the same bytes.
   */
  z.object({ kind: z.literal('differs'), url: z.string(), bytes: count, said: count, ...uses }),
  z.object({ kind: z.literal('reference'), id: z.string(), ...uses }),
  z.object({
    kind: z.literal('content'),
    view: z.string(),
    model: z.string(),
    id: z.string(),
    title: z.string().optional(),
    saved: z.boolean(),
    /** Fields without which the content was saved, because they could not be fetched in any way. */
    lacks: z.array(z.string()).optional(),
  }),
  /** Reading this model was interrupted after `saved` contents. */
  z.object({
    kind: z.literal('unread'),
    view: z.string(),
    model: z.string(),
    reason: z.string(),
    saved: count,
  }),
  /** The server's total was higher than the number of contents it returned. */
  z.object({ kind: z.literal('count'), view: z.string(), model: z.string(), missing: count }),
])
export type Gap = z.infer<typeof gapSchema>
export type Use = z.infer<typeof use>

/**
 * Returns true for a gap of contents that exist but were not fetched. The next run retries them, so the archive is
 * `partial`.
 */
export function mayStillCome(gap: Gap): boolean {
  return gap.kind === 'unread' || gap.kind === 'count' || (gap.kind === 'content' && !gap.saved)
}

/** Maximum number of listed uses of a missing item. Further uses are only counted. */
export const mostUsesListed = 20
