import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { titleOf } from '../content.ts'
import type { Gap, SourceKind } from '../format.ts'
import type { LeftOut, ModelHints, StateHint } from '../hints.ts'
import type { LeftOutKind } from '../publication-states.ts'
import { BrokenSource } from './broken-source.ts'
import { unmarked, writeExact } from './exact-values.ts'
import { LinesOnDisk } from './lines-on-disk.ts'
import { type Publication, publicationOf, type Sign } from './publication/publication-of.ts'
import type { SourceFile } from './source-files.ts'
import { fileAddress, madeId, typeOfName } from './values.ts'

/** Placeholder host in the URLs of uploaded files until they are imported. The host does not exist. */
export const uploadHost = 'upload.invalid'

/** One content of a source. */
export interface SourceRecord {
  /**
   * Id in the source. Empty if the source has none; {@link Collector.add} then derives an id from the values and the
   * position.
   */
  id: string
  /** ISO 8601, as {@link momentOf} returns it. null or absent: the source has no time. */
  createdAt?: string | null
  /**
   * Time of the last change, if the source maintains it. An equal time then means an unchanged content. Absent if the
   * source does not maintain it, or if users enter it.
   */
  changedAt?: string | null
  /** Time of the last change as users entered it. It is imported, but does not show whether the content changed. */
  updatedAt?: string | null
  /** Time of the first publication. Absent or null: the creation time if the content is published. */
  firstPublishedAt?: string | null
  publication: Publication
  /** Title for the plan. Absent: derived from the values, or from the id. */
  label?: string
  /** The values. If `published` is set, these are the newer draft. */
  values: Record<string, unknown>
  /** The published values, if the content has newer edits. */
  published?: {
    values: Record<string, unknown>
    markdown?: Record<string, string>
    changedAt?: string | null
  }
  /** Path of the uploaded file, for errors. Absent: errors name the model. */
  file?: string
  /** Markdown sources by value key. */
  markdown?: Record<string, string>
}

/** Metadata of a file from the source. */
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
  /** Path prefix of the model's temporary files. */
  place: string
  contents: LinesOnDisk
  texts: LinesOnDisk
  /** The published view of the contents with newer edits. null: no content has newer edits. */
  published: { contents: LinesOnDisk; texts: LinesOnDisk } | null
  states: Map<string, StateHint>
  /** Keys of the states of published contents, by `_id`. */
  shown: Map<string, string>
  /** Key of the state that a content gets because a duplicate of it is not published, by `_id` of the content. */
  contradicted: Map<string, string>
  /** Keys of values with a separate source text (Markdown). */
  textKeys: Set<string>
  /** Keys of the values of all contents. */
  keys: Set<string>
  /** Collected contents by `_id`, with 48 bits of their digest. Whole digests would need more memory. */
  known: Map<string, number>
}

export interface CollectorOptions {
  kind: SourceKind
  folder: string
  /** Default time of contents that have no time in the source. */
  startedAt: Date
  /** Time zone of times without an offset. */
  zone: string
  renderMarkdown(source: string): string | Promise<string>
  onProgress(done: number): void | Promise<void>
}

const recordsPerBreath = 100

/** Maximum number of distinct keys in all contents of a model. */
const mostFields = 5_000

/** Throws `BrokenSource` if the contents of a model have more than `mostFields` distinct keys. */
export function requireFields(keys: ReadonlySet<string>, file: string): void {
  if (keys.size > mostFields) throw new BrokenSource('tooComplex', [{ file, why: 'fields' }])
}

/** Collects the contents of a source, in any order, in files on disk. */
export class Collector {
  readonly zone: string
  readonly models = new Map<string, CollectedModel>()
  readonly gaps: Gap[] = []
  /** The first contents that were lost (at most `mostUnread`), each with the reason. */
  readonly unread: BrokenSource['items'] = []
  /** Uploaded files, and URLs of files on the web, to include in the archive. */
  readonly uploaded = new Map<string, SourceFile>()
  readonly wanted = new Set<string>()
  /**
   * Hosts, or folders on hosts. A file there is fetched if a text embeds it, or links to it and its URL has a known
   * file extension.
   */
  readonly places = new Set<string>()
  /** Parts of the source that are not imported, such as accounts, settings and cards of unknown kinds. */
  readonly leftOut: LeftOut[] = []
  /** Whether a user must confirm that the upload contains contents. */
  isGeneric = false
  appName = ''
  /**
   * Name of the folder with the contents; empty if it is too general. It becomes the name of the app if neither the
   * source nor the upload has a specific name.
   */
  folderName = ''
  #records = 0
  readonly #held: LinesOnDisk[] = []
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

