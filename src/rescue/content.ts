import type { AssetFinder } from './asset-urls.ts'
import { parseJson } from './json-slices.ts'
import { isAsset, isId, isRecord } from './shapes.ts'

/** The two APIs: `api` shows drafts, `cdn` what is published. */
export type View = 'api' | 'cdn'

/** One content as it came, and what the run needs to know of it. */
export interface Content {
  id: string
  createdAt: string
  updatedAt: string
  raw: Buffer
  fields: Record<string, unknown>
}

/** A reference seen in a content: the id pointed to and the path of the field (`blocks.author`). */
export interface Reference {
  id: string
  field: string
}

export interface Findings {
  references: Reference[]
  /** Normalised asset addresses; may repeat. */
  assets: string[]
}

/** Reads one raw content; undefined when it has no usable `_id`. Throws when it is no JSON object. */
export function readContent(raw: Buffer): Content | undefined {
  const fields = parseJson(raw)
  if (!isRecord(fields) || typeof fields._id !== 'string' || !/^[\w-]{1,64}$/.test(fields._id))
    return undefined
  const sys = isRecord(fields._sys) ? fields._sys : {}
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return { id: fields._id, createdAt: text(sys.createdAt), updatedAt: text(sys.updatedAt), raw, fields }
}

/** Every reference and asset a content uses, in fields, custom fields, multi-type fields and HTML. */
export function inspect(fields: Record<string, unknown>, finder: AssetFinder): Findings {
  const findings: Findings = { references: [], assets: [] }
  const visit = (value: unknown, path: string): void => {
    if (typeof value === 'string') {
      findings.assets.push(...finder.inText(value))
    } else if (Array.isArray(value)) {
      for (const entry of value) visit(entry, path)
    } else if (isAsset(value)) {
      const url = finder.ofSource(value.src)
      if (url) findings.assets.push(url)
    } else if (isRecord(value)) {
      if (isId(value._id) && isRecord(value._sys)) findings.references.push({ id: value._id, field: path })
      visitFields(value, path)
    }
  }
  const visitFields = (record: Record<string, unknown>, path: string): void => {
    for (const [key, value] of Object.entries(record)) {
      if (key !== '_id' && key !== '_sys') visit(value, path ? `${path}.${key}` : key)
    }
  }
  visitFields(fields, '')
  return findings
}

/** Asset addresses in the app's meta answer (icon, cover). */
export function inspectApp(body: string, finder: AssetFinder): string[] {
  const app = parseJson(Buffer.from(body))
  return isRecord(app) ? inspect(app, finder).assets : []
}

/** The app's name for showing, without control characters; empty when there is none. */
export function appName(body: Buffer): string {
  const app = parseJson(body)
  const name = isRecord(app) && typeof app.name === 'string' ? app.name : ''
  return name.replace(/[\p{Cc}\p{Cf}]/gu, '').slice(0, 100)
}
