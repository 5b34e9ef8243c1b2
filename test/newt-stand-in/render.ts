import type { View } from './query.ts'
import type { Stored, StoredAsset, StoredContent, StoredSpace } from './space.ts'

const rawMark = '@@raw:'

/** Returns a content as JSON text, as in Newt's response. */
export function renderContent(
  space: StoredSpace,
  content: StoredContent,
  view: View,
  depth: number,
  options: { select?: string[] | undefined; asText?: ReadonlySet<string>; countsNesting?: boolean } = {},
): string {
  const { select, asText, countsNesting = false } = options
  let value: Record<string, unknown> = contentValue(space, content, view, depth, asText, countsNesting)
  if (select) value = pick(value, select)
  // `rawMark` precedes numbers that JavaScript would serialise in another notation.
  return JSON.stringify(value).replace(/"@@raw:([^"]*)"/g, (_, text: string) => text)
}

function contentValue(
  space: StoredSpace,
  content: StoredContent,
  view: View,
  depth: number,
  asText: ReadonlySet<string> = new Set(),
  countsNesting = false,
): Record<string, unknown> {
  const { createdAt, updatedAt, firstPublishedAt, publishedAt, customOrder } = content
  const fields = (view === 'api' ? content.draft : content.published) ?? {}
  const rendered = Object.entries(fields).map(([key, value]) => [
    key,
    asText.has(key) ? textOf(value) : fieldValue(space, value, view, depth, countsNesting),
  ])
  return {
    _id: content.id,
    _sys: {
      raw: { createdAt, updatedAt, firstPublishedAt, publishedAt },
      ...(customOrder === undefined ? {} : { customOrder }),
      createdAt: view === 'api' ? createdAt : firstPublishedAt,
      updatedAt: view === 'api' ? updatedAt : publishedAt,
    },
    ...Object.fromEntries(rendered),
  }
}

function fieldValue(
  space: StoredSpace,
  value: Stored,
  view: View,
  depth: number,
  countsNesting: boolean,
): unknown {
  if (Array.isArray(value)) {
    const entries = value.map((entry) => fieldValue(space, entry, view, depth, countsNesting))
    // A missing target leaves no empty entry in a list.
    return entries.filter((entry, index) => entry !== null || !isWrapper(value[index], '$ref'))
  }
  if (typeof value !== 'object' || value === null) return value
  if (isWrapper(value, '$raw')) return rawMark + value.$raw
  if (isWrapper(value, '$html')) return value.$html
  if (isWrapper(value, '$asset')) {
    const asset = space.assets.get(String(value.$asset))
    if (!asset) return null
    return depth === 0 ? asset.id : assetValue(asset)
  }
  if (isWrapper(value, '$ref')) {
    const target = findContent(space, String(value.$ref))
    if (!target || (view === 'cdn' && !target.published)) return null
    return depth === 0 ? target.id : contentValue(space, target, view, depth - 1, undefined, countsNesting)
  }
  const left = countsNesting ? Math.max(0, depth - 1) : depth
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, fieldValue(space, entry, view, left, countsNesting)]),
  )
}

function assetValue(asset: StoredAsset) {
  const { id, altText = '', fileName, bytes, fileType, height, metadata = {}, src, width } = asset
  return {
    _id: id,
    altText,
    description: '',
    fileName,
    fileSize: bytes.length,
    fileType,
    height,
    metadata,
    src,
    title: fileName,
    width,
  }
}

function isWrapper<Key extends string>(value: Stored | undefined, key: Key): value is { [K in Key]: string } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && key in value
}

function textOf(value: Stored): unknown {
  if (isWrapper(value, '$html')) return (value as { source?: string }).source ?? ''
  return typeof value === 'string' ? value.replace(/<[^>]*>/g, '') : value
}

function findContent(space: StoredSpace, id: string): StoredContent | undefined {
  for (const contents of space.models.values()) {
    const content = contents.get(id)
    if (content) return content
  }
  return undefined
}

function pick(value: Record<string, unknown>, paths: string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = { _id: value._id }
  for (const path of paths) copyPath(value, picked, path.split('.'))
  return picked
}

function copyPath(
  from: Record<string, unknown>,
  to: Record<string, unknown>,
  [key = '', ...rest]: string[],
): void {
  if (!(key in from)) return
  if (rest.length === 0) {
    to[key] = from[key]
    return
  }
  const inner = from[key]
  if (typeof inner !== 'object' || inner === null) return
  const target = (to[key] ?? {}) as Record<string, unknown>
  to[key] = target
  copyPath(inner as Record<string, unknown>, target, rest)
}
