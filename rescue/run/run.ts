import { type AssetFinder, createAssetFinder } from '#archive/asset-urls.ts'
import type { View } from '#archive/content.ts'
import { InvalidJson } from '#archive/json.ts'
import { RescueFailure } from '#rescue/failure.ts'
import { type Messages, sentenceFor } from '#rescue/messages/messages.ts'
import type { connect } from '#rescue/newt/connect.ts'
import { isIsolated } from '#rescue/newt/refusals.ts'
import { deepenCopies } from './deepen.ts'
import { discoverModels } from './discover.ts'
import { inParallel } from './in-parallel.ts'
import { Inventory } from './inventory.ts'
import type { RescueOptions } from './options.ts'
import { lookAgain, type ReadingContext, readModel } from './read-contents.ts'
import { readTexts } from './read-texts.ts'
import { renderReport } from './report.ts'
import type { Reporter } from './reporter.ts'
import { AssetSaver } from './save-assets.ts'
import type { Workspace } from './workspace.ts'
import { type ArchiveResult, writeArchive } from './write-archive.ts'

/** Maximum number of checks for changes at the end. */
const mostLooks = 5
const mostDiscoveries = 20
/**
 * Number of consecutive failures, each of one model in one view, after which the server is considered down. Only server
 * errors and malformed responses count.
 */
const mostFailing = 3

/** One run of a rescue in its folder. */
export class Run {
  readonly workspace: Workspace
  readonly #options: RescueOptions
  readonly #connection: ReturnType<typeof connect>
  readonly #reporter: Reporter
  readonly #text: Messages
  #finder: AssetFinder
  readonly #inventory: Inventory
  readonly #models: Set<string>
  readonly #views: View[]
  /** `view/model` → the failure of reading it. */
  readonly #troubles = new Map<string, RescueFailure>()
  readonly #short = new Map<string, number>()
  readonly #assets: AssetSaver
  #learnt: readonly string[] = []
  readonly #deepened = new Set<string>()
  readonly #pieced = new Set<string>()
  #gone = 0
  #failing = 0

  constructor(
    options: RescueOptions,
    workspace: Workspace,
    connection: ReturnType<typeof connect>,
    reporter: Reporter,
    text: Messages,
  ) {
    this.workspace = workspace
    this.#options = options
    this.#connection = connection
    this.#reporter = reporter
    this.#text = text
    this.#finder = this.#createFinder()
    this.#inventory = new Inventory(this.#finder)
    this.#assets = new AssetSaver({ options, workspace, connection, reporter, inventory: this.#inventory })
    const before = [...workspace.streams.values()].map(({ model }) => model)
    this.#models = new Set([...options.models, ...workspace.found.keys(), ...before])
    this.#views = options.tokens.cdn ? ['api', 'cdn'] : ['api']
  }

  get hasContents(): boolean {
    return [...this.workspace.streams.values()].some(({ bytes }) => bytes > 0)
  }

  /** Records the options, and loads the data of an earlier run. */
  async prepare(): Promise<void> {
    const { workspace } = this
    if (workspace.resumed) this.#reporter.note(this.#text.progress.resuming)
    const { models, tokens, assetHosts, zip } = this.#options
    const asked = { models: [...models], assetHosts: [...assetHosts], cdn: tokens.cdn !== undefined, zip }
    await workspace.record({ t: 'asked', ...asked })
    await this.#restore()
    if (workspace.appBody !== undefined) this.#inventory.addApp(workspace.appBody)
    await this.#learnHosts()
  }

