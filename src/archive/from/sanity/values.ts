import type { Collector } from '../collected.ts'
import { unmarked } from '../exact-values.ts'
import { isRecord, madeId, objectOf, textOf } from '../values.ts'
import type { SanityAssets } from './assets.ts'
import { isAssetValue, type SanityPaths, slugOf, translationsIn } from './paths.ts'
import { type PortableTextTargets, portableTextHtml } from './portable-text.ts'

/** The parts of an id. `drafts.{base}` and `versions.{release}.{base}` are variants of a document. */
export interface DocumentId {
  whole: string
  base: string
  variant: 'published' | 'draft' | 'version'
  /** Name of the release. Empty for the other variants. */
  release: string
}

/** Reads the id of a document. Responses of the query API contain the stored id in `_originalId`. */
export function readId({ _id, _originalId }: Record<string, unknown>): DocumentId {
  const whole = unmarked(typeof _originalId === 'string' && _originalId !== '' ? _originalId : textOf(_id))
  const [, release, versioned] = /^versions\.([^.]+)\.(.+)$/s.exec(whole) ?? []
  if (release !== undefined && versioned !== undefined)
    return { whole, base: versioned, variant: 'version', release }
  const [, drafted] = /^drafts\.(.+)$/s.exec(whole) ?? []
  return { whole, base: drafted ?? whole, variant: drafted ? 'draft' : 'published', release: '' }
}

/** A document of the dataset, stored by its id without a prefix. */
export interface KnownDocument {
  type: string
  /** Rank of the variant that determines the type. */
  rank: number
  isPublished: boolean
  isDraft: boolean
  /** The release whose version is imported if the document has only versions. */
  release: string
  releaseChangedAt: string
  /** Title for links. Empty if the document is not published. */
  title: string
}

interface ValueContext {
  model: string
  base: string
  paths: SanityPaths | undefined
}

const maxPlaces = 1_000

/** Converts the values of documents to field values. */
export class SanityValues {
  /** Number of losses. Key: `<model>\n<reason>\n<path of the value>`. */
  readonly losses = new Map<string, number>()
  readonly #into: Collector
  readonly #assets: SanityAssets
  readonly #documents: ReadonlyMap<string, KnownDocument>

  constructor(into: Collector, assets: SanityAssets, documents: ReadonlyMap<string, KnownDocument>) {
    this.#into = into
    this.#assets = assets
    this.#documents = documents
  }

