import type { Content, View } from './content.ts'
import { RescueFailure } from './failure.ts'
import type { Inventory } from './inventory.ts'
import { ApiRefusal, type NewtApi, type Query } from './newt-api.ts'
import { countContents, firstCursor, isIsolated, readOne, readPages } from './pages.ts'
import type { StreamState, Workspace } from './workspace.ts'

export interface ReadingContext {
  api: NewtApi
  workspace: Workspace
  inventory: Inventory
  /** Called after each stored page. */
  onProgress: () => void
}

/** How far the server's clock and its database's may differ; asking for a little too much does no harm. */
const clockMarginMs = 300_000
const missingAtOnce = 50

/** Reads a model from the beginning, or from where an earlier run stopped. */
export async function readModel(context: ReadingContext, view: View, model: string): Promise<void> {
  const { api, workspace, inventory, onProgress } = context
  const stream = workspace.stream(view, model)
  if (!stream.next) return
  for await (const page of readPages(api, view, model, stream.next)) {
    if (stream.lookedAt === 0) await workspace.record({ t: 'begin', view, model, at: page.serverTime })
    const fresh = page.contents.filter((content) => !inventory.has(view, model, content))
    await workspace.storePage(stream, page, fresh)
    for (const content of fresh) inventory.add(view, model, content)
    onProgress()
  }
}

export interface Look {
  changed: boolean
  /** Contents of the archive that the server no longer has. */
  gone: number
  /** Contents the server counts but gave in no way; 0 unless it is at odds with itself. */
  short: number
}

/**
 * The second look: fetches what was saved since reading began (or since the last look), compares the number of
 * contents, and when it differs, or pages had to be counted by `skip`, compares all ids.
 */
export async function lookAgain(context: ReadingContext, view: View, model: string): Promise<Look> {
  const { api, workspace, inventory } = context
  const stream = workspace.stream(view, model)
  const since = new Date(stream.lookedAt - clockMarginMs).toISOString()
  let at = 0
  let changed = false
  let mustCompare = stream.skipped
  try {
    for await (const page of readPages(api, view, model, firstCursor, { '_sys.updatedAt[gte]': since })) {
      if (at === 0) at = page.serverTime
      if (await storeChanged(context, stream, page.contents)) changed = true
    }
  } catch (error) {
    // A server that cannot filter by the time of change: compare everything instead.
    if (!(error instanceof RescueFailure) || !isIsolated(error)) throw error
    mustCompare = true
  }
  let gone = 0
  let short = 0
  const count = await countContents(api, view, model)
  if (mustCompare || count !== inventory.versions(view, model).size) {
    const result = await compareIds(context, stream)
    if (result.changed) changed = true
    gone = result.gone
    const known = inventory.versions(view, model)
    const lost = [...stream.tooLarge].filter((id) => !known.has(id)).length
    const now = await countContents(api, view, model)
    short = now === undefined ? 0 : Math.max(0, now - (known.size - gone) - lost)
  }
  await workspace.record({ t: 'look', view, model, at: at || stream.lookedAt })
  return { changed, gone, short }
}

async function storeChanged(
  { workspace, inventory }: ReadingContext,
  stream: StreamState,
  contents: readonly Content[],
): Promise<boolean> {
  const { view, model } = stream
  const changed = contents.filter((content) => !inventory.has(view, model, content))
  await workspace.storeLate(stream, changed)
  for (const content of changed) inventory.add(view, model, content)
  return changed.length > 0
}

async function compareIds(
  context: ReadingContext,
  stream: StreamState,
): Promise<{ changed: boolean; gone: number }> {
  const { api, inventory } = context
  const { view, model } = stream
  const versions = inventory.versions(view, model)
  const there =
    (await listIds(context, stream, { select: '_id,_sys', depth: 0 })) ?? (await listIds(context, stream, {}))
  let batch: Content[] = []
  let changed = false
  for (const [id, updatedAt] of there ?? []) {
    if (versions.get(id) === updatedAt || stream.tooLarge.has(id)) continue
    const content = await readOne(api, view, model, id).catch(orNothing)
    if (content) batch.push(content)
    if (batch.length >= missingAtOnce) {
      if (await storeChanged(context, stream, batch)) changed = true
      batch = []
    }
  }
  if (await storeChanged(context, stream, batch)) changed = true
  let gone = 0
  for (const id of versions.keys()) if (there && !there.has(id)) gone += 1
  return { changed, gone }
}

/** A content that cannot be had by its id shows in the count. */
function orNothing(error: unknown): undefined {
  if (error instanceof ApiRefusal || (error instanceof RescueFailure && isIsolated(error))) return undefined
  throw error
}

/** Every id with its version; undefined when the server cannot select, or leaves ids out of a selection. */
async function listIds(
  { api }: ReadingContext,
  { view, model }: StreamState,
  query: Query,
): Promise<Map<string, string> | undefined> {
  const ids = new Map<string, string>()
  try {
    for await (const page of readPages(api, view, model, firstCursor, query, true)) {
      if (page.contents.length === 0 && page.total > 0 && ids.size === 0) return undefined
      for (const { id, updatedAt } of page.contents) ids.set(id, updatedAt)
    }
  } catch (error) {
    if (!(error instanceof RescueFailure) || !isIsolated(error)) throw error
    return undefined
  }
  return ids
}
