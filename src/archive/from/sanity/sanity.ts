import { titleOf } from '../../content.ts'
import type { LeftOutKind } from '../../publication-states.ts'
import { BrokenSource } from '../broken-source.ts'
import type { Collector, SourceRecord } from '../collected.ts'
import { dateIn } from '../date-paths.ts'
import { readExact, writeExact } from '../exact-values.ts'
import { type JsonFile, jsonFiles, objectsIn } from '../json-files.ts'
import type { Publication } from '../publication/publication-of.ts'
import { signsIn } from '../publication/signs.ts'
import { defineSource } from '../source.ts'
import type { SourceFiles } from '../source-files.ts'
import { isRecord, madeId, momentOf, objectOf, textOf } from '../values.ts'
import { SanityAssets } from './assets.ts'
import { SanityPaths } from './paths.ts'
import { type DocumentId, type KnownDocument, readId, SanityValues } from './values.ts'

/** Documents: in lines, in a list, or in the list `result` of a response of the query API. */
interface Part extends JsonFile {
  key: 'result' | null
}

type SanityDocument = Record<string, unknown> & { _id: string; _type: string }

/**
 * Output of `sanity dataset export`: a tar with files, and with documents in lines. Also accepts the lines alone, or
 * responses of the query API.
 */
export const sanity = defineSource<Part[]>({
  kind: 'sanity',
  async recognise(files) {
    const found: Part[] = []
    for (const part of await candidatesIn(files)) if (await hasDocuments(files, part)) found.push(part)
    return found.length > 0 ? found : undefined
  },
  async convert(files, into, found) {
    const assets = new SanityAssets(
      files,
      into,
      found.map(({ file }) => file),
    )
    const dataset = new Dataset(into, assets)
    for (const part of found)
      for await (const value of objectsIn(files, part, { lost: () => {} }, part.key)) dataset.note(value)
    await assets.readMaps()
    await dataset.declare()
    for (const part of found) {
      let others = 0
      for await (const value of objectsIn(files, part, into, part.key))
        if (isDocument(value)) await dataset.add(value)
        else others += 1
      if (others > 0) into.lost(part.file.path, `${others} × ${part.file.path}`, 'json')
    }
    await dataset.addPairs()
    assets.addUnused()
    dataset.report()
  },
})

/** Returns the files whose beginning contains the keys `_id` and `_type`. */
async function candidatesIn(files: SourceFiles): Promise<Part[]> {
  const found: Part[] = []
  for (const file of files.files) {
    const beginning = await files.beginning(file)
    if (!beginning || !/"_id"\s*:/.test(beginning) || !/"_type"\s*:/.test(beginning)) continue
    const known = (await jsonFiles(files)).find((json) => json.file === file)
    if (known?.shape.type === 'object' && known.shape.keys.get('result')?.isList)
      found.push({ ...known, key: 'result' })
    // A file with a single line has the shape of an object, so every other file that starts with `{` is read as lines.
    else if (beginning.startsWith('{'))
      found.push({ file, shape: { type: 'lines', first: undefined }, key: null })
    else if (beginning.startsWith('['))
      found.push({ file, shape: { type: 'list', first: undefined }, key: null })
  }
  return found
}

/** Number of objects to examine. One of them must have properties of a Sanity document. */
const maxExamined = 100

async function hasDocuments(files: SourceFiles, part: Part): Promise<boolean> {
  let examined = 0
  try {
    for await (const value of objectsIn(files, part, { lost: () => {} }, part.key)) {
      if (isDocument(value) && isOfSanity(value)) return true
      if (++examined >= maxExamined) break
    }
  } catch (error) {
    if (!(error instanceof BrokenSource) || error.reason === 'tooLarge') throw error
  }
  return false
}

const isDocument = (value: Record<string, unknown>): value is SanityDocument =>
  typeof value._id === 'string' && value._id !== '' && typeof value._type === 'string' && value._type !== ''

const isOfSanity = (document: SanityDocument) =>
  // Exports of Elasticsearch also have `_id` and `_type`.
  !('_source' in document) &&
  (['_rev', '_createdAt', '_updatedAt'].some((key) => typeof document[key] === 'string') ||
    /^(?:drafts|versions)\../.test(document._id))

/** Returns the reason why a document is not imported. undefined: it is a content. */
function leftOutKindOf({ _type: type }: SanityDocument, { base }: DocumentId): LeftOutKind | undefined {
  // Plugins store their keys and passwords in these documents.
  if (base.startsWith('secrets.') || type === 'pluginSecrets' || /^sanity\.\w*Secret/i.test(type))
    return 'secret'
  if (/^(?:sanity\.user|system\.(?:user|group))/.test(type)) return 'account'
  return base.startsWith('_.') || /^(?:system|sanity)\./.test(type) ? 'system' : undefined
}

