import { countBareIds, type View } from '#archive/content.ts'
import { isRecord } from '#archive/shapes.ts'
import { RescueFailure } from '#rescue/failure.ts'
import { parseAnswer } from './answers.ts'
import { deepest, type QueryFeatures, type ServerCapabilities } from './capabilities.ts'
import type { Cursor } from './cursor.ts'
import type { ListAnswer } from './json-slices.ts'
import { type Answer, ApiRefusal, type NewtApi, quickRetries } from './newt-api.ts'
import type { Query } from './query.ts'
import { isRefusal } from './refusals.ts'
import type { RetryPolicy } from './retry-policy.ts'

/** If a page up to this size fails, its contents are assumed to be the cause, and not its size. */
export const smallPage = 50

/** Returns whether a query has no filters and no selection. */
export function isPlain(extra: Query): boolean {
  return Object.keys(extra).length === 0
}

/**
 * Requests a list at a depth that includes the URLs of assets. Starts with the depth known for the model, and requests
 * deeper levels while this resolves more ids.
 */
export async function listDeepEnough(
  api: NewtApi,
  view: View,
  model: string,
  place: Cursor,
  extra: Query,
): Promise<Answer<ListAnswer>> {
  const { depths, now } = api.capabilities[view]
  const known = depths.get(model) ?? { depth: 1, settled: false }
  let answer = await list(api, view, model, place, extra, known.depth)
  if (known.settled || 'depth' in extra || !now.depth) return answer
  let bare = bareIds(answer)
  for (let { depth } = known; bare > 0; ) {
    if (depth >= deepest) {
      depths.set(model, { depth, settled: true })
      break
    }
    depth += 1
    const deeper = await list(api, view, model, place, extra, depth).catch((error: unknown) => {
      if (error instanceof ApiRefusal || error instanceof RescueFailure) return undefined
      throw error
    })
    const left = deeper ? bareIds(deeper) : bare
    if (!deeper || left >= bare || deeper.value.items.length < answer.value.items.length) {
      depths.set(model, { depth: depth - 1, settled: true })
      break
    }
    answer = deeper
    bare = left
    depths.set(model, { depth, settled: false })
  }
  return answer
}

function bareIds({ value }: Answer<ListAnswer>): number {
  let count = 0
  for (const item of value.items) {
    const fields = parseAnswer(item)
    if (isRecord(fields)) count += countBareIds(fields)
  }
  return count
}

/**
 * Requests a list with the features that the server is known to support. If the server refuses them, tries others and
 * learns from the result.
 */
export async function list(
  api: NewtApi,
  view: View,
  model: string,
  place: Cursor,
  extra: Query,
  depth: number,
  retries: RetryPolicy = quickRetries,
): Promise<Answer<ListAnswer>> {
  const capabilities = api.capabilities[view]
  const isUsual = isPlain(extra)
  const ask = (features: QueryFeatures) =>
    api.list(view, model, { ...capabilities.query(features, place, depth), ...extra }, retries)
  for (;;) {
    const asked = capabilities.now
    try {
      const answer = await ask(asked)
      if (isUsual && capabilities.now === asked) capabilities.prove(place.from)
      return answer
    } catch (error) {
      if (!isRefusal(error)) throw error
      // Another stream has changed the features in the meantime.
      if (capabilities.now !== asked) continue
      const isOfThePage = error instanceof RescueFailure && place.limit <= smallPage
      if (!isUsual || isOfThePage || capabilities.isProven(place.from)) throw error
      const answer = await askOtherwise(capabilities, ask)
      if (answer) {
        capabilities.prove(place.from)
        return answer
      }
      if (capabilities.now === asked) throw error
    }
  }
}

/**
 * Tries alternative features and adopts the first set that works. Returns undefined if no set works, or if another
 * stream changed the features first.
 */
async function askOtherwise(
  capabilities: ServerCapabilities,
  ask: (features: QueryFeatures) => Promise<Answer<ListAnswer>>,
): Promise<Answer<ListAnswer> | undefined> {
  const before = capabilities.now
  for (const features of capabilities.others()) {
    if (capabilities.now !== before) return undefined
    try {
      const answer = await ask(features)
      capabilities.learn(features)
      return answer
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
  }
  return undefined
}
