import { isDeepStrictEqual } from 'node:util'
import type { AssetFinder } from '#archive/asset-urls.ts'
import { isAsset, isContent, isId, isRecord } from '#archive/shapes.ts'
import type { Origin } from '#server/content/fields/received.ts'
import { type ReceivingField, receiveValues } from '#server/content/recognition/receive.ts'
import { readFieldValue } from '#server/features/documents/documents.service.ts'
import { sha256 } from '#server/lib/ids.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import { idPattern } from '#shared/identifiers.ts'

type Fields = Record<string, unknown>

/** How values become what is stored. */
export interface Conversion {
  fields: readonly ReceivingField[]
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
  const origin = originWith((text) => finder.replaceInText(text, addressOf))
  const received = receiveValues(fields, content, origin, texts)
  for (const { from, field } of fields) {
    const input = received.values[field.uid]
    const { value, issues } = input == null ? { issues: [] } : await readFieldValue(field, input)
    if (value !== undefined) values[field._id] = value
    const isLeftOut = received.notTaken.some((path) => path === from || path.startsWith(`${from}.`))
    if (isLeftOut || issues.length > 0) leftOut.push(from)
  }
  return { values, leftOut }
}

/** What values name, for fields of which it is known what they are. */
const originWith = (rewrite: (text: string) => string): Origin => ({
  rewrite: (text) => (text.length > 8 ? rewrite(text) : text),
  asset(value) {
    if (isId(value)) return { id: value, address: value, isImage: true, label: '' }
    return isAsset(value) && idPattern.test(value._id)
      ? { id: value._id, address: value.src, isImage: true, label: '' }
      : undefined
  },
  document(value) {
    if (isId(value)) return { id: value, model: '', label: '' }
    return isContent(value) ? { id: documentId(value._id), model: '', label: '' } : undefined
  },
})

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
