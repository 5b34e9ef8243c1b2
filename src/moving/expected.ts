import { readContent, type View } from '#archive/content.ts'
import { linesIn } from '#archive/files.ts'
import { type Manifest, manifestSchema } from '#archive/format.ts'
import { isAsset, isContent, isRecord } from '#archive/shapes.ts'
import type { ArchiveSource } from '#archive/source.ts'

export type Fields = Record<string, unknown>

/** The query of newt-client-js, as far as it is simulated here. */
export interface Query {
  select?: string[]
  order?: string[]
  limit?: number
  skip?: number
  depth?: number
  or?: Query[]
  [filter: string]: unknown
}

export interface Expected {
  manifest: Manifest
  /** The response of `getApp`. undefined: it is not in the archive. */
  app: Fields | undefined
  /** Texts of the model's HTML fields (`fmt=text`), by `_id`. */
  texts(model: string): AsyncGenerator<{ id: string; values: Fields }>
  /** `_id`s of a model in that view, in the order of the archive. */
  ids(view: View, model: string): string[]
  /** A content as the source returned it at depth 1. undefined: the view has no content with this `_id`. */
  raw(view: View, model: string, id: string): Fields | undefined
  list(
    view: View,
    model: string,
    query: Query,
  ): { skip: number; limit: number; total: number; items: Fields[] }
  one(view: View, model: string, id: string, query: Query): Fields | null
  /** Replaces a content by another one, as returned at depth 1. */
  replace(view: View, model: string, id: string, fields: Fields): void
}

/** Computes the responses of the source from the archive alone. Keeps all lines in memory. */
export async function expectedFrom(source: ArchiveSource): Promise<Expected> {
  const chunks: Buffer[] = []
  for await (const chunk of source.read('manifest.json', 256_000_000)) chunks.push(chunk)
  const manifest = manifestSchema.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')))
  const bytesOf = new Map(manifest.files.map(({ path, bytes }) => [path, bytes]))
  const lines = { api: new Map<string, Map<string, Buffer>>(), cdn: new Map<string, Map<string, Buffer>>() }
  const homes = { api: new Map<string, string>(), cdn: new Map<string, string>() }
  for (const view of ['api', 'cdn'] as const)
    for (const model of manifest.models) {
      const part = model[view]
      const own = new Map<string, Buffer>()
      lines[view].set(model.uid, own)
      if (!part) continue
      for await (const { text } of linesIn(source.read(part.path, bytesOf.get(part.path) ?? 0))) {
        const content = readContent(text)
        if (!content) continue
        own.set(content.id, Buffer.from(text))
        homes[view].set(content.id, model.uid)
      }
    }
  const raw = (view: View, model: string, id: string) => {
    const line = lines[view].get(model)?.get(id)
    return line && readContent(line)?.fields
  }

  /** Converts a value of a line (at depth 1) to another depth. */
  function at(view: View, value: unknown, depth: number): unknown {
    if (Array.isArray(value)) return value.map((item) => at(view, item, depth))
    if (isAsset(value)) return depth === 0 ? value._id : value
    if (isContent(value)) {
      if (depth === 0) return value._id
      const own = raw(view, homes[view].get(value._id) ?? '', value._id)
      // A content without a line of its own exists only as this copy.
      return own ? render(view, own, depth - 1) : value
    }
    if (!isRecord(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, at(view, item, depth)]))
  }

  function render(view: View, fields: Fields, depth: number): Fields {
    return Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [
        key,
        key === '_id' || key === '_sys' ? value : at(view, value, depth),
      ]),
    )
  }

  async function* texts(model: string) {
    const path = manifest.models.find(({ uid }) => uid === model)?.texts?.api?.path
    if (path === undefined) return
    for await (const { text } of linesIn(source.read(path, bytesOf.get(path) ?? 0))) {
      const content = readContent(text)
      if (content) yield { id: content.id, values: content.fields }
    }
  }

  return {
    manifest,
    app: await readApp(source, bytesOf.get('app.json')),
    texts,
    ids: (view, model) => [...(lines[view].get(model)?.keys() ?? [])],
    raw,
    list(view, model, query) {
      const { skip = 0, limit = 100, depth = 1, order = ['-_sys.createdAt'] } = query
      const found = [...(lines[view].get(model)?.values() ?? [])]
        .flatMap((line): Fields[] => {
          const content = readContent(line)
          return content ? [content.fields] : []
        })
        .filter((fields) => matches(fields, query))
        .sort((a, b) => compareBy(order, a, b))
      const items = found
        .slice(skip, skip + limit)
        .map((fields) => selected(render(view, fields, depth), query.select))
      return { skip, limit, total: found.length, items }
    },
    replace(view, model, id, fields) {
      lines[view].get(model)?.set(id, Buffer.from(JSON.stringify(fields)))
      homes[view].set(id, model)
    },
    one(view, model, id, { depth = 1, select }) {
      const fields = raw(view, model, id)
      return fields ? selected(render(view, fields, depth), select) : null
    },
  }
}