const isAsset = ({ _type }: SanityDocument) => /^sanity\.(?:image|file)Asset$/.test(_type)

/**
 * Limits on the number of types, and on the length of their names in characters. Each type becomes a model with open
 * files.
 */
const maxTypes = 500
const maxTypeLength = 200

/** Rank of the variants of a document. The variant with the lowest rank determines the type. */
const ranks = { published: 0, draft: 1, version: 2 } as const

class Dataset {
  readonly #into: Collector
  readonly #assets: SanityAssets
  readonly #values: SanityValues
  readonly #documents = new Map<string, KnownDocument>()
  readonly #paths = new Map<string, SanityPaths>()
  /** Planned publication times of open releases, by name of the release. */
  readonly #releases = new Map<string, unknown>()
  /**
   * Lines of the documents with a published variant and a draft. When they are read in order, the two lines of a
   * document are adjacent.
   */
  #pairs: Awaited<ReturnType<Collector['holdLines']>> | undefined

  constructor(into: Collector, assets: SanityAssets) {
    this.#into = into
    this.#assets = assets
    this.#values = new SanityValues(into, assets, this.#documents)
  }

  /**
   * First pass: records the variants of a document, and the paths with texts, lists and dates in the documents of a
   * type.
   */
  note(value: Record<string, unknown>): void {
    if (!isDocument(value)) return
    const id = readId(value)
    if (isAsset(value)) this.#assets.add(value._id, value)
    else if (value._type === 'system.release') this.#noteRelease(value, id)
    if (leftOutKindOf(value, id) || !this.#isTypeRead(value._type)) return
    const values = valuesOf(value)
    this.#noteVariant(value, id, values)
    const paths = this.#paths.get(value._type) ?? new SanityPaths(this.#into.zone)
    this.#paths.set(value._type, paths)
    for (const [key, inner] of Object.entries(values)) paths.add(inner, key)
  }

  #noteRelease(release: SanityDocument, { base }: DocumentId): void {
    const { intendedPublishAt } = isRecord(release.metadata) ? release.metadata : {}
    const isOpen = !['published', 'archived', 'unpublished'].includes(textOf(release.state))
    if (isOpen) this.#releases.set(base.replace(/^_\.releases\./, ''), release.publishAt ?? intendedPublishAt)
  }