  read(values: Record<string, unknown>, context: ValueContext): [string, unknown][] {
    return Object.entries(values).map(([key, value]) => [key, this.#value(value, context, key)])
  }

  /** Converts a value. `path`: the keys that lead to the value, such as `seo.image`. */
  #value(value: unknown, context: ValueContext, path: string): unknown {
    if (Array.isArray(value)) return this.#list(value, context, path)
    if (typeof value === 'string') {
      this.#into.embedded(value)
      const read = context.paths ? context.paths.dates.read(value, path) : value
      if (read === null) this.#into.note('undated', context.model, `${context.base} (${path})`)
      return read
    }
    if (!isRecord(value)) return value
    const slug = slugOf(value)
    if (slug !== undefined) return slug
    if (typeof value._ref === 'string') return this.#reference(value, context, path)
    if (isAssetValue(value)) return this.#file(value, context, path)
    if (typeof value.url === 'string' && /^sanity\.(?:image|file)Asset$/.test(textOf(value._type)))
      return this.#assets.valueOf({ asset: value })
    const expanded = typeof value._id === 'string' ? this.#documents.get(readId(value).base) : undefined
    if (expanded) return this.#into.idOf(expanded.type, readId(value).base)
    if (typeof value._id === 'string' && isPrivateId(readId(value))) {
      this.#countLoss(context, 'reference', path)
      return null
    }
    if (typeof value.lat === 'number' && typeof value.lng === 'number' && value._type === 'geopoint')
      return { lat: value.lat, lng: value.lng }
    if (value._type === 'color' && typeof value.hex === 'string') return value.hex
    return this.#parts(value, context, path)
  }

  #parts(value: Record<string, unknown>, context: ValueContext, path: string): Record<string, unknown> {
    return objectOf(
      Object.entries(value)
        .filter(([key]) => !key.startsWith('_'))
        .map(([key, inner]) => [key, this.#value(inner, context, `${path}.${key}`)]),
    )
  }

  #list(list: readonly unknown[], context: ValueContext, path: string): unknown {
    const translations = translationsIn(list)
    if (translations)
      return objectOf(
        translations.map(([language, value]) => [
          language,
          this.#value(value, context, `${path}.${language}`),
        ]),
      )
    if (context.paths?.isText(path, list))
      return list.length === 0 ? null : portableTextHtml(list, this.#targetsIn(context, path))
    const isMixed = context.paths?.hasSeveralTypes(path, list) === true
    return list.map((item, index) => {
      const value = this.#value(item, context, path)
      if (!isMixed || !isRecord(item)) return value
      const type = textOf(item._type).replaceAll('.', '_') || 'reference'
      const _id = madeId('part', context.base, path, textOf(item._key) || String(index))
      return { _id, type, data: value }
    })
  }

  /** Converts an image or file value. Counts its custom fields as lost, because files in Imori have none. */
  #file(value: Record<string, unknown>, context: ValueContext, path: string): Record<string, unknown> | null {
    for (const [key, inner] of Object.entries(value))
      if (!key.startsWith('_') && !fileKeys.has(key) && inner !== null && inner !== '')
        this.#countLoss(context, 'value', `${path}.${key}`)
    return this.#assets.valueOf(value)
  }

  #reference(value: Record<string, unknown>, context: ValueContext, path: string): unknown {
    const ref = unmarked(textOf(value._ref))
    if (isElsewhere(value)) {
      this.#countLoss(context, 'reference', path)
      return null
    }
    if (/^(?:image|file)-[0-9a-f]{40}-/.test(ref)) return this.#assets.byId(ref)
    const { base } = readId({ _id: ref })
    return this.#into.idOf(this.#documents.get(base)?.type ?? 'document', base)
  }

  #targetsIn(context: ValueContext, path: string): PortableTextTargets {
    return {
      file: (value) => {
        const file = isAssetValue(value) ? this.#assets.valueOf(value) : null
        if (!file) return undefined
        const caption = textOf(value.caption) || textOf(file.title) || textOf(file.fileName)
        const isImage = textOf(file.fileType).startsWith('image/') || value._type === 'image'
        return {
          url: textOf(file.src),
          isImage,
          alt: textOf(file.altText),
          caption: isImage ? textOf(value.caption) : caption,
        }
      },
      entry: (value) => {
        if (typeof value._ref !== 'string') return undefined
        const { base } = readId({ _id: value._ref })
        const known = isElsewhere(value) ? undefined : this.#documents.get(base)
        if (known) return { id: this.#into.idOf(known.type, base), model: known.type, title: known.title }
        this.#countLoss(context, 'reference', path)
        return null
      },
      reduced: (type) => this.#countLoss(context, 'block', `${path} (${type})`),
    }
  }

  #countLoss({ model }: ValueContext, why: string, what: string): void {
    const key = `${model}\n${why}\n${model}.${what.slice(0, 200).replaceAll('\n', ' ').toWellFormed()}`
    const count = this.losses.get(key)
    if (count !== undefined || this.losses.size < maxPlaces) this.losses.set(key, (count ?? 0) + 1)
  }
}

/** Returns whether Sanity returns the document only with a token. */
const isPrivateId = ({ base, variant }: DocumentId) => variant !== 'published' || base.includes('.')

/**
 * Keys of image and file fields that are not reported as lost: converted ones, and ones without a meaning for Imori.
 */
const fileKeys: ReadonlySet<string> = new Set([
  'asset',
  'alt',
  'altText',
  'caption',
  'hotspot',
  'crop',
  'media',
])

/** Returns whether the reference leads to another dataset or to a media library. */
const isElsewhere = (value: Record<string, unknown>) =>
  typeof value._dataset === 'string' ||
  typeof value._projectId === 'string' ||
  textOf(value._ref).includes(':') ||
  /^(?:crossDataset|global)/.test(textOf(value._type))
