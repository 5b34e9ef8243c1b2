import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import type { Gap, SourceKind } from '../format.ts'
import type { ModelHints } from '../hints.ts'
import { BrokenSource } from './broken-source.ts'
import { unmarked, writeExact } from './exact-values.ts'
import { LinesOnDisk } from './lines-on-disk.ts'
import type { SourceFile } from './source-files.ts'
import { fileAddress, madeId, typeOfName } from './values.ts'

/** Files of the upload have addresses on this host, which is none, until they are in the library. */
export const uploadHost = 'upload.invalid'

/** One content as a source knows it. */
export interface SourceRecord {
  /** As its source calls it; `''`: it has none, and is known by its text. */
  id: string
  /** ISO 8601, as {@link momentOf} answers them; null where the source does not say. */
  createdAt?: string | null
  updatedAt?: string | null
  /** Null: it never was; left out: as `createdAt`. */
  firstPublishedAt?: string | null
  /** Null: it is a draft now; left out: published as it is. */
  publishedAt?: string | null
  values: Record<string, unknown>
  /** The file of the upload that it stands in, where a source has several. */
  file?: string
  /** Markdown by the keys of the values that it belongs to. */
  markdown?: Record<string, string>
}

/** What a source says of a file. */
export interface SaidOfFile {
  fileName?: string
  fileType?: string
  width?: unknown
  height?: unknown
  title?: string
  description?: string
  altText?: string
}

interface CollectedModel {
  hints: ModelHints
  contents: LinesOnDisk
  texts: LinesOnDisk
  /** Keys with a text beside them. */
  textKeys: Set<string>
  /** Keys of all contents. */
  keys: Set<string>
  /** What was taken down, by `_id`: 48 bits of its digest, as a text for each would take more memory. */
  known: Map<string, number>
}

export interface CollectorOptions {
  kind: SourceKind
  folder: string
  /** Moments of contents whose source does not say any. */
  startedAt: Date
  /** Times without a zone are of this one. */
  zone: string
  renderMarkdown(source: string): string | Promise<string>
  onProgress(done: number): void | Promise<void>
}

const recordsPerBreath = 100

/** Keys that the contents of a model may have together: as many as one of them, and far more than a model has fields. */
const mostFields = 5_000

/** Throws BrokenSource where the contents of a model, up to this file, have more keys than any real ones. */
export function requireFields(keys: ReadonlySet<string>, file: string): void {
  if (keys.size > mostFields) throw new BrokenSource('tooComplex', [{ file, why: 'fields' }])
}

/** Takes what a source has, in any order, and keeps it on the disk. */
export class Collector {
  readonly zone: string
  readonly models = new Map<string, CollectedModel>()
  readonly gaps: Gap[] = []
  /** The first of what is lost, with why. */
  readonly unread: BrokenSource['items'] = []
  /** Files of the upload, and addresses on the web, that are to be in the archive. */
  readonly uploaded = new Map<string, SourceFile>()
  readonly wanted = new Set<string>()
  /** Hosts, or folders on them, where files lie that texts show. */
  readonly places = new Set<string>()
  appName = ''
  #records = 0
  readonly #options: CollectorOptions
  readonly #owners = new Map<string, string>()
  readonly #expected = new Map<string, { models: Set<string>; total: number }>()

  constructor(options: CollectorOptions) {
    this.#options = options
    this.zone = options.zone
  }

  get count(): number {
    return this.#records
  }