  async #restore(): Promise<void> {
    const { workspace } = this
    for (const stream of [...workspace.streams.values()]) {
      if (stream.bytes === 0) continue
      try {
        await this.#inventory.restore(stream, workspace.dataPath(stream))
      } catch (error) {
        if (!(error instanceof InvalidJson)) throw error
        this.#inventory.forget(stream.view, stream.model)
        await workspace.reset(stream)
      }
    }
  }

  #createFinder(learnt: readonly string[] = []): AssetFinder {
    const { assetHosts, origin } = this.#options
    return createAssetFinder({ assetHosts, learnt, origin })
  }

  /** Searches all contents again for embedded files of a storage host, when asset objects have revealed a new host. */
  async #learnHosts(): Promise<void> {
    const learnt = [...this.#inventory.places].sort()
    if (learnt.length === this.#learnt.length) return
    this.#learnt = learnt
    this.#finder = this.#createFinder(learnt)
    this.#inventory.use(this.#finder)
    await this.#restore()
  }

  async all(appBody: string | undefined): Promise<void> {
    const { workspace } = this
    if (workspace.appBody === undefined && appBody !== undefined) {
      await workspace.record({ t: 'app', body: appBody })
      this.#inventory.addApp(appBody)
    }
    await this.#readAll()
    await this.#assets.save()
    for (let look = 0; look < mostLooks; look++) {
      this.#reporter.step('looking', 0, 0)
      if (!(await this.#lookAll())) break
      await this.#readAll()
      await this.#assets.save()
    }
    await this.#readTexts()
  }

  /** Downloads the known assets after a failure, because the storage may still be available when the API is not. */
  async saveAssets(): Promise<void> {
    await this.#assets.save({ isApiGone: true })
  }

  async write(failure: RescueFailure | undefined): Promise<ArchiveResult> {
    const { space, app, origin, models, assetHosts } = this.#options
    this.#reporter.step('writing', 0, 0)
    const saved = [...this.workspace.streams.values()].filter(({ bytes }) => bytes > 0)
    const views = (['api', 'cdn'] as const).filter(
      (view) => this.#views.includes(view) || saved.some((stream) => stream.view === view),
    )
    return writeArchive({
      workspace: this.workspace,
      inventory: this.#inventory,
      finder: this.#finder,
      unreached: this.#assets.unreached,
      short: this.#short,
      reads: this.#views,
      troubles: new Map([...this.#troubles].map(([place, { code }]) => [place, code])),
      source: { space, app, origin },
      asked: { models: [...models].sort(), views, assetHosts: [...assetHosts] },
      learntHosts: [...this.#learnt],
      models: [...this.#models],
      writeReport: (body, gaps) =>
        renderReport(body, gaps, { gone: this.#gone, stopped: this.#sentence(failure) }, this.#text),
    })
  }

  #sentence(failure: RescueFailure | undefined): string | undefined {
    return failure && sentenceFor(failure, this.#text)
  }

  #context(): ReadingContext {
    const { workspace } = this
    const onProgress = () => {
      let total = 0
      for (const stream of workspace.streams.values()) total += stream.total
      const done = this.#inventory.count('api') + this.#inventory.count('cdn')
      this.#reporter.step('contents', done, Math.max(done, total))
    }
    return {
      api: this.#connection.api,
      workspace,
      inventory: this.#inventory,
      pieced: this.#pieced,
      onProgress,
    }
  }

  async #readAll(): Promise<void> {
    const context = this.#context()
    for (let round = 0; round < mostDiscoveries; round++) {
      await this.#eachStream((view, model) => readModel(context, view, model))
      const { api } = this.#connection
      let found = await discoverModels(api, this.workspace, this.#inventory, this.#models)
      if (found.length === 0 && this.#inventory.obscure().size > 0) {
        await deepenCopies(context, this.#views, this.#finder, this.#deepened)
        found = await discoverModels(api, this.workspace, this.#inventory, this.#models)
      }
      if (found.length === 0) break
      for (const model of found) {
        this.#models.add(model)
        this.#reporter.note(this.#text.progress.foundModel(model, this.workspace.found.get(model) ?? ''))
      }
    }
    await this.#learnHosts()
  }

  async #lookAll(): Promise<boolean> {
    const context = this.#context()
    let changed = false
    this.#gone = 0
    await this.#eachStream(async (view, model) => {
      const look = await lookAgain(context, view, model)
      this.#short.set(`${view}/${model}`, look.short)
      this.#gone += look.gone
      if (look.changed) changed = true
    })
    return changed
  }

  /**
   * Runs work for every model in every view. Isolated failures are recorded and do not stop the others, unless server
   * errors or malformed responses occur `mostFailing` times in a row.
   */
  async #eachStream(work: (view: View, model: string) => Promise<void>): Promise<void> {
    const streams = [...this.#models].flatMap((model) =>
      this.#views.map((view) => ({ view, model, place: `${view}/${model}` })),
    )
    await inParallel(streams, async ({ view, model, place }) => {
      if (this.#troubles.has(place)) return
      try {
        await work(view, model)
        this.#failing = 0
      } catch (error) {
        if (!(error instanceof RescueFailure) || !isIsolated(error)) throw error
        this.#troubles.set(place, error)
        this.#reporter.note(this.#text.progress.notRead(`${model} (${view})`, sentenceFor(error, this.#text)))
        const isDown = error.code === 'server_trouble' || error.code === 'strange_answer'
        this.#failing = isDown ? this.#failing + 1 : 0
        if (this.#failing >= mostFailing) throw error
      }
    })
  }

  /** Reads the sources of HTML fields. Isolated failures are reported and do not affect other data. */
  async #readTexts(): Promise<void> {
    const context = this.#context()
    const streams = [...this.#models].flatMap((model) => this.#views.map((view) => ({ view, model })))
    const wanted = streams.filter(
      ({ view, model }) =>
        this.#inventory.htmlFieldsOf(model).size > 0 && !this.#troubles.has(`${view}/${model}`),
    )
    let done = 0
    this.#reporter.step('texts', done, wanted.length)
    await inParallel(wanted, async ({ view, model }) => {
      await readTexts(context, view, model).catch((error: unknown) => {
        if (!(error instanceof RescueFailure) || !isIsolated(error)) throw error
        this.#reporter.note(
          this.#text.progress.textsNotRead(`${model} (${view})`, sentenceFor(error, this.#text)),
        )
      })
      done += 1
      this.#reporter.step('texts', done, wanted.length)
    })
  }
}
