import { titleOf } from '#archive/content.ts'
import { assetLineSchema, type Gap, gapSchema, type Manifest } from '#archive/format.ts'
import { type Hints, hintsPath, hintsSchema } from '#archive/hints.ts'
import { readManifest } from '#archive/manifest.ts'
import { isContent, isRecord } from '#archive/shapes.ts'
import type { ArchiveSource } from '#archive/source.ts'
import { recognise } from '#server/content/recognition/recognise.ts'
import { repeatsBudget } from '#server/content/recognition/repeats.ts'
import { holdsFiles, SeenFields } from '#server/content/recognition/seen.ts'
import { maximumBytes } from '#server/features/documents/documents.service.ts'
import { jobSlice, Pace } from '#server/lib/pace.ts'
import type { MovePlan, PlannedModel } from '#shared/contract/move-plans.ts'
import { idPattern } from '#shared/identifiers.ts'
import type { Language } from '#shared/languages.ts'
import { shorten, shownName } from '#shared/unicode.ts'
import { ArchiveIndex, digestOf, eachObject, ownJson } from '../archive/archive-index.ts'
import { type ArchivedContent, ArchiveLines, readSys } from '../archive/archive-lines.ts'
import { inParts } from '../store/clashes.repository.ts'
import { hintModel, withHints } from './hints.ts'
import { MovePlanProblems } from './move-plan-problems.ts'
import { nameOf } from './names-of-fields.ts'
import { planModel, planTypes, uniqueUids } from './planned-models.ts'
import { withCounts } from './planned-states.ts'
import { ReplacedTexts } from './replaced-texts.ts'

export interface MovePlanSurroundings {
  /** Language in which names of fields are guessed. */
  language: Language
  isAppTaken(uid: string): Promise<boolean>
  /**
   * Both methods return which of these `_id`s the space already uses, for documents or for assets. A call contains at
   * most 5,000 `_id`s.
   */
  takenDocuments(ids: string[]): Promise<string[]>
  takenAssets(ids: string[]): Promise<string[]>
  /** Reports how many bytes of contents have been read, and the total. May throw to abort the planning. */
  onProgress?: ((done: number, total: number, unit: 'bytes') => void | Promise<void>) | undefined
  /** Reports which content is being read (`model/_id`). */
  at?: ((what: string) => void) | undefined
}

/** Number of bytes between two reports of progress. */
const bytesPerStep = 4 * 1024 * 1024

type States = PlannedModel['documents']
const noStates = (): States => ({ draft: 0, published: 0, changed: 0, unpublished: 0 })

/**
 * Plans a move from the whole archive. Returns the recognised models and fields, and the problems. Reads the contents
 * twice, line by line. Does not check hashes, which `verifyArchive` does. Throws `NotAnArchive`.
 */
export async function movePlanFor(
  source: ArchiveSource,
  surroundings: MovePlanSurroundings,
): Promise<MovePlan> {
  return new Planning(source, await readManifest(source, ''), surroundings).run()
}

class Planning {
  readonly #manifest: Manifest
  readonly #surroundings: MovePlanSurroundings
  readonly #lines: ArchiveLines
  readonly #index = new ArchiveIndex()
  readonly #problems = new MovePlanProblems()
  readonly #replaced = new ReplacedTexts(this.#index, this.#problems)
  readonly #states = new Map<string, States>()
  /** Digests of the current model's contents that may have been edited since they were published. */
  readonly #digests = new Map<string, number>()
  /** `_id`s of contents whose published state may differ from the API view. */
  readonly #changed = new Set<string>()
  readonly #seen = new Map<string, SeenFields>()
  readonly #pace = new Pace(jobSlice)
  /** Referenced ids that the archive lists as missing. */
  readonly #lostIds: Extract<Gap, { kind: 'reference' }>[] = []
  #read = 0
  #reportedAt = 0
  readonly #total: number
  readonly #isOfNewt: boolean

