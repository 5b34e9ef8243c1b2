import { isDeepStrictEqual } from 'node:util'
import { isAsset, isContent, isRecord } from '#archive/shapes.ts'
import type { Published } from '../archive/survey.ts'

type Fields = Record<string, unknown>

/**
 * Returns the keys whose values are equal in both views of a content. Each view contains referenced contents in its own
 * state, and the published view lacks references to unpublished contents. These differences are ignored.
 */
export function sameInBothViews(api: Fields, cdn: Fields, published: Published | null): Set<string> {
  const same = new Set<string>()
  for (const key of new Set([...Object.keys(api), ...Object.keys(cdn)]))
    if (isDeepStrictEqual(bare(api[key], published), bare(cdn[key], null))) same.add(key)
  return same
}

/**
 * Returns a value with contents and files replaced by their `_id`s. If `published` is given, unpublished contents
 * become null, or are removed from lists.
 */
function bare(value: unknown, published: Published | null): unknown {
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
