import { gapSchema, type Manifest } from '#archive/format.ts'
import { type Hints, hintsPath, hintsSchema } from '#archive/hints.ts'
import { readManifest } from '#archive/manifest.ts'
import { isContent, isRecord } from '#archive/shapes.ts'
import type { ArchiveSource } from '#archive/source.ts'
import { recognise } from '#server/content/recognition/recognise.ts'
import { SeenFields } from '#server/content/recognition/seen.ts'
import { maximumBytes } from '#server/features/documents/documents.service.ts'
import { jobSlice, Pace } from '#server/lib/pace.ts'
import type { MovePlan, PlannedModel } from '#shared/contract/move-plans.ts'
import { idPattern } from '#shared/identifiers.ts'
import type { Language } from '#shared/languages.ts'
import { inParts } from './moves.clashes.ts'
import { type ArchivedContent, ArchiveLines, readSys } from './moves.contents.ts'
import { hintModel, withHints } from './moves.hints.ts'
import { ArchiveIndex, digestOf, eachObject, ownJson } from './moves.index.ts'
import { nameOf } from './moves.names.ts'
import { PlanProblems } from './moves.plan-problems.ts'
import { planModel, planTypes, uniqueUids } from './moves.planned.ts'
import { ReplacedTexts } from './moves.replaced-texts.ts'

/** What planning asks of where the archive is to go. */
export interface PlanSurroundings {
  /** What names of fields are guessed in. */
  language: Language
  isAppTaken(uid: string): Promise<boolean>
  /** Those of these `_id`s that documents, or assets, of the space have already. At most 5,000 at a time. */
  takenDocuments(ids: string[]): Promise<string[]>
  takenAssets(ids: string[]): Promise<string[]>
  /** Bytes of contents that were read, and of how many. May throw, which ends the planning. */
  onProgress?: ((done: number, total: number, unit: 'bytes') => void | Promise<void>) | undefined
  /** What is being read. */
  at?: ((what: string) => void) | undefined
}

/** Progress is told after so many. */
const bytesPerStep = 4 * 1024 * 1024

type States = PlannedModel['documents']
const noStates = (): States => ({ draft: 0, published: 0, changed: 0, unpublished: 0 })

/**
 * Plans what a move of this archive makes, from all that is in it: models and fields as they are recognised,
 * and what is wrong. Reads the contents twice, line by line; memory grows with the number of contents and assets, by some
 * 50 bytes each. Hashes are not looked at: `verifyArchive` does that. Throws NotAnArchive.
 */
export async function planFor(source: ArchiveSource, around: PlanSurroundings): Promise<MovePlan> {
  return new Planning(source, await readManifest(source, ''), around).run()
}

class Planning {
  readonly #manifest: Manifest
  readonly #around: PlanSurroundings
  readonly #lines: ArchiveLines
  readonly #index = new ArchiveIndex()
  readonly #problems = new PlanProblems()
  readonly #replaced = new ReplacedTexts(this.#index, this.#problems)
  readonly #states = new Map<string, States>()
  /** Of what is published with perhaps newer edits: what it was then. */
  readonly #digests = new Map<string, number>()
  /** `_id`s of what is published otherwise than the API shows it. */
  readonly #changed = new Set<string>()
  readonly #seen = new Map<string, SeenFields>()
  readonly #pace = new Pace(jobSlice)
  #read = 0
  #toldOf = 0
  readonly #total: number

  constructor(source: ArchiveSource, manifest: Manifest, around: PlanSurroundings) {
    this.#manifest = manifest
    this.#around = around
    this.#lines = new ArchiveLines(source, manifest)
    const paths = manifest.models.flatMap(({ api, cdn }) => [api.path, ...(cdn ? [cdn.path] : [])])
    this.#total = 2 * paths.reduce((sum, path) => sum + this.#lines.bytesOf(path), 0)
  }