  constructor(source: ArchiveSource, manifest: Manifest, surroundings: MovePlanSurroundings) {
    this.#manifest = manifest
    this.#isOfNewt = manifest.source.kind === 'newt'
    this.#surroundings = surroundings
    this.#lines = new ArchiveLines(source, manifest)
    const paths = manifest.models.flatMap(({ api, cdn }) => [api.path, ...(cdn ? [cdn.path] : [])])
    this.#total = 2 * paths.reduce((sum, path) => sum + this.#lines.bytesOf(path), 0)
  }

  async run(): Promise<MovePlan> {
    const { source, status, finishedAt, models, counts } = this.#manifest
    await this.#readGaps()
    for (const { uid } of models) this.#states.set(uid, noStates())
    for (const model of models) await this.#takeDown(model)
    await this.#addListedAssets()
    const copies = this.#index.settleCopies((uid) => models.some((model) => model.uid === uid))
    const budget = repeatsBudget()
    for (const uid of [...models.map((model) => model.uid), ...copies])
      this.#seen.set(uid, new SeenFields(budget))
    for (const uid of copies) this.#states.set(uid, noStates())
    for (const model of models) await this.#look(model)
    for (const uid of copies) this.#problems.add('copiesOnly', uid, this.#seen.get(uid)?.count ?? 0)

    const { models: hintsOfModels, leftOut, isGeneric } = await this.#readHints()
    const hints = new Map(hintsOfModels.map((model) => [model.uid, model]))
    for (const [uid, seen] of this.#seen) hintModel(seen, hints.get(uid))
    this.#reportLostIds()
    const recognised = recognise(this.#seen)
    const uids = uniqueUids([...this.#seen.keys()], this.#problems)
    const planned = [...recognised.models].map(([from, fields]) =>
      planModel(from, withHints(fields, hints.get(from)), {
        ...this.#aboutModel(from, copies),
        hints: hints.get(from),
        uids,
        count: this.#seen.get(from)?.count ?? 0,
        refused: this.#seen.get(from)?.refused ?? 0,
        language: this.#surroundings.language,
        problems: this.#problems,
      }),
    )
    const customTypes = planTypes(recognised.customTypes, uids, this.#surroundings.language, this.#problems)
    await this.#findClashes()
    if (hints.size === 0) this.#problems.add('notInApi', '', 0)
    if (isGeneric) this.#problems.add('unconfirmedSource', '', 0)
    const app = { uid: source.app, name: await this.#appName() }
    return withCounts({
      source: { kind: source.kind, space: source.space, app: source.app, status, finishedAt },
      app,
      models: planned,
      customTypes,
      counts: {
        documents: this.#index.documentCount,
        // Each URL becomes a file of the library, even if the archive lacks its bytes.
        assets: counts.assets.urls,
        bytes: counts.assets.bytes,
      },
      problems: this.#problems.list(),
      ...(leftOut.length > 0 ? { leftOut } : {}),
      ...(isGeneric ? { confirmed: false } : {}),
    })
  }

  #aboutModel(
    uid: string,
    copies: readonly string[],
  ): Pick<PlannedModel, 'foundBy' | 'source' | 'documents'> {
    const model = this.#manifest.models.find((candidate) => candidate.uid === uid)
    return {
      foundBy: model?.foundBy ?? null,
      source: copies.includes(uid) ? 'copies' : 'contents',
      documents: this.#states.get(uid) ?? noStates(),
    }
  }

  async #readGaps(): Promise<void> {
    const gaps = this.#lines.typed('gaps.ndjson', (line) => gapSchema.safeParse(line).data)
    for await (const gap of gaps) {
      switch (gap.kind) {
        case 'asset':
          this.#problems.add('missingAssets', '', 1, gap.url)
          break
        case 'reference':
          this.#index.missing.add(gap.id)
          this.#lostIds.push(gap)
          break
        case 'content':
          this.#reportIncompleteContent(gap)
          break
        case 'count':
          this.#problems.add('missingContents', gap.model, gap.missing)
          break
        case 'unread':
          this.#problems.add('missingContents', gap.model, 1, gap.reason)
      }
    }
  }

  /** Reports a content that could not be saved completely. */
  #reportIncompleteContent({
    model,
    id,
    title = id,
    saved,
    lacks = [],
  }: Extract<Gap, { kind: 'content' }>): void {
    if (!saved) this.#problems.add('missingContents', model, 1, title)
    else if (lacks.length === 0) this.#problems.add('shallowContents', model, 1, title)
    for (const field of saved ? lacks : []) this.#problems.add('missingFields', `${model}.${field}`, 1, title)
  }

  /** Adds files whose URLs contain an `_id`, for contents that refer to them by id only. */
  async #addListedAssets(): Promise<void> {
    if (this.#lines.bytesOf('assets.ndjson') === 0) return
    const lines = this.#lines.typed('assets.ndjson', (line) => assetLineSchema.safeParse(line).data)
    for await (const line of lines) this.#index.addListedAsset(line)
  }

  /**
   * Reports missing ids. An id counts as a lost file if all known values of the field are files, otherwise as a lost
   * reference.
   */
  #reportLostIds(): void {
    for (const { id, uses, usedBy } of this.#lostIds) {
      if (this.#index.asset(id)) continue
      const [first] = usedBy
      if (!first) continue
      const { model, field = '' } = first
      const path = `${model}.${field}`
      if (!holdsFiles(this.#seen.get(model), field)) {
        this.#problems.add('brokenReferences', path, uses, id)
        continue
      }
      // The same content can be listed for both views.
      const titles = new Map(usedBy.map(({ content, title = content }) => [content, title]))
      for (const title of titles.values()) this.#problems.add('lostFiles', path, 1, title)
    }
  }

  /** First pass: collects contents and assets, and counts states. */
  async #takeDown(model: Manifest['models'][number]): Promise<void> {
    for await (const content of this.#lines.contents(model, 'api')) {
      await this.#pause(model.uid, content)
      if (!content) {
        this.#problems.add('unreadableContents', model.uid, 1)
        continue
      }
      this.#index.addValues(content.values)
      if (!this.#index.addDocument(model.uid, content.id)) continue
      this.#index.addTitle(content.id, titleOf(content.values))
      if (!idPattern.test(content.id)) this.#problems.add('idsMade', model.uid, 1, content.id)
      if (content.bytes > maximumBytes && Buffer.byteLength(ownJson(content.values)) > maximumBytes)
        this.#problems.add('largeContents', model.uid, 1, content.id)
      this.#countState(model, content)
    }
    for await (const content of this.#lines.contents(model, 'cdn')) {
      await this.#pause(model.uid, content)
      if (!content || !idPattern.test(content.id)) continue
      this.#index.addValues(content.values)
      if (!this.#isOfNewt) {
        this.#changed.add(content.id)
        continue
      }
      if (this.#index.addDocument(model.uid, content.id)) {
        this.#count(model.uid, 'published')
        this.#changed.add(content.id)
      }
      const digest = this.#digests.get(content.id)
      if (digest !== undefined && digest !== digestOf(content)) this.#changed.add(content.id)
    }
    for (const id of this.#digests.keys())
      this.#count(model.uid, this.#changed.has(id) ? 'changed' : 'published')
    this.#digests.clear()
  }

  #countState(model: Manifest['models'][number], content: ArchivedContent): void {
    const { firstPublishedAt, publishedAt, updatedAt } = content.sys
    // For other sources, `withChoices` replaces these counts if the archive has states.
    if (!this.#isOfNewt) this.#count(model.uid, 'draft')
    else if (publishedAt === null) this.#count(model.uid, firstPublishedAt === null ? 'draft' : 'unpublished')
    else if (updatedAt === publishedAt) this.#count(model.uid, 'published')
    else if (model.cdn) this.#digests.set(content.id, digestOf(content))
    else {
      const isChanged = updatedAt > publishedAt
      if (isChanged) this.#changed.add(content.id)
      this.#count(model.uid, isChanged ? 'changed' : 'published')
    }
  }

  #count(model: string, state: keyof States): void {
    const states = this.#states.get(model)
    if (states) states[state]++
  }

  /** Second pass: collects values for recognition, including values that exist only in the published state. */
  async #look(model: Manifest['models'][number]): Promise<void> {
    const seen = this.#seen.get(model.uid)
    for await (const content of this.#lines.contents(model, 'api', { withTexts: true })) {
      await this.#pause(model.uid, content)
      if (!content) continue
      this.#replaced.add(model.uid, content)
      seen?.add(content.values, content.texts ?? {}, this.#index)
      this.#lookAtCopies(content.values)
    }
    // The values of published contents that equal the API view have already been collected.
    if (this.#changed.size === 0) return
    const published = new SeenFields()
    for await (const content of this.#lines.contents(model, 'cdn', { withTexts: true })) {
      await this.#pause(model.uid, content)
      if (!content || !this.#changed.has(content.id)) continue
      this.#replaced.add(model.uid, content)
      published.add(content.values, content.texts ?? {}, this.#index)
      this.#lookAtCopies(content.values)
    }
    seen?.merge(published, false)
  }

  readonly #copied = new Set<string>()

  /** Collects contents whose model has no file in the archive, each once. */
  #lookAtCopies(values: Record<string, unknown>): void {
    eachObject(values, (_key, value) => {
      if (!isContent(value) || this.#copied.has(value._id)) return
      const model = this.#index.document(value)?.model
      if (!model || this.#manifest.models.some(({ uid }) => uid === model)) return
      this.#copied.add(value._id)
      const { _id, _sys, ...fields } = value
      this.#seen.get(model)?.add(fields, {}, this.#index)
      const { firstPublishedAt, publishedAt } = readSys(_sys)
      const state = publishedAt !== null ? 'published' : firstPublishedAt === null ? 'draft' : 'unpublished'
      // The meaning of these times is known only for Newt.
      this.#count(model, this.#isOfNewt ? state : 'draft')
    })
  }

  async #findClashes(): Promise<void> {
    const { app } = this.#manifest.source
    if (await this.#surroundings.isAppTaken(app)) this.#problems.add('appUidTaken', '', 1, app)
    for (const ids of inParts(this.#index.documentIds))
      for (const id of await this.#surroundings.takenDocuments(ids))
        this.#problems.add('documentIdsTaken', '', 1, id)
    for (const ids of inParts(this.#index.assetIds))
      for (const id of await this.#surroundings.takenAssets(ids))
        this.#problems.add('assetIdsTaken', '', 1, id)
  }

  async #readHints(): Promise<Hints> {
    if (this.#manifest.files.some(({ path }) => path === hintsPath))
      for await (const hints of this.#lines.typed(hintsPath, (line) => hintsSchema.safeParse(line).data))
        return hints
    return hintsSchema.parse({ models: [] })
  }

  async #appName(): Promise<string> {
    const app = await this.#lines.whole('app.json')
    const given = isRecord(app) && typeof app.name === 'string' ? app.name : ''
    const { source } = this.#manifest
    return shorten(shownName(given.trim(), ''), 100) || nameOf(source.app, this.#surroundings.language)
  }

  async #pause(model: string, content: ArchivedContent | null): Promise<void> {
    if (content) this.#surroundings.at?.(`${model}/${content.id}`)
    this.#read += content?.bytes ?? 0
    if (this.#read - this.#reportedAt >= bytesPerStep) {
      this.#reportedAt = this.#read
      await this.#surroundings.onProgress?.(Math.min(this.#read, this.#total), this.#total, 'bytes')
    }
    await this.#pace.giveWay()
  }
}