  /** Declares a model with the hints of its source; further declarations of the same model are ignored. */
  async model(hints: ModelHints): Promise<void> {
    if (this.models.has(hints.uid)) return
    const place = join(this.#options.folder, `model-${this.models.size}`)
    this.models.set(hints.uid, {
      hints,
      place,
      contents: await LinesOnDisk.create(`${place}.contents`),
      texts: await LinesOnDisk.create(`${place}.texts`),
      published: null,
      states: new Map(),
      shown: new Map(),
      contradicted: new Map(),
      textKeys: new Set(),
      keys: new Set(),
      known: new Map(),
    })
  }

  /**
   * Returns the `_id` of a content: its own id if this is 24 hex digits and no other model uses it, otherwise a derived
   * one.
   */
  idOf(model: string, id: string): string {
    const plain = unmarked(id)
    if (!isOurs(plain)) return madeId(this.#options.kind, model, plain)
    const owner = this.#owners.get(plain)
    return owner === undefined || owner === model ? plain : madeId(this.#options.kind, model, plain)
  }

  /**
   * Adds a content. Ignores an identical duplicate, and reports a different content with the same id as lost. If the
   * duplicate is not published, the first content is not published either. Throws `BrokenSource` if the model has too
   * many keys.
   */
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
      contradict(model, id, record)
      return
    }
    model.known.set(id, digest)
    if (isOurs(record.id)) this.#owners.set(record.id, uid)
    const sys = { ...this.#sysOf(record), state: noteState(model, record) }
    if (record.publication.state === 'published') model.shown.set(id, sys.state)
    if (!record.published) return this.#write(model, id, sys, record)
    model.published ??= {
      contents: await LinesOnDisk.create(`${model.place}.published`),
      texts: await LinesOnDisk.create(`${model.place}.published-texts`),
    }
    const { published } = record
    for (const key in published.values) model.keys.add(key)
    requireFields(model.keys, record.file ?? uid)
    const publishedAt = published.changedAt ?? sys.createdAt
    const raw = { ...sys.raw, publishedAt }
    const before = { ...sys, updatedAt: publishedAt, raw: { ...raw, updatedAt: publishedAt } }
    await this.#write({ ...model, ...model.published }, id, before, published)
    await this.#write(model, id, { ...sys, raw, isChanged: true }, record)
  }

  async #write(
    model: Pick<CollectedModel, 'contents' | 'texts' | 'textKeys'>,
    id: string,
    sys: Record<string, unknown> & { createdAt: string },
    record: Pick<SourceRecord, 'values' | 'markdown'>,
  ): Promise<void> {
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

  #sysOf({ createdAt, changedAt, firstPublishedAt, publication, ...record }: SourceRecord) {
    const updatedAt = changedAt ?? record.updatedAt
    // Contents without times get increasing times, so that they stay in the order of the source.
    const own = new Date(this.#options.startedAt.getTime() + this.#records).toISOString()
    const said = createdAt ?? firstPublishedAt ?? updatedAt
    const created = said ?? own
    const updated = updatedAt ?? created
    const isPublished = publication.state === 'published'
    const first = firstPublishedAt ?? (isPublished ? created : null)
    const published = isPublished ? updated : null
    const raw = { createdAt: created, updatedAt: updated, firstPublishedAt: first, publishedAt: published }
    return { createdAt: created, updatedAt: updated, raw, timeless: !changedAt }
  }

  /** Returns the field value for an uploaded file, and marks the file for the archive. */
  file(file: SourceFile, said: SaidOfFile = {}): Record<string, unknown> {
    return this.#fileAt(this.addressOf(file), said)
  }

  missingFile(path: string, said: SaidOfFile = {}): Record<string, unknown> {
    return this.#fileAt(uploadAddress(path), said)
  }

  /** Returns the placeholder URL of an uploaded file, and marks the file for the archive. */
  addressOf(file: SourceFile): string {
    const href = uploadAddress(file.path)
    this.uploaded.set(href, file)
    return href
  }

  /** Returns the field value for a file on the web, and marks the file for fetching. */
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

  /** Marks the host or folder of this file, so that other files that texts embed from there are fetched too. */
  place(url: URL): void {
    const [, folder, ...rest] = url.pathname.split('/')
    this.places.add(rest.length > 0 && folder ? `${url.host}/${folder}` : url.host)
  }

  /** Marks the hosts or folders of pictures that a text embeds. */
  embedded(text: string): void {
    for (const [, inHtml, inMarkdown] of text.matchAll(shown)) {
      const url = fileAddress((inHtml ?? inMarkdown)?.replaceAll('&amp;', '&'))
      if (url) this.place(url)
    }
  }

  renderMarkdown(source: string): string | Promise<string> {
    return this.#options.renderMarkdown(source)
  }

  /** Returns the visibility of a content according to the statements of its source. */
  publicationOf(...signs: readonly (Sign | Publication)[]): Publication {
    return publicationOf(signs, { now: this.#options.startedAt, zone: this.zone })
  }

  /** Counts a part of the source that is not imported. Parts beyond `maxLeftOut` are not recorded. */
  leaveOut(kind: LeftOutKind, name: string, count = 1): void {
    const known = this.leftOut.find((part) => part.kind === kind && part.name === name)
    if (known) known.count += count
    else if (this.leftOut.length < maxLeftOut)
      this.leftOut.push({ kind, name: name.slice(0, 200).toWellFormed(), count })
  }

  /** Counts a notice about a content for the plan, with `label` as an example. `ModelHints` describes the kinds. */
  note(kind: 'undated' | 'picturesElsewhere' | 'shortcodes', uid: string, label: string): void {
    const model = this.models.get(uid)
    if (!model) return
    const { count = 0, examples = [] } = model.hints[kind] ?? {}
    const example = label.slice(0, 200)
    const isShown = examples.length < mostExamples && !examples.includes(example)
    model.hints[kind] = { count: count + 1, examples: isShown ? [...examples, example] : examples }
  }

  /** Returns whether the URL is on one of the marked hosts or folders. */
  isPlaced({ host, pathname }: URL): boolean {
    const folders = pathname.split('/').slice(1, -1)
    let place = host
    for (const folder of folders) {
      if (this.places.has(place)) return true
      place += `/${folder}`
    }
    return this.places.has(place)
  }

  /** Records a content that cannot be imported, with the reason. `id` identifies the content, such as `file:12`. */
  lost(model: string, id: string, why: string): void {
    if (this.unread.length < mostUnread) this.unread.push({ file: id, why })
    if (this.gaps.length < mostLost)
      this.gaps.push({ kind: 'content', view: 'source', model, id, title: `${id}: ${why}`, saved: false })
  }

  /**
   * Records the total that a list reports, and a model that contains items of this list. Pages of the same list share
   * `list`; the largest total is used.
   */
  expect(list: string, model: string, total = 0): void {
    const known = this.#expected.get(list) ?? { models: new Set(), total: 0 }
    this.#expected.set(list, { models: known.models.add(model), total: Math.max(known.total, total) })
  }

  /** Returns gaps for lists with fewer contents than their total. */
  missingPages(): Gap[] {
    return [...this.#expected.values()].flatMap(({ models, total }): Gap[] => {
      const came = [...models].reduce((sum, uid) => sum + (this.models.get(uid)?.known.size ?? 0), 0)
      const [model = ''] = models
      return came < total ? [{ kind: 'count', view: 'source', model, missing: total - came }] : []
    })
  }

  /** Creates temporary storage for contents that must be read in an order different from the order of the source. */
  async holdLines(): Promise<LinesOnDisk> {
    const lines = await LinesOnDisk.create(join(this.#options.folder, `held-${this.#held.length}`))
    this.#held.push(lines)
    return lines
  }

  async close(): Promise<void> {
    for (const lines of this.#held) await lines.close()
    for (const { contents, texts, published } of this.models.values())
      for (const lines of [contents, texts, published?.contents, published?.texts]) await lines?.close()
  }
}

const mostExamples = 10
const maxLeftOut = 200
/** Maximum number of states of a model. Contents in further states are counted without their statement. */
const maxStates = 40
/** Maximum length of a statement in characters. Plans limit the keys of states to 200. */
const maxStatementLength = 150

/** Counts a content for its state. Returns the key of the state. */
function noteState({ states }: CollectedModel, record: SourceRecord): string {
  const { publication, published, label, values, id } = record
  const { state, at } = publication
  // Statements contain keys and values of the source, which may be of any length.
  const statement = publication.statement.replaceAll('\u0000', '').slice(0, maxStatementLength).toWellFormed()
  let key = statement === '' ? state : `${state} ${statement}`
  // The key without a statement also counts the states beyond the maximum.
  if (!states.has(key) && states.size >= maxStates) key = state
  const known = states.get(key) ?? {
    key,
    state,
    statement: key === state ? '' : statement,
    count: 0,
    changed: 0,
    examples: [],
  }
  states.set(key, known)
  known.count += 1
  if (published) known.changed += 1
  if (known.examples.length < mostExamples) {
    const title = label || unmarked(titleOf(values)) || unmarked(id)
    known.examples.push(`${title.slice(0, 150)}${at ? ` (${at})` : ''}`.toWellFormed())
  }
  return key
}
/** Counts a published content under the state of its duplicate instead, if the duplicate is not published. */
function contradict(model: CollectedModel, id: string, record: SourceRecord): void {
  const before = model.states.get(model.shown.get(id) ?? '')
  if (!before || record.publication.state === 'published') return
  model.shown.delete(id)
  const { published: _, ...duplicate } = record
  model.contradicted.set(id, noteState(model, duplicate))
  before.count -= 1
  before.changed = Math.min(before.changed ?? 0, before.count)
  const title = (record.label || unmarked(titleOf(record.values))).slice(0, 150).toWellFormed()
  before.examples = before.examples.filter((example) => example !== title)
  if (before.count === 0) model.states.delete(before.key)
}

/** Limits on individually listed losses, because a damaged file could contain millions. */
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
