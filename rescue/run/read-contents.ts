import { type Content, isMadeUp, type View } from '#archive/content.ts'
import { RescueFailure } from '#rescue/failure.ts'
import { firstCursor } from '#rescue/newt/cursor.ts'
import type { NewtApi } from '#rescue/newt/newt-api.ts'
import { countContents, readOne, readPages } from '#rescue/newt/pages.ts'
import { readInPieces } from '#rescue/newt/pieces.ts'
import type { Query } from '#rescue/newt/query.ts'
import { isIsolated, orRefused } from '#rescue/newt/refusals.ts'
import type { Inventory } from './inventory.ts'
import type { StreamState } from './run-state.ts'
import type { Workspace } from './workspace.ts'

export interface ReadingContext {
  api: NewtApi
  workspace: Workspace
  inventory: Inventory
  /** Contents (`view/model/id`) that this run has already tried to read in pieces. */
  pieced: Set<string>
  onProgress: () => void
}

/**
 * Maximum assumed difference in ms between the clocks of the server and its database. Requesting slightly too many
 * contents is harmless.
 */
const clockMarginMs = 300_000
const missingAtOnce = 50

/** Reads a model from the beginning, or from the position where an earlier run stopped. */
export async function readModel(context: ReadingContext, view: View, model: string): Promise<void> {
  const { api, workspace, inventory, onProgress } = context
  const stream = workspace.stream(view, model)
  for await (const page of stream.next ? readPages(api, view, model, stream.next) : []) {
    if (stream.lookedAt === 0) await workspace.record({ t: 'begin', view, model, at: page.serverTime })
    const fresh = page.contents.filter((content) => !inventory.has(view, model, content))
    await workspace.storePage(stream, page, fresh)
    for (const content of fresh) inventory.add(view, model, content)
    onProgress()
  }
  await storePieces(context, stream, stream.tooLarge)
}

/**
 * Reads contents that no list returned, each by its id and once per run. Returns true if at least one was stored,
 * because it was new, had changed, or had been incomplete.
 */
async function storePieces(
  { api, workspace, inventory, pieced }: ReadingContext,
  stream: StreamState,
  ids: Iterable<string>,
): Promise<boolean> {
  const { view, model } = stream
  let isNew = false
  for (const id of [...ids]) {
    const key = `${view}/${model}/${id}`
    if (pieced.has(key)) continue
    pieced.add(key)
    const pieces = await readInPieces(api, view, model, id, inventory.fieldsOf(model))
    if (!pieces) continue
    const { content, lacks } = pieces
    const isShallow = stream.tooLarge.has(id)
    if (!inventory.has(view, model, content) || (isShallow && lacks.length === 0)) {
      await workspace.storeLate(stream, [content])
      inventory.add(view, model, content)
      isNew = true
    }
    await workspace.record({ t: 'pieced', view, model, id, lacks })
  }
  return isNew
}

export interface Look {
  changed: boolean
  /** Number of contents of the archive that the server no longer lists. */
  gone: number
  /** Number of contents that the server counts or lists but did not return. */
  short: number
}

/**
 * Checks for changes. Fetches contents saved since the previous check (or the initial read), and compares the number of
 * contents. Compares all ids if the number differs, if `skip` was used, or if the server's clock or filter is
 * unreliable.
 */
export async function lookAgain(context: ReadingContext, view: View, model: string): Promise<Look> {
  const { api, workspace, inventory, pieced } = context
  const stream = workspace.stream(view, model)
  const since = new Date(stream.lookedAt - clockMarginMs).toISOString()
  let at = 0
  let changed = false
  let mustCompare = stream.skipped || api.isClockOdd
  try {
    for await (const page of readPages(api, view, model, firstCursor, { '_sys.updatedAt[gte]': since })) {
      if (at === 0) at = page.serverTime
      // Contents at depth 0 are read in pieces first, because they may have been edited since the previous check.
      const whole = page.contents.filter(({ id }) => !page.tooLarge.includes(id))
      if (await storeChanged(context, stream, whole)) changed = true
      for (const id of page.tooLarge) pieced.delete(`${view}/${model}/${id}`)
      if (await storePieces(context, stream, page.tooLarge)) changed = true
      if (await storeChanged(context, stream, page.contents)) changed = true
    }
  } catch (error) {
    // The server cannot filter by time of change, so all ids are compared.
    if (!(error instanceof RescueFailure) || !isIsolated(error)) throw error
    mustCompare = true
  }
  let gone = 0
  let short = 0
  const count = await orRefused(countContents(api, view, model))
  if (mustCompare || count !== inventory.versions(view, model).size) {
    const result = await compareIds(context, stream)
    if (result.changed) changed = true
    gone = result.gone
    // Counts may be cached, so the list is compared with its own total. If contents are missing, a second reading is
    // compared too.
    short = result.short > 0 ? Math.min(result.short, (await compareIds(context, stream)).short) : 0
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
): Promise<{ changed: boolean; gone: number; short: number }> {
  const { api, inventory } = context
  const { view, model } = stream
  const versions = inventory.versions(view, model)
  const listed =
    (await listIds(context, stream, { select: '_id,_sys', depth: 0 })) ?? (await listIds(context, stream, {}))
  let batch: Content[] = []
  const difficult: string[] = []
  let changed = false
  for (const [id, updatedAt] of listed?.ids ?? []) {
    if (versions.get(id) === updatedAt || stream.tooLarge.has(id)) continue
    const content = await orRefused(readOne(api, view, model, id))
    if (content) batch.push(content)
    else if (!isMadeUp(id)) difficult.push(id)
    if (batch.length >= missingAtOnce) {
      if (await storeChanged(context, stream, batch)) changed = true
      batch = []
    }
  }
  if (await storeChanged(context, stream, batch)) changed = true
  if (await storePieces(context, stream, difficult)) changed = true
  let gone = 0
  for (const id of versions.keys()) if (listed && !listed.ids.has(id)) gone += 1
  if (listed) {
    const lost = difficult.filter((id) => !versions.has(id)).length
    return { changed, gone, short: Math.max(0, listed.total - listed.ids.size) + lost }
  }
  const now = await orRefused(countContents(api, view, model))
  // Without a list and a count, completeness is unknown.
  if (now === undefined) throw new RescueFailure('strange_answer', { reason: 'neither list nor count' })
  return { changed, gone, short: Math.max(0, now - versions.size) }
}

/**
 * Returns every id with its version, and the total of the same list. Returns undefined if the list fails, for example
 * because the server cannot select fields, or if it contains none of the contents that it counts.
 */
async function listIds(
  { api }: ReadingContext,
  { view, model }: StreamState,
  query: Query,
): Promise<{ ids: Map<string, string>; total: number } | undefined> {
  const ids = new Map<string, string>()
  let total = 0
  try {
    for await (const page of readPages(api, view, model, firstCursor, query, true)) {
      if (page.contents.length === 0 && page.total > 0 && ids.size === 0) return undefined
      for (const { id, updatedAt } of page.contents) ids.set(id, updatedAt)
      for (const id of page.tooLarge) if (!ids.has(id)) ids.set(id, '')
      total = page.total
    }
  } catch (error) {
    if (!(error instanceof RescueFailure) || !isIsolated(error)) throw error
    return undefined
  }
  return { ids, total }
}