  async run(): Promise<MovePlan> {
    const { source, status, finishedAt, models, counts } = this.#manifest
    await this.#readGaps()
    for (const { uid } of models) this.#states.set(uid, noStates())
    for (const model of models) await this.#takeDown(model)
    const copies = this.#index.settleCopies((uid) => models.some((model) => model.uid === uid))
    for (const uid of [...models.map((model) => model.uid), ...copies]) this.#seen.set(uid, new SeenFields())
    for (const uid of copies) this.#states.set(uid, noStates())
    for (const model of models) await this.#look(model)
    for (const uid of copies) this.#problems.add('copiesOnly', uid, this.#seen.get(uid)?.count ?? 0)

    const hints = await this.#readHints()
    for (const [uid, seen] of this.#seen) hintModel(seen, hints.get(uid))
    const recognised = recognise(this.#seen)
    const uids = uniqueUids([...this.#seen.keys()], this.#problems)
    const planned = [...recognised.models].map(([from, fields]) =>
      planModel(from, withHints(fields, hints.get(from)), {
        ...this.#told(from, copies),
        hints: hints.get(from),
        uids,
        count: this.#seen.get(from)?.count ?? 0,
        refused: this.#seen.get(from)?.refused ?? 0,
        language: this.#around.language,
        problems: this.#problems,
      }),
    )
    const customTypes = planTypes(recognised.customTypes, uids, this.#around.language, this.#problems)
    await this.#findClashes()
    if (hints.size === 0) this.#problems.add('notInApi', '', 0)
    const app = { uid: source.app, name: await this.#appName() }
    return {
      source: { kind: source.kind, space: source.space, app: source.app, status, finishedAt },
      app,
      models: planned,
      customTypes,
      counts: {
        documents: this.#index.documentCount,
        // Each address becomes a file of the library, whether its bytes are there already or not.
        assets: counts.assets.urls,
        bytes: counts.assets.bytes,
      },
      problems: this.#problems.list(),
    }
  }

  #told(uid: string, copies: readonly string[]): Pick<PlannedModel, 'foundBy' | 'source' | 'documents'> {
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
          for (const { model, field = '' } of gap.usedBy.slice(0, 1))
            this.#problems.add('brokenReferences', `${model}.${field}`, gap.uses, gap.id)
          break
        case 'content':
          this.#problems.add('missingContents', gap.model, 1, gap.title ?? gap.id)
          break
        case 'count':
          this.#problems.add('missingContents', gap.model, gap.missing)
          break
        case 'unread':
          this.#problems.add('missingContents', gap.model, 1, gap.reason)
      }
    }
  }

  /** First reading: which contents and assets there are, and in what state. */
  async #takeDown(model: Manifest['models'][number]): Promise<void> {
    for await (const content of this.#lines.contents(model, 'api')) {
      await this.#pause(model.uid, content)
      if (!content) {
        this.#problems.add('unreadableContents', model.uid, 1)
        continue
      }
      this.#index.addValues(content.values)
      if (!this.#index.addDocument(model.uid, content.id)) continue
      if (!idPattern.test(content.id)) this.#problems.add('idsMade', model.uid, 1, content.id)
      if (content.bytes > maximumBytes && Buffer.byteLength(ownJson(content.values)) > maximumBytes)
        this.#problems.add('largeContents', model.uid, 1, content.id)
      this.#countState(model, content)
    }
    for await (const content of this.#lines.contents(model, 'cdn')) {
      await this.#pause(model.uid, content)
      if (!content || !idPattern.test(content.id)) continue
      this.#index.addValues(content.values)
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
    if (publishedAt === null) this.#count(model.uid, firstPublishedAt === null ? 'draft' : 'unpublished')
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

  /** Second reading: what the values are, those included that are only published. */
  async #look(model: Manifest['models'][number]): Promise<void> {
    const seen = this.#seen.get(model.uid)
    for await (const content of this.#lines.contents(model, 'api', { withTexts: true })) {
      await this.#pause(model.uid, content)
      if (!content) continue
      this.#replaced.tell(model.uid, content)
      seen?.add(content.values, content.texts ?? {}, this.#index)
      this.#lookAtCopies(content.values)
    }
    // What is published as the API shows it has been looked at.
    if (this.#changed.size === 0) return
    const published = new SeenFields()
    for await (const content of this.#lines.contents(model, 'cdn', { withTexts: true })) {
      await this.#pause(model.uid, content)
      if (!content || !this.#changed.has(content.id)) continue
      this.#replaced.tell(model.uid, content)
      published.add(content.values, content.texts ?? {}, this.#index)
      this.#lookAtCopies(content.values)
    }
    seen?.merge(published, false)
  }

  readonly #copied = new Set<string>()

  /** Contents whose model has no file: each as it is first met. */
  #lookAtCopies(values: Record<string, unknown>): void {
    eachObject(values, (_key, value) => {
      if (!isContent(value) || this.#copied.has(value._id)) return
      const model = this.#index.document(value)?.model
      if (!model || this.#manifest.models.some(({ uid }) => uid === model)) return
      this.#copied.add(value._id)
      const { _id, _sys, ...fields } = value
      this.#seen.get(model)?.add(fields, {}, this.#index)
      const { firstPublishedAt, publishedAt } = readSys(_sys)
      this.#count(
        model,
        publishedAt !== null ? 'published' : firstPublishedAt === null ? 'draft' : 'unpublished',
      )
    })
  }

  async #findClashes(): Promise<void> {
    const { app } = this.#manifest.source
    if (await this.#around.isAppTaken(app)) this.#problems.add('appUidTaken', '', 1, app)
    for (const ids of inParts(this.#index.documentIds))
      for (const id of await this.#around.takenDocuments(ids))
        this.#problems.add('documentIdsTaken', '', 1, id)
    for (const ids of inParts(this.#index.assetIds))
      for (const id of await this.#around.takenAssets(ids)) this.#problems.add('assetIdsTaken', '', 1, id)
  }

  /** What the source knows of its models, by uid. */
  async #readHints(): Promise<Map<string, Hints['models'][number]>> {
    const hints = new Map<string, Hints['models'][number]>()
    if (!this.#manifest.files.some(({ path }) => path === hintsPath)) return hints
    for await (const { models } of this.#lines.typed(hintsPath, (line) => hintsSchema.safeParse(line).data))
      for (const model of models) hints.set(model.uid, model)
    return hints
  }

  async #appName(): Promise<string> {
    const app = await this.#lines.whole('app.json')
    const told = isRecord(app) && typeof app.name === 'string' ? app.name : ''
    const name = told.replace(/[\p{Cc}\p{Cf}]/gu, '').trim()
    if (name !== '') return name.slice(0, 100).toWellFormed()
    return nameOf(this.#manifest.source.app, this.#around.language)
  }

  async #pause(model: string, content: ArchivedContent | null): Promise<void> {
    if (content) this.#around.at?.(`${model}/${content.id}`)
    this.#read += content?.bytes ?? 0
    if (this.#read - this.#toldOf >= bytesPerStep) {
      this.#toldOf = this.#read
      await this.#around.onProgress?.(Math.min(this.#read, this.#total), this.#total, 'bytes')
    }
    await this.#pace.giveWay()
  }
}
