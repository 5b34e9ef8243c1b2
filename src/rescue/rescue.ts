import { resolve } from 'node:path'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import { writeArchive } from './archive.ts'
import type { Gap, Manifest } from './archive-format.ts'
import { createAssetFinder } from './asset-urls.ts'
import type { View } from './content.ts'
import { discoverModels } from './discover.ts'
import { downloadAssets, reconcileAssets, type Unreached } from './download-assets.ts'
import { RescueFailure, toFailure } from './failure.ts'
import { Inventory } from './inventory.ts'
import type { Messages } from './messages.ts'
import { NewtApi } from './newt-api.ts'
import { Polite } from './polite.ts'
import type { Reporter } from './progress.ts'
import { lookAgain, readModel } from './read-contents.ts'
import { renderReport } from './report.ts'
import { Workspace } from './workspace.ts'
import { writeZip } from './zip.ts'

export interface RescueOptions {
  space: string
  app: string
  models: readonly string[]
  tokens: { api: string; cdn?: string | undefined }
  out: string
  zip: boolean
  assetHosts: readonly string[]
  origin?: string | undefined
  /** Test servers standing in for asset hosts: host → origin. */
  hostMap: ReadonlyMap<string, string>
  /** Downloads at the same time, 1 to 32. */
  concurrency: number
  maxAssetBytes: number
  /** First pause after an error in ms; 500 unless a test hurries. */
  backoffMs?: number
}

export interface RescueResult {
  manifest: Manifest
  gaps: Gap[]
  zipPath: string | undefined
}

/** Models read at the same time; each reads its pages one after the other. */
const modelsAtOnce = 3
/** Looks for changes at the end; more only when editors keep saving. */
const mostLooks = 5
const mostDiscoveries = 20

/** Makes the HTTP gate and the API client for a run; `close` ends its sockets. */
export function connect(
  options: Pick<
    RescueOptions,
    'space' | 'app' | 'tokens' | 'origin' | 'hostMap' | 'concurrency' | 'backoffMs'
  >,
  onWait: (reason: string, ms: number) => void,
  signal?: AbortSignal,
) {
  const { origin, hostMap, space, app, tokens } = options
  // Private addresses only where the operator himself pointed us.
  const allowPrivate = [...(origin ? [origin] : []), ...hostMap.values()]
  const http = createOutgoingHttp({ allowPrivate, connections: options.concurrency + modelsAtOnce })
  const stop = signal ? { signal } : {}
  const polite = new Polite({ baseMs: options.backoffMs ?? 500, onWait, ...stop })
  const api = new NewtApi({ http, polite, space, app, origin, tokens, ...stop })
  return { http, polite, api, close: () => http.close() }
}

