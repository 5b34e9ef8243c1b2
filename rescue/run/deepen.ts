import type { AssetFinder } from '#archive/asset-urls.ts'
import { type Content, inspect, readContent, type View } from '#archive/content.ts'
import { readLines } from '#archive/files.ts'
import { RescueFailure } from '#rescue/failure.ts'
import { firstCursor } from '#rescue/newt/cursor.ts'
import { ApiRefusal } from '#rescue/newt/newt-api.ts'
import { readOne, readPages } from '#rescue/newt/pages.ts'
import { isIsolated } from '#rescue/newt/refusals.ts'
import type { ReadingContext } from './read-contents.ts'

/** If there are more contents than this, whole pages are read instead of single contents. */
const mostByThemselves = 50

/**
 * Reads contents again one level deeper if they contain copies with unresolved pictures. A content whose model was not
 * found exists only as a copy in contents that refer to it, and its pictures are only ids there. With the deeper level,
 * the copies include the URLs of the pictures. `done` contains the attempts of this run.
 */
export async function deepenCopies(
  context: ReadingContext,
  views: readonly View[],
  finder: AssetFinder,
  done: Set<string>,
): Promise<void> {
  const obscure = context.inventory.obscure()
  for (const [model, ids] of obscure) {
    for (const view of views) {
      const holders = await holdersOf(context, view, model, ids, finder)
      const wanted = new Set([...holders].filter((id) => !done.has(`${view}/${model}/${id}`)))
      for (const id of wanted) done.add(`${view}/${model}/${id}`)
      try {
        await readDeeper(context, view, model, wanted)
      } catch (error) {
        // Ids that remain unresolved are listed as gaps.
        if (!(error instanceof RescueFailure && isIsolated(error)) && !(error instanceof ApiRefusal))
          throw error
      }
    }
  }
}

async function holdersOf(
  { workspace }: ReadingContext,
  view: View,
  model: string,
  ids: ReadonlySet<string>,
  finder: AssetFinder,
): Promise<Set<string>> {
  const holders = new Set<string>()
  const stream = workspace.stream(view, model)
  if (stream.bytes === 0) return holders
  for await (const { text } of readLines(workspace.dataPath(stream), 0, stream.bytes)) {
    const content = readContent(text)
    if (!content) continue
    if (inspect(content.fields, finder).inner.some(({ id }) => ids.has(id))) holders.add(content.id)
    else holders.delete(content.id)
  }
  return holders
}

async function readDeeper(
  { api, workspace, inventory }: ReadingContext,
  view: View,
  model: string,
  wanted: ReadonlySet<string>,
): Promise<void> {
  const stream = workspace.stream(view, model)
  const store = async (contents: readonly Content[]) => {
    await workspace.storeLate(stream, contents)
    for (const content of contents) inventory.add(view, model, content)
  }
  if (wanted.size > mostByThemselves) {
    const depth = api.capabilities[view].depthOf(model) + 1
    for await (const page of readPages(api, view, model, firstCursor, { depth }))
      await store(page.contents.filter(({ id }) => wanted.has(id)))
    return
  }
  for (const id of wanted) {
    const content = await readOne(api, view, model, id, 1)
    if (content) await store([content])
  }
}
