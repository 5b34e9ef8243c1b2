import { createHash } from 'node:crypto'
import type { AssetFinder } from './asset-urls.ts'
import { parseJson } from './json.ts'
import { isAsset, isContent, isId, isRecord } from './shapes.ts'

/** The two APIs of Newt: `api` returns drafts, `cdn` published contents. */
export type View = 'api' | 'cdn'

/** One content: its raw bytes, and the parsed parts that callers need. */
export interface Content {
  id: string
  createdAt: string
  updatedAt: string
  raw: Buffer
  fields: Record<string, unknown>
}

/** A reference in a content: the id of its target and the path of the field (`blocks.author`). */
export interface Reference {
  id: string
  field: string
}

export interface Findings {
  /** References to contents, and ids whose kind of target is unknown. */
  references: Reference[]
  /**
   * Unresolved ids inside an expanded content or an asset object. `owner`: id of that content or asset. If an expanded
   * content has its own line, these ids are resolved there.
   */
  inner: (Reference & { owner: string })[]
  assetIds: string[]
  /** Normalised asset URLs; may contain duplicates. */
  assets: string[]
  /** Paths of the content's own fields that contain HTML. */
  htmlFields: string[]
  /**
   * `foreignImages`: normalised URLs of embedded pictures that are not assets. `files`: file metadata from asset
   * objects.
   */
  foreignImages: string[]
  files: { url: string; size: number | undefined; type: string }[]
}

const madeUp = 'no-id-'

/** Returns true for a generated id, which a content without an id receives. */
export function isMadeUp(id: string): boolean {
  return id.startsWith(madeUp)
}

/**
 * Parses one raw content. Returns undefined if it is not an object; throws `InvalidJson` if it is not JSON. A content
 * without a usable `_id` gets one derived from its bytes, so that it is not lost.
 */
export function readContent(raw: Buffer): Content | undefined {
  const fields = parseJson(raw)
  if (!isRecord(fields)) return undefined
  const sys = isRecord(fields._sys) ? fields._sys : {}
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  const given = typeof fields._id === 'string' && fields._id.length <= 200 ? fields._id : ''
  const id = given || `${madeUp}${createHash('sha256').update(raw).digest('hex').slice(0, 16)}`
  return { id, createdAt: text(sys.createdAt), updatedAt: text(sys.updatedAt), raw, fields }
}

/** Finds every reference and asset that a content uses in fields, custom fields, multi-type fields and HTML. */
export function inspect(fields: Record<string, unknown>, finder: AssetFinder): Findings {
  const findings: Findings = {
    references: [],
    inner: [],
    assetIds: [],
    assets: [],
    foreignImages: [],
    htmlFields: [],
    files: [],
  }
  // Unresolved ids are normal inside an expanded content; the content's own line has them resolved.
  const visit = (value: unknown, path: string, owner: string | undefined): void => {
    if (typeof value === 'string') {
      const isBare: boolean = isId(value)
      if (isBare && owner === undefined) findings.references.push({ id: value, field: path })
      else if (isBare && owner !== undefined) findings.inner.push({ id: value, field: path, owner })
      else if (value.length > 8) {
        findings.assets.push(...finder.inText(value))
        if (owner === undefined && /^\s*<[a-z!]/i.test(value)) findings.htmlFields.push(path)
        if (value.includes('<')) findings.foreignImages.push(...finder.foreignImages(value))
      }
    } else if (Array.isArray(value)) {
      for (const entry of value) visit(entry, path, owner)
    } else if (isAsset(value)) {
      const url = finder.ofSource(value.src)
      if (url) {
        const { fileSize: size, fileType: type } = value
        findings.assets.push(url)
        findings.files.push({
          url,
          size: typeof size === 'number' ? size : undefined,
          type: typeof type === 'string' ? type : '',
        })
      }
      findings.assetIds.push(value._id)
      const { src: _, ...rest } = value
      visitFields(rest, path, owner ?? value._id)
    } else if (isRecord(value)) {
      if (isContent(value)) findings.references.push({ id: value._id, field: path })
      visitFields(value, path, isContent(value) ? value._id : owner)
    }
  }
  const visitFields = (record: Record<string, unknown>, path: string, owner: string | undefined): void => {
    for (const [key, value] of Object.entries(record)) {
      if (key !== '_id' && key !== '_sys') visit(value, path ? `${path}.${key}` : key, owner)
    }
  }
  visitFields(fields, '', undefined)
  return findings
}

/**
 * Counts the 24-hex strings outside expanded contents and assets. They are probably pictures, files and contents that
 * the server did not expand.
 */
export function countBareIds(fields: Record<string, unknown>): number {
  let count = 0
  const visit = (value: unknown): void => {
    if (typeof value === 'string') {
      if (isId(value)) count += 1
    } else if (Array.isArray(value)) for (const entry of value) visit(entry)
    else if (isRecord(value) && !isContent(value) && !isAsset(value)) visitFields(value)
  }
  const visitFields = (record: Record<string, unknown>): void => {
    for (const [key, value] of Object.entries(record)) if (key !== '_id' && key !== '_sys') visit(value)
  }
  visitFields(fields)
  return count
}

/** Returns the asset URLs in the app's metadata (icon, cover). Every URL in the metadata is an asset, on any host. */
export function inspectApp(body: string, finder: AssetFinder): string[] {
  const app = parseJson(Buffer.from(body))
  if (!isRecord(app)) return []
  const urls = new Set(inspect(app, finder).assets)
  const visit = (value: unknown): void => {
    if (typeof value === 'string' && /^(?:https?:)?\/\//i.test(value)) {
      const url = finder.ofSource(value)
      if (url) urls.add(url)
    } else if (Array.isArray(value)) value.forEach(visit)
    else if (isRecord(value)) Object.values(value).forEach(visit)
  }
  visit(app)
  return [...urls]
}

/**
 * Returns the display title of a content, at most 80 characters: its `title` or `name`, otherwise its first plain text,
 * because models usually start with the title field. The API does not mark the title field. Returns an empty string if
 * there is no text.
 */
export function titleOf(fields: Record<string, unknown>): string {
  const isText = (value: unknown): value is string =>
    typeof value === 'string' && !isId(value) && !/^\s*(?:<|$)|^https?:\/\/|^\d{4}-\d\d-\d\dT/.test(value)
  const { _id, title: titleField, name, ...others } = fields
  const title = [titleField, name, ...Object.values(others)].find(isText) ?? ''
  return title.replace(/\s+/gu, ' ').trim().slice(0, 80).toWellFormed()
}
