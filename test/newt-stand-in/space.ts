/** A value as the stand-in stores it. References, assets, Markdown and raw JSON have wrappers. */
export type Stored =
  | string
  | number
  | boolean
  | null
  | Stored[]
  | { $ref: string }
  | { $asset: string }
  | { $html: string; source: string }
  | { $raw: string }
  | { [key: string]: Stored }

export interface StoredContent {
  id: string
  createdAt: string
  updatedAt: string
  firstPublishedAt: string | null
  publishedAt: string | null
  customOrder?: number
  draft: Record<string, Stored>
  /** Published values. undefined: never published, or unpublished. */
  published?: Record<string, Stored> | undefined
}

export interface StoredAsset {
  id: string
  fileName: string
  fileType: string
  bytes: Buffer
  /** URL in the form that Newt writes into fields and HTML. */
  src: string
  width: number | null
  height: number | null
  altText?: string
  metadata?: Record<string, Stored>
}

/** The data that the stand-in serves for one space with one app. */
export interface StoredSpace {
  uid: string
  app: { uid: string; name: string; icon?: Stored; cover?: Stored }
  tokens: { api: string; cdn: string }
  models: Map<string, Map<string, StoredContent>>
  assets: Map<string, StoredAsset>
}

/** Returns a 24-digit id for a number. */
export function idOf(number: number): string {
  return number.toString(16).padStart(24, '0')
}

export function assetsSrc(space: string, id: string, fileName: string): string {
  return `https://${space}.assets.newt.so/v1/${id}/${encodeURIComponent(fileName)}`
}

export function storageSrc(id: string, fileName: string): string {
  return `https://storage.googleapis.com/p_630f0000/${id.slice(-12)}-uuid/${fileName}`
}

/** Returns a space without contents. */
export function emptySpace(): StoredSpace {
  return {
    uid: 'demo',
    app: { uid: 'blog', name: 'ブログ', icon: { type: 'emoji', value: '🦎' } },
    tokens: { api: 'api-token-for-tests', cdn: 'cdn-token-for-tests' },
    models: new Map(),
    assets: new Map(),
  }
}

/** Adds a content. By default it is published without newer edits. */
export function addContent(
  space: StoredSpace,
  model: string,
  content: Pick<StoredContent, 'id' | 'createdAt' | 'draft'> & Partial<StoredContent>,
): void {
  const contents = space.models.get(model) ?? new Map<string, StoredContent>()
  space.models.set(model, contents)
  const isPublished = !('published' in content)
  contents.set(content.id, {
    updatedAt: content.createdAt,
    firstPublishedAt: isPublished ? content.createdAt : null,
    publishedAt: isPublished ? content.createdAt : null,
    published: isPublished ? content.draft : undefined,
    ...content,
  })
}

export function addAsset(space: StoredSpace, asset: StoredAsset): { $asset: string } {
  space.assets.set(asset.id, asset)
  return { $asset: asset.id }
}
