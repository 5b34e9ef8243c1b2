import { isDeepStrictEqual } from 'node:util'
import { isAsset, isContent, isRecord } from '#archive/shapes.ts'
import type { Published } from './moves.survey.ts'

type Fields = Record<string, unknown>

/**
 * The keys of which a content says the same in both views. What it refers to stands in it as it is in that view, and readers of what
 * is published do not see references to the rest.
 */
export function sameInBothViews(api: Fields, cdn: Fields, published: Published | null): Set<string> {
  const same = new Set<string>()
  for (const key of new Set([...Object.keys(api), ...Object.keys(cdn)]))
    if (isDeepStrictEqual(bare(api[key], published), bare(cdn[key], null))) same.add(key)
  return same
}

/** A value with `_id`s in place of contents and files; null for, and in lists nothing of, contents that are not published. */
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
