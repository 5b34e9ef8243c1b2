import { z } from 'zod'

/** See docs/archive-format.md; raised when a reader of the former version would misread the new one. */
export const formatVersion = 1

/** Where archives come from: Newt's API, or something that was converted (archive/from). */
export const sourceKinds = [
  'newt',
  'newt-export',
  'wordpress',
  'microcms',
  'contentful',
  'strapi',
  'directus',
  'markdown',
  'csv',
  'json',
] as const
export type SourceKind = (typeof sourceKinds)[number]

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
/** Relative, forward slashes, no dots: a path out of the archive cannot be written down. */
export const path = z
  .string()
  .max(200)
  .regex(/^[a-z0-9_-]+(?:\/[a-z0-9_-]+)*(?:\.[a-z]+)?$/)
const count = z.number().int().nonnegative()
const part = z.object({ count, path })
/** Each is looked for in every text. */
const mostHosts = 1_000

export const manifestSchema = z.object({
  format: z.literal('imori-archive'),
  formatVersion: z.literal(formatVersion),
  generator: z.string(),
  /** `complete`; `gaps`: something no longer exists at the source; `partial`: run again for the rest. */
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
  /** Where asset objects lie besides Newt's places and `assetHosts`: hosts, or folders on shared ones. */
  learntHosts: z.array(z.string()).max(mostHosts).default([]),
  /** Hosts of pictures embedded in HTML that are no assets and not in the archive, and how many there are. */
  foreignImages: z
    .array(z.object({ host: z.string(), images: count }))
    .max(10_000)
    .default([]),
  models: z.array(
    z.object({
      uid: z.string(),
      /** The reference field through which it was found; null when it was named. */
      foundBy: z.string().nullable(),
      api: part,
      cdn: part.nullable(),
      /** The source of Markdown, the plain text of rich text; null where the server gave none. */
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
  /** Last part of the address, decoded: data, never a path. */
  fileName: z.string(),
})
export type AssetLine = z.infer<typeof assetLineSchema>

const use = z.object({
  view: z.string(),
  model: z.string(),
  content: z.string(),
  /** What people call it, as far as can be told. */
  title: z.string().optional(),
  field: z.string().optional(),
})
const uses = { uses: count, usedBy: z.array(use) }

/** A line of gaps.ndjson. */
export const gapSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('asset'), url: z.string(), reason: z.string(), ...uses }),
  /** In the archive, but of another size than its asset object says: the host gives the same time after time. */
  z.object({ kind: z.literal('differs'), url: z.string(), bytes: count, said: count, ...uses }),
  z.object({ kind: z.literal('reference'), id: z.string(), ...uses }),
  z.object({
    kind: z.literal('content'),
    view: z.string(),
    model: z.string(),
    id: z.string(),
    title: z.string().optional(),
    saved: z.boolean(),
    /** Fields that came in no way, when only these are missing. */
    lacks: z.array(z.string()).optional(),
  }),
  /** Reading this model did not come to its end; so many of its contents were read. */
  z.object({
    kind: z.literal('unread'),
    view: z.string(),
    model: z.string(),
    reason: z.string(),
    saved: count,
  }),
  /** The server counted so many contents more than it gave. */
  z.object({ kind: z.literal('count'), view: z.string(), model: z.string(), missing: count }),
])
export type Gap = z.infer<typeof gapSchema>
export type Use = z.infer<typeof use>

/** Contents that are there but did not come: the next run asks for them again, so the archive is `partial`. */
export function mayStillCome(gap: Gap): boolean {
  return gap.kind === 'unread' || gap.kind === 'count' || (gap.kind === 'content' && !gap.saved)
}

/** Users of a missing thing named one by one; the rest is only counted. */
export const mostUsesListed = 20
