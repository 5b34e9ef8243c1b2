import { isDeepStrictEqual } from 'node:util'
import type { AssetFinder } from '#archive/asset-urls.ts'
import { isAsset, isContent, isRecord } from '#archive/shapes.ts'
import { serverTypeOf } from '#server/content/fields/index.ts'
import { sha256 } from '#server/lib/ids.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import type { Field } from '#shared/fields/index.ts'
import { idPattern } from '#shared/identifiers.ts'
import { readReceived } from './moves.received.ts'

/** A field with the key that its values have in what is moved. */
export interface MovedField {
  from: string
  field: Field
}

type Fields = Record<string, unknown>

/** How values become what is stored. */
export interface Conversion {
  fields: readonly MovedField[]
  finder: AssetFinder
  /** Where a file is now, by its address; undefined: it is where it was, or nowhere. */
  addressOf(url: string): string | undefined
}

/** A document's `_id`: its own, or one made of what it had instead. */
export const documentId = (id: string): string =>
  idPattern.test(id) ? id : sha256(id).toString('hex').slice(0, 24)

/** The values of a content as they are stored. `texts`: the source of its Markdown, where that is known; `leftOut`: keys of what no field keeps. */
export async function readContentValues(
  { fields, finder, addressOf }: Conversion,
  content: Fields,
  texts: Fields | undefined,
): Promise<{ values: StoredValues; leftOut: string[] }> {
  const values: StoredValues = {}
  const leftOut: string[] = []
  const rewrite = (text: string) => finder.replaceInText(text, addressOf)
  for (const { from, field } of fields) {
    // What is rendered from its source is best had as that.
    const source = serverTypeOf(field).present?.html ? texts?.[from] : undefined
    const raw = source ?? content[from]
    if (raw === undefined || raw === null) continue
    const { value, complete } = await readReceived(field, withAddresses(raw, rewrite))
    if (value !== undefined) values[field._id] = value
    if (!complete) leftOut.push(from)
  }
  return { values, leftOut }
}

/** A value with its texts rewritten; what has an address of its own is referred to by its `_id`. */
function withAddresses(value: unknown, rewrite: (text: string) => string): unknown {
  if (typeof value === 'string') return value.length > 8 ? rewrite(value) : value
  if (Array.isArray(value)) return value.map((item) => withAddresses(item, rewrite))
  if (!isRecord(value) || isAsset(value)) return value
  if (isContent(value)) return { ...value, _id: documentId(value._id) }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withAddresses(item, rewrite)]))
}

/**
 * Does a content say the same in both views? What it refers to stands in it as it is in that view, and readers of what is
 * published do not see references to the rest.
 */
export function sameInBothViews(
  api: Fields,
  cdn: Fields,
  published: ReadonlySet<string> | null,
): Set<string> {
  const same = new Set<string>()
  for (const key of new Set([...Object.keys(api), ...Object.keys(cdn)])) {
    if (key === '_id' || key === '_sys') continue
    const [one, other] = [bare(api[key], published), bare(cdn[key], null)]
    if (isDeepStrictEqual(one, other)) same.add(key)
  }
  return same
}

/** A value with `_id`s in place of contents and files; null for, and in lists nothing of, contents that are not published. */
function bare(value: unknown, published: ReadonlySet<string> | null): unknown {
  if (Array.isArray(value))
    return value.flatMap((item) => {
      const inner = bare(item, published)
      return inner === null && isContent(item) ? [] : [inner]
    })
  if (!isRecord(value)) return value ?? null
  if (isContent(value)) return published === null || published.has(value._id) ? value._id : null
  if (isAsset(value)) return value._id
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, bare(item, published)]))
}