/** Runs a rescue from its beginning, or from where an earlier one in the same folder stopped. */
export async function rescue(
  options: RescueOptions,
  reporter: Reporter,
  text: Messages,
  signal?: AbortSignal,
): Promise<RescueResult> {
  const { space, app, origin, tokens, assetHosts } = options
  const dir = resolve(options.out)
  const views: View[] = tokens.cdn ? ['api', 'cdn'] : ['api']
  const { http, polite, api, close } = connect(options, reporter.waiting, signal)
  let workspace: Workspace | undefined
  try {
    // Tokens and uids are checked before a folder is made.
    const bodies = await Promise.all(views.map((view) => api.app(view)))
    workspace = await Workspace.open(dir, { space, app, origin: origin ?? '' })
    if (workspace.resumed) reporter.note(text.progress.resuming)
    if (workspace.appBody === undefined) await workspace.record({ t: 'app', body: String(bodies[0]) })

    const finder = createAssetFinder({ assetHosts, origin })
    const inventory = new Inventory(finder)
    const models = new Set([...options.models, ...workspace.found.keys()])
    await restore(workspace, inventory, models)

    const onProgress = () => {
      let total = 0
      for (const stream of workspace?.streams.values() ?? []) total += stream.total
      const done = inventory.count('api') + inventory.count('cdn')
      reporter.step('contents', done, Math.max(done, total))
    }
    const context = { api, workspace, inventory, onProgress }
    const readAll = async () => {
      for (let round = 0; round < mostDiscoveries; round++) {
        await inParallel(pairs(views, models), ([view, model]) => readModel(context, view, model))
        const found = workspace ? await discoverModels(api, workspace, inventory, models) : []
        if (found.length === 0) return
        for (const model of found) {
          models.add(model)
          reporter.note(text.progress.foundModel(model, workspace?.found.get(model) ?? ''))
        }
      }
    }
    const downloadAll = (): Promise<Unreached> => {
      let bytes = 0
      let done = [...inventory.assets].filter((url) => workspace?.assets.has(url)).length
      const total = inventory.assets.size
      if (total > 0) reporter.step('assets', done, total)
      return downloadAssets(
        {
          http,
          api,
          polite,
          workspace: workspace as Workspace,
          concurrency: options.concurrency,
          maxBytes: options.maxAssetBytes,
          locate: (url) => locate(url, options),
          onProgress: (size) => {
            bytes += size
            done += 1
            reporter.step('assets', done, total, bytes)
          },
          ...(signal ? { signal } : {}),
        },
        inventory.assets,
      )
    }

    await readAll()
    inventory.addApp(workspace.appBody ?? '{}')
    await reconcileAssets(workspace)
    let unreached = await downloadAll()
    let gone = 0
    const short = new Map<string, number>()
    for (let look = 0; look < mostLooks; look++) {
      reporter.step('looking', 0, 0)
      const looks = await inParallel(pairs(views, models), ([view, model]) => lookAgain(context, view, model))
      for (const [index, [view, model]] of pairs(views, models).entries()) {
        short.set(`${view}/${model}`, looks[index]?.short ?? 0)
      }
      gone = looks.reduce((sum, result) => sum + result.gone, 0)
      if (!looks.some(({ changed }) => changed)) break
      await readAll()
      unreached = await downloadAll()
    }

    reporter.step('writing', 0, 0)
    const { manifest, gaps } = await writeArchive({
      workspace,
      inventory,
      finder,
      unreached,
      short,
      source: { space, app, origin },
      asked: { models: [...options.models].sort(), views, assetHosts: [...assetHosts] },
      models: [...models],
      writeReport: (body, lines) => renderReport(body, lines, gone, text),
    })
    let zipPath: string | undefined
    if (options.zip) {
      reporter.step('zipping', 0, 0)
      zipPath = `${dir}.zip`
      await writeZip(dir, manifest, zipPath)
    }
    // Kept while another run could still add to it: what did not come, or a model nobody named.
    if (manifest.status !== 'partial' && manifest.counts.gaps.references === 0) {
      await workspace.finish()
      workspace = undefined
    }
    return { manifest, gaps, zipPath }
  } catch (error) {
    if (signal?.aborted) throw new RescueFailure('interrupted')
    throw toFailure(error, { dir: options.out })
  } finally {
    reporter.end()
    await workspace?.close()
    await close()
  }
}

async function restore(
  workspace: Workspace,
  inventory: Inventory,
  models: ReadonlySet<string>,
): Promise<void> {
  for (const stream of [...workspace.streams.values()]) {
    if (!models.has(stream.model) || stream.bytes === 0) continue
    try {
      await inventory.restore(stream, workspace.dataPath(stream))
    } catch (error) {
      if (!(error instanceof RescueFailure)) throw error
      inventory.forget(stream.view, stream.model)
      await workspace.reset(stream)
    }
  }
}

function locate(url: string, { origin, hostMap }: Pick<RescueOptions, 'origin' | 'hostMap'>): string {
  const { host, pathname, search } = new URL(url)
  const mapped = hostMap.get(host)
  if (mapped) return `${mapped}${pathname}${search}`
  if (origin && host.endsWith('.assets.newt.so')) return `${origin}/${host}${pathname}${search}`
  return url
}

function pairs(views: readonly View[], models: Iterable<string>): [View, string][] {
  return [...models].flatMap((model) => views.map((view): [View, string] => [view, model]))
}

/** Runs work over a list, a few at a time; after the first failure starts nothing new and waits for the rest. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  let failure: unknown
  const worker = async () => {
    while (failure === undefined) {
      const index = next++
      const item = items[index]
      if (item === undefined) return
      try {
        results[index] = await work(item)
      } catch (error) {
        failure ??= error
      }
    }
  }
  await Promise.all(Array.from({ length: modelsAtOnce }, worker))
  if (failure !== undefined) throw failure
  return results
}
