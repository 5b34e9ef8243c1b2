import { DatePaths } from '../date-paths.ts'
import { isRecord, textOf } from '../values.ts'
import { isBlock } from './portable-text.ts'

/**
 * Maximum number of paths to lists per type, and maximum length of one path in characters. Further lists are judged one
 * by one.
 */
const maxPaths = 5_000
const maxPathLength = 500

const kindOfItem = (item: Record<string, unknown>): string =>
  typeof item._ref === 'string' ? 'reference' : isAssetValue(item) ? 'asset' : textOf(item._type)

/** Returns whether the value is an image or file field, in the notation of exports or of the API. */
export function isAssetValue(value: Record<string, unknown>): boolean {
  if (typeof value._sanityAsset === 'string' || value._type === 'image' || value._type === 'file') return true
  const { asset } = value
  if (!isRecord(asset)) return false
  return (
    typeof asset._sanityAsset === 'string' ||
    (typeof asset._ref === 'string' && /^(?:image|file)-[0-9a-f]{40}-/.test(asset._ref)) ||
    (/^sanity\.(?:image|file)Asset$/.test(textOf(asset._type)) && typeof asset.url === 'string')
  )
}

/** Returns the text of a slug (null: a slug without text); undefined for other values. */
export function slugOf(value: Record<string, unknown>): string | null | undefined {
  if (value._type !== 'slug') return undefined
  return typeof value.current === 'string' ? value.current : null
}

/** Returns the values of a list of translations, each with its language; undefined for other lists. */
export function translationsIn(list: readonly unknown[]): [string, unknown][] | undefined {
  const found = list.flatMap((item): [string, unknown][] =>
    isRecord(item) && textOf(item._type).startsWith('internationalizedArray')
      ? [[textOf(item.language) || textOf(item._key), item.value]]
      : [],
  )
  return found.length > 0 && found.length === list.length ? found : undefined
}

/** Collects, from all documents of a type, the paths with Portable Text, items of several types, and dates. */
export class SanityPaths {
  readonly dates: DatePaths
  readonly #texts = new Set<string>()
  readonly #kinds = new Map<string, Set<string>>()

  constructor(zone: string) {
    this.dates = new DatePaths(zone)
  }

  /** Returns the keys of a document whose values are Portable Text. */
  get textKeys(): string[] {
    return [...this.#texts].filter((path) => !path.includes('.'))
  }

  isText(path: string, list: readonly unknown[]): boolean {
    return this.#texts.has(path) || list.some(isBlock)
  }

  hasSeveralTypes(path: string, list: readonly unknown[]): boolean {
    if ((this.#kinds.get(path)?.size ?? 0) > 1) return true
    return new Set(list.filter(isRecord).map(kindOfItem)).size > 1
  }

  add(value: unknown, path: string): void {
    if (path.length > maxPathLength) return
    if (Array.isArray(value)) this.#addList(value, path)
    else if (!isRecord(value)) {
      if (value !== null && value !== '') this.dates.add(value, path)
    } else if (typeof value._ref !== 'string' && !isAssetValue(value) && slugOf(value) === undefined)
      for (const [key, inner] of Object.entries(value))
        if (!key.startsWith('_')) this.add(inner, `${path}.${key}`)
  }

  #addList(list: readonly unknown[], path: string): void {
    const translations = translationsIn(list)
    if (translations) for (const [language, value] of translations) this.add(value, `${path}.${language}`)
    else if (list.some(isBlock)) {
      if (this.#texts.size < maxPaths) this.#texts.add(path)
    } else
      for (const item of list) {
        if (isRecord(item)) this.#addKind(path, kindOfItem(item))
        this.add(item, path)
      }
  }

  #addKind(path: string, kind: string): void {
    const known = this.#kinds.get(path)
    if (known && known.size < 2) known.add(kind)
    else if (!known && this.#kinds.size < maxPaths) this.#kinds.set(path, new Set([kind]))
  }
}