async function readApp(source: ArchiveSource, bytes: number | undefined): Promise<Fields | undefined> {
  if (bytes === undefined) return undefined
  const chunks: Buffer[] = []
  for await (const chunk of source.read('app.json', bytes)) chunks.push(chunk)
  const app: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  return isRecord(app) ? app : undefined
}

const keywords = new Set(['select', 'order', 'limit', 'skip', 'depth', 'or'])

function matches(fields: Fields, query: Query): boolean {
  const own = Object.entries(query).every(
    ([path, condition]) => keywords.has(path) || holds(valuesAt(fields, path), condition),
  )
  return own && (query.or === undefined || query.or.some((branch) => matches(fields, branch)))
}

/** Returns the values at a path. Contents and files are replaced by their `_id`s. */
function valuesAt(fields: Fields, path: string): unknown[] {
  const value = path
    .split('.')
    .reduce<unknown>(
      (inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
      fields,
    )
  return [value].flat().map((item) => (isContent(item) || isAsset(item) ? item._id : item))
}

function holds(values: unknown[], condition: unknown): boolean {
  const isThere = values.some((value) => value !== undefined && value !== null && value !== '')
  if (!isRecord(condition)) return values.some((value) => value === condition)
  return Object.entries(condition).every(([operator, operand]) => {
    const some = (test: (value: unknown) => boolean) => values.some(test)
    switch (operator) {
      case 'ne':
        return !some((value) => value === operand)
      case 'in':
        return some((value) => (operand as unknown[]).includes(value))
      case 'exists':
        return isThere === operand
      case 'match':
        return some((value) => typeof value === 'string' && folded(value).includes(folded(String(operand))))
      case 'gt':
        return some((value) => isThere && String(value) > String(operand))
      case 'gte':
        return some((value) => isThere && String(value) >= String(operand))
      case 'lt':
        return some((value) => isThere && String(value) < String(operand))
      case 'lte':
        return some((value) => isThere && String(value) <= String(operand))
      default:
        throw new RangeError(`The operator ${operator} cannot be computed here`)
    }
  })
}

const folded = (text: string) => text.normalize('NFKC').toLowerCase()

function compareBy(order: string[], a: Fields, b: Fields): number {
  for (const entry of order) {
    const descending = entry.startsWith('-')
    const path = descending ? entry.slice(1) : entry
    const [left, right] = [valuesAt(a, path)[0], valuesAt(b, path)[0]] as (
      | string
      | number
      | null
      | undefined
    )[]
    if (left === right) continue
    if (left === undefined || left === null) return 1
    if (right === undefined || right === null) return -1
    return left < right === descending ? 1 : -1
  }
  return String(a._id) < String(b._id) ? -1 : 1
}

function selected(fields: Fields, select: string[] | undefined): Fields {
  if (!select) return fields
  const wanted = new Set(['_id', ...select])
  return Object.fromEntries(Object.entries(fields).filter(([key]) => wanted.has(key)))
}