  /** Declares a model with what its source knows of it; the first word about it counts. */
  async model(hints: ModelHints): Promise<void> {
    if (this.models.has(hints.uid)) return
    const place = join(this.#options.folder, `model-${this.models.size}`)
    this.models.set(hints.uid, {
      hints,
      contents: await LinesOnDisk.create(`${place}.contents`),
      texts: await LinesOnDisk.create(`${place}.texts`),
      textKeys: new Set(),
      keys: new Set(),
      known: new Map(),
    })
  }

  /** The `_id` of a content: its own, or one made of it. */
  idOf(model: string, id: string): string {
    const plain = unmarked(id)
    if (!isOurs(plain)) return madeId(this.#options.kind, model, plain)
    const owner = this.#owners.get(plain)
    return owner === undefined || owner === model ? plain : madeId(this.#options.kind, model, plain)
  }

  /** Takes a content. One that came already is passed over; another one of the same id is reported. Throws BrokenSource. */
  async add(uid: string, record: SourceRecord): Promise<void> {
    await this.model({ uid, fields: [] })
    const model = this.models.get(uid)
    if (!model) return
    for (const key in record.values) model.keys.add(key)
    requireFields(model.keys, record.file ?? uid)
    this.#records += 1
    if (this.#records % recordsPerBreath === 0) {
      await this.#options.onProgress(this.#records)
      await breathe()
    }
    const text = writeExact(record.values)
    const hash = createHash('sha1').update(text).digest()
    const digest = hash.readUIntBE(0, 6)
    const id = this.idOf(
      uid,
      record.id === '' ? `${hash.toString('base64url').slice(0, 16)} ${this.#records}` : record.id,
    )
    const known = model.known.get(id)
    if (known !== undefined) {
      if (known !== digest) this.lost(uid, unmarked(record.id), 'repeated')
      return
    }
    model.known.set(id, digest)
    if (isOurs(record.id)) this.#owners.set(record.id, uid)
    await this.#write(model, id, record)
  }

  async #write(model: CollectedModel, id: string, record: SourceRecord): Promise<void> {
    const sys = this.#sysOf(record)
    const order = `${sys.createdAt} ${id}`
    const { _id, _sys, ...values } = record.values
    const own = {
      ...(_id === undefined ? {} : { _id_: _id }),
      ...(_sys === undefined ? {} : { _sys_: _sys }),
      ...values,
    }
    const texts: [string, string][] = []
    const rendered: [string, string][] = []
    for (const [key, source] of Object.entries(record.markdown ?? {})) {
      if (source.trim() === '') continue
      texts.push([key, source])
      rendered.push([key, await this.#options.renderMarkdown(source)])
      model.textKeys.add(key)
    }
    const html = new Map(rendered)
    const shown = Object.entries(own).map(([key, value]) => [key, html.get(key) ?? value] as const)
    await model.contents.add(order, writeExact(Object.fromEntries([['_id', id], ['_sys', sys], ...shown])))
    if (texts.length > 0)
      await model.texts.add(order, JSON.stringify(Object.fromEntries([['_id', id], ['_sys', sys], ...texts])))
  }

  #sysOf({ createdAt, updatedAt, firstPublishedAt, publishedAt }: SourceRecord) {
    // What has no time comes in the order in which it stands in its source.
    const own = new Date(this.#options.startedAt.getTime() + this.#records).toISOString()
    const created = createdAt ?? firstPublishedAt ?? updatedAt ?? own
    const updated = updatedAt ?? publishedAt ?? created
    const first = firstPublishedAt === undefined ? (publishedAt === null ? null : created) : firstPublishedAt
    // Otherwise than with Newt no source has both what is published and newer edits.
    const published = publishedAt === null ? null : updated
    const raw = { createdAt: created, updatedAt: updated, firstPublishedAt: first, publishedAt: published }
    return { createdAt: created, updatedAt: updated, raw }
  }

  /** A file of the upload as the value of a field. */
  file(file: SourceFile, said: SaidOfFile = {}): Record<string, unknown> {
    return this.#fileAt(this.addressOf(file), said)
  }

  /** A file that ought to be in the upload, and is not. */
  missingFile(path: string, said: SaidOfFile = {}): Record<string, unknown> {
    return this.#fileAt(uploadAddress(path), said)
  }

  /** Where a file of the upload is to be found until it is in the library. It will be in the archive. */
  addressOf(file: SourceFile): string {
    const href = uploadAddress(file.path)
    this.uploaded.set(href, file)
    return href
  }

  /** A file on the web as the value of a field; it is fetched. */
  remote(address: string, said: SaidOfFile = {}): Record<string, unknown> {
    const url = new URL(address.startsWith('//') ? `https:${address}` : address)
    url.hash = ''
    this.wanted.add(url.href)
    this.place(url)
    return this.#fileAt(url.href, said)
  }

  #fileAt(address: string, { width, height, ...said }: SaidOfFile): Record<string, unknown> {
    const { pathname } = new URL(address)
    const fileName = said.fileName || lastPart(pathname)
    return {
      _id: madeId(this.#options.kind, 'file', address),
      src: address,
      ...said,
      fileName,
      fileType: said.fileType || typeOfName(fileName) || typeOfName(pathname),
      ...(typeof width === 'number' ? { width } : {}),
      ...(typeof height === 'number' ? { height } : {}),
    }
  }

  /** Files lie where this one does: their addresses in texts are theirs, too. */
  place(url: URL): void {
    const [, folder, ...rest] = url.pathname.split('/')
    this.places.add(rest.length > 0 && folder ? `${url.host}/${folder}` : url.host)
  }

  /** Looks for pictures on the web that a text shows. */
  embedded(text: string): void {
    for (const [, inHtml, inMarkdown] of text.matchAll(shown)) {
      const url = fileAddress((inHtml ?? inMarkdown)?.replaceAll('&amp;', '&'))
      if (url) this.place(url)
    }
  }

  /** Takes down that not everybody could see a content of the model; it comes as a draft. */
  restricted(uid: string, label: string): void {
    const model = this.models.get(uid)
    if (!model) return
    const { count = 0, examples = [] } = model.hints.restricted ?? {}
    const shown = examples.length < mostExamples ? [...examples, label.slice(0, 200)] : examples
    model.hints.restricted = { count: count + 1, examples: shown }
  }

  /** Something that cannot be brought along, and why: `file:12`. */
  lost(model: string, id: string, why: string): void {
    if (this.unread.length < mostUnread) this.unread.push({ file: id, why })
    if (this.gaps.length < mostLost)
      this.gaps.push({ kind: 'content', view: 'source', model, id, title: `${id}: ${why}`, saved: false })
  }

  /**
   * Takes down that a list has so many contents, of which this model has some; pages of one list say it of the same `list`. Of several
   * numbers the largest counts.
   */
  expect(list: string, model: string, total = 0): void {
    const known = this.#expected.get(list) ?? { models: new Set(), total: 0 }
    this.#expected.set(list, { models: known.models.add(model), total: Math.max(known.total, total) })
  }

  /** Contents of lists that did not come with all of their pages. */
  missingPages(): Gap[] {
    return [...this.#expected.values()].flatMap(({ models, total }): Gap[] => {
      const came = [...models].reduce((sum, uid) => sum + (this.models.get(uid)?.known.size ?? 0), 0)
      const [model = ''] = models
      return came < total ? [{ kind: 'count', view: 'source', model, missing: total - came }] : []
    })
  }

  async close(): Promise<void> {
    for (const { contents, texts } of this.models.values()) {
      await contents.close()
      await texts.close()
    }
  }
}

const mostExamples = 10
/** One by one; a ruined file would have millions. */
const mostLost = 10_000
const mostUnread = 100

const shown =
  /<img\b(?:(?!<img\b)[^>]){0,500}?\bsrc\s*=\s*["']?((?:https?:)?\/\/[^"'\s>]{1,4096})|!\[(?:(?!!\[)[^\]\n]){0,300}\]\(<?(https?:\/\/[^\s)>]{1,4096})/gi

function uploadAddress(path: string): string {
  const encoded = path.toWellFormed().split('/').map(encodeURIComponent).join('/')
  return new URL(`https://${uploadHost}/${encoded}`).href
}

const isOurs = (id: string) => /^[0-9a-f]{24}$/.test(id)

function lastPart(pathname: string): string {
  const name = pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
