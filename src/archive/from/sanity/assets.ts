import { posix } from 'node:path'
import { InvalidJson } from '../../json.ts'
import type { Collector, SaidOfFile } from '../collected.ts'
import { readExact, unmarked } from '../exact-values.ts'
import { jsonParts } from '../json-parts.ts'
import type { SourceFile, SourceFiles } from '../source-files.ts'
import { isRecord, textOf } from '../values.ts'

interface Metadata extends SaidOfFile {
  url?: string
}

/** Maximum length of one text about a file, in characters. */
const maxTextLength = 1_000
const textIn = (value: unknown) => unmarked(textOf(value)).slice(0, maxTextLength).toWellFormed()

/** Returns `image-{sha1}` or `file-{sha1}`: the id of an asset without the size and the type at its end. */
const keyOf = (id: string) => /^(?:image|file)-[0-9a-f]{40}/.exec(id)?.[0] ?? id

/** An asset id, or the name of its file. The exporter adds `.bin` to types with digits. */
const idPattern = /^(?:image|file)-([0-9a-f]{40}(?:-(\d{1,6})x(\d{1,6}))?)[-.]([a-z0-9]+?)(?:\.bin)?$/

/** The files of a dataset: files in the upload, and files on the web that asset documents name. */
export class SanityAssets {
  readonly #files: SourceFiles
  readonly #into: Collector
  readonly #folders: readonly string[]
  readonly #known = new Map<string, Metadata>()

  /** `found`: the files with documents. The folders of images and files are next to them. */
  constructor(files: SourceFiles, into: Collector, found: readonly SourceFile[]) {
    this.#files = files
    this.#into = into
    this.#folders = [...new Set(found.map(({ path }) => posix.dirname(path)))]
  }

  add(id: string, asset: Record<string, unknown>): void {
    const details = isRecord(asset.metadata) ? asset.metadata : {}
    const { width, height } = isRecord(details.dimensions) ? details.dimensions : {}
    const url = textOf(asset.url)
    this.#known.set(keyOf(id), {
      ...this.#known.get(keyOf(id)),
      ...(url !== '' && url.length < 4_096 ? { url } : {}),
      fileName: textIn(asset.originalFilename),
      fileType: textIn(asset.mimeType),
      title: textIn(asset.title),
      description: textIn(asset.description),
      altText: textIn(asset.altText),
      width,
      height,
    })
  }

  /** Reads the maps of metadata in the upload (`assets.json`). They are recognised by the ids in them. */
  async readMaps(): Promise<void> {
    for (const file of this.#files.files) {
      const beginning = await this.#files.beginning(file)
      if (beginning && /^\{\s*"(?:image|file)-[0-9a-f]{40}"\s*:/.test(beginning)) await this.#readMap(file)
    }
  }

  async #readMap(file: SourceFile): Promise<void> {
    try {
      for await (const { key, isItem, text } of jsonParts(this.#files.utf8(file))) {
        const asset = key === null || isItem ? undefined : readExact(text)
        if (key !== null && isRecord(asset)) this.add(key, asset)
      }
    } catch (error) {
      if (!(error instanceof InvalidJson)) throw error
      this.#into.lost(file.path, file.path, 'json')
    }
  }

  /** Returns the field value of an image or file field; null if the field has no file, or no valid URL. */
  valueOf(value: Record<string, unknown>): Record<string, unknown> | null {
    const asset = isRecord(value.asset) ? value.asset : {}
    const address = textOf(value._sanityAsset) || textOf(asset._sanityAsset)
    const id = textOf(asset._ref) || textOf(asset._id)
    const said = {
      altText: textIn(value.alt) || textIn(value.altText),
      description: textIn(value.caption),
    }
    if (address !== '') return this.#atAddress(address.replace(/^(?:image|file)@/, ''), said)
    if (id === '') return this.#onWeb(textOf(asset.url), said)
    return this.#byId(id, said, textOf(asset.url))
  }

  byId(id: string): Record<string, unknown> | null {
    return this.#byId(id, {}, '')
  }

  /** Includes all files in the folders of the dataset, also files that no document uses. */
  addUnused(): void {
    for (const file of this.#files.files) {
      const folder = posix.dirname(posix.dirname(file.path))
      if (/(?:^|\/)(?:images|files)\/[^/]+$/.test(file.path) && this.#folders.includes(folder))
        this.#into.addressOf(file)
    }
  }

  #byId(id: string, said: SaidOfFile, url: string): Record<string, unknown> | null {
    const [, folder, stem, type] = /^(image|file)-([0-9a-f]{40}(?:-\d+x\d+)?)-([a-z0-9]+)$/.exec(id) ?? []
    const address = url || this.#known.get(keyOf(id))?.url || ''
    if (folder === undefined) return this.#onWeb(address, said, id)
    const path = `${folder}s/${stem}.${type}`
    // For types with digits the exporter writes `-mp4.bin` instead of `.mp4`.
    const local = this.#local(path) ?? this.#local(`${folder}s/${stem}-${type}.bin`)
    if (!local && address !== '') return this.#onWeb(address, said, id)
    return this.#inUpload(path, local, id, said)
  }

  #atAddress(address: string, said: SaidOfFile): Record<string, unknown> | null {
    if (!address.startsWith('file:')) return this.#onWeb(address, said)
    const path = posix
      .normalize(address.replace(/^file:\/\//, '').slice(0, maxTextLength))
      .replace(/^\/+/, '')
    const kind = /(?:^|\/)images\/[^/]+$/.test(path) ? 'image' : 'file'
    return this.#inUpload(path, this.#local(path), `${kind}-${posix.basename(path)}`, said)
  }

  #inUpload(path: string, local: SourceFile | undefined, id: string, said: SaidOfFile) {
    const merged = this.#merged(id, said)
    return local ? this.#into.file(local, merged) : this.#into.missingFile(path, merged)
  }

  #onWeb(address: string, said: SaidOfFile, id = ''): Record<string, unknown> | null {
    const isAddress = /^https?:\/\//i.test(address) && address.length < 4_096 && URL.canParse(address)
    return isAddress ? this.#into.remote(address, this.#merged(id, said)) : null
  }

  /** Returns the metadata of the asset, replaced by the metadata of the field if the field has its own. */
  #merged(id: string, said: SaidOfFile): SaidOfFile {
    const { url: _, ...known } = this.#known.get(keyOf(id)) ?? {}
    const [, stem, width, height, type] = idPattern.exec(id) ?? []
    const own = Object.entries(said).filter(([, value]) => value !== '')
    return {
      ...(stem && type ? { fileName: `${stem}.${type}` } : {}),
      ...(width && height ? { width: Number(width), height: Number(height) } : {}),
      ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== '' && value !== undefined)),
      ...Object.fromEntries(own),
    }
  }

  #local(path: string): SourceFile | undefined {
    const found = this.#files.named(posix.basename(path))
    const paths = this.#folders.map((folder) => posix.join(folder, path))
    return (
      found.find((file) => paths.includes(file.path)) ??
      found.find((file) => file.path === path || file.path.endsWith(`/${path}`))
    )
  }
}