  #noteVariant(document: SanityDocument, id: DocumentId, values: Record<string, unknown>): void {
    const { base, variant, release } = id
    const rank = ranks[variant]
    const known = this.#documents.get(base) ?? {
      type: document._type,
      rank,
      isPublished: false,
      isDraft: false,
      release: '',
      releaseChangedAt: '',
      title: '',
    }
    this.#documents.set(base, known)
    if (rank < known.rank) {
      known.type = document._type
      known.rank = rank
    }
    if (variant === 'draft') known.isDraft = true
    else if (variant === 'published') {
      known.isPublished = true
      // Links show titles to visitors, so only the titles of published documents are kept.
      if (this.#publicationOf(id, values).state === 'published') known.title = titleOf(values)
    } else {
      const changedAt = momentOf(document._updatedAt) ?? ''
      if (known.release !== '' && changedAt <= known.releaseChangedAt) return
      known.release = release
      known.releaseChangedAt = changedAt
    }
  }

  #isTypeRead(type: string): boolean {
    return type.length <= maxTypeLength && (this.#paths.has(type) || this.#paths.size < maxTypes)
  }

  async declare(): Promise<void> {
    for (const [uid, { textKeys }] of this.#paths)
      await this.#into.model({ uid, fields: textKeys.map((key) => ({ key, kinds: ['html'] })) })
  }

  /** Second pass: adds a document, or stores it for `addPairs` if it has two variants. */
  async add(document: SanityDocument): Promise<void> {
    const id = readId(document)
    if (isAsset(document)) return
    const kind = leftOutKindOf(document, id)
    if (kind) return this.#into.leaveOut(kind, document._type)
    const known = this.#documents.get(id.base)
    if (!known || !this.#isTypeRead(document._type))
      return this.#into.lost(document._type.slice(0, maxTypeLength), id.base, 'types')
    const hasOthers = known.isPublished || known.isDraft
    if (id.variant === 'version' && (hasOthers || id.release !== known.release))
      return this.#into.lost(known.type, id.whole, 'version')
    if (id.variant !== 'version' && known.isPublished && known.isDraft) {
      this.#pairs ??= await this.#into.holdLines()
      // The id is hashed, so that the lines of different documents cannot mix.
      await this.#pairs.add(`${madeId(id.base)} ${ranks[id.variant]}`, writeExact(document))
      return
    }
    await this.#addRecord(id, document, this.#publicationOf(id, valuesOf(document)))
  }

  async addPairs(): Promise<void> {
    let pair: { id: DocumentId; document: SanityDocument; line: Buffer }[] = []
    for await (const line of this.#pairs?.read() ?? []) {
      const document = readExact(line)
      if (!isRecord(document) || !isDocument(document)) continue
      const id = readId(document)
      if (pair[0]?.id.base !== id.base) {
        await this.#addPair(pair)
        pair = []
      }
      const same = pair.find(({ id: { variant } }) => variant === id.variant)
      if (!same) pair.push({ id, document, line: Buffer.from(line) })
      else if (!same.line.equals(line)) this.#into.lost(document._type, id.whole, 'repeated')
    }
    await this.#addPair(pair)
  }

  async #addPair(pair: readonly { id: DocumentId; document: SanityDocument }[]): Promise<void> {
    const [before, draft] = pair
    if (!before || !draft) return
    const publication = this.#publicationOf(before.id, valuesOf(before.document))
    const { state, statement } = publication
    const both = { ...publication, statement: `${statement} + drafts.` }
    if (state === 'published') return this.#addRecord(draft.id, draft.document, both, before.document)
    // A content that is not published has only one state in the archive, so the older variant is lost.
    this.#into.lost(this.#typeOf(before.id), before.id.whole, 'version')
    await this.#addRecord(draft.id, draft.document, both)
  }

  #typeOf({ base }: DocumentId): string {
    return this.#documents.get(base)?.type ?? ''
  }

  async #addRecord(
    id: DocumentId,
    document: SanityDocument,
    publication: Publication,
    published?: SanityDocument,
  ): Promise<void> {
    const model = this.#typeOf(id)
    for (const key of ['_createdAt', '_updatedAt'])
      dateIn(this.#into, document[key], model, `${id.base} (${key})`)
    const read = (variant: SanityDocument) =>
      objectOf([
        ...this.#values.read(valuesOf(variant), { model, base: id.base, paths: this.#paths.get(model) }),
        ['sourceId', id.base],
      ])
    const record: SourceRecord = {
      id: id.base,
      createdAt: momentOf(published?._createdAt) ?? momentOf(document._createdAt),
      changedAt: momentOf(document._updatedAt),
      publication,
      values: read(document),
    }
    if (published) record.published = { values: read(published), changedAt: momentOf(published._updatedAt) }
    await this.#into.add(model, record)
  }

  /**
   * Returns the visibility according to the id. Fields of the document can only restrict it: they belong to the user's
   * schema, so an unknown word states nothing about the visibility.
   */
  #publicationOf({ base, variant, release }: DocumentId, values: Record<string, unknown>): Publication {
    const dot = base.indexOf('.')
    // Without a token, Sanity returns no documents with a dot in their ids.
    const path: Publication[] =
      dot < 0 ? [] : [{ state: 'hidden', statement: base.slice(0, dot + 1).slice(0, 60) }]
    const fields = signsIn(values)
      .map((sign) => this.#into.publicationOf(sign))
      .filter(({ state }) => state !== 'unknown' && state !== 'published')
    return this.#into.publicationOf(this.#publicationOfVariant(variant, release), ...path, ...fields)
  }

  #publicationOfVariant(variant: DocumentId['variant'], release: string): Publication {
    if (variant === 'published') return { state: 'published', statement: '_id' }
    if (variant === 'draft') return { state: 'draft', statement: 'drafts.' }
    const statement = `versions.${release}.`.slice(0, 60)
    const planned = this.#into.publicationOf({
      kind: 'publishAt',
      key: statement,
      value: this.#releases.get(release),
    })
    return planned.state === 'scheduled' ? planned : { state: 'draft', statement }
  }

  /** Reports the parts of values that were lost in the conversion. */
  report(): void {
    for (const [place, count] of this.#values.losses) {
      const [model = '', why = '', what = ''] = place.split('\n')
      this.#into.lost(model, `${count} × ${what}`, why)
    }
  }
}

const valuesOf = (document: SanityDocument): Record<string, unknown> =>
  objectOf(Object.entries(document).filter(([key]) => !key.startsWith('_')))
