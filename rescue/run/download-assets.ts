import { RescueFailure } from '#rescue/failure.ts'
import type { NewtApi } from '#rescue/newt/newt-api.ts'
import { isIsolated } from '#rescue/newt/refusals.ts'
import { RetryableError, type RetryPolicy } from '#rescue/newt/retry-policy.ts'
import { type AssetContext, fetchAsset, TooSlow } from './fetch-asset.ts'
/** Assets that failed for possibly temporary reasons: URL → reason (a status, a system code, `slow`, `host`, …). */
export type Unreached = Map<string, string>

const retries: RetryPolicy = { attempts: 6, refusedAttempts: 3, maxElapsedMs: 900_000 }
const laterRetries: RetryPolicy = { ...retries, refusedAttempts: 1 }
/**
 * Pauses before the later rounds if a host refused requests, as multiples of the first pause (5 s, 20 s, a minute). The
 * first later round retries all failures except slow downloads. The others only retry refusals.
 */
const rests = [10, 40, 120]
/**
 * If a host refuses this many requests in succession, the round requests no further files of the host. The second limit
 * applies to the later rounds.
 */
const mostRefusedFirst = 16
const mostRefusedLater = 4
/** Number of consecutive network errors after which connectivity is checked. */
const suspicious = 8
/** If that check took longer than this, the whole network was down. */
const outageMs = 5_000
/**
 * Fetches all assets that are not in the archive yet. Assets that are definitely missing are recorded in the journal.
 * The other failed assets are returned.
 */
export async function downloadAssets(context: AssetContext, urls: Iterable<string>): Promise<Unreached> {
  const { workspace } = context
  const pending = [...urls].filter((url) => !workspace.assets.has(url) && !workspace.missing.has(url)).sort()
  const first = { retries, workers: context.concurrency, mostRefused: mostRefusedFirst, isFirst: true }
  const unreached = await downloadEach(context, pending, first)
  for (const [index, rest] of rests.entries()) {
    const again = [...unreached].filter(([, { kind }]) =>
      index === 0 ? kind !== 'slow' : kind === 'refused',
    )
    if (again.length === 0) break
    const urlsAgain = again.map(([url]) => url)
    if (again.some(([, { kind }]) => kind === 'refused')) await context.throttle.rest(rest)
    const workers = Math.min(2, context.concurrency)
    const round = { retries: laterRetries, workers, mostRefused: mostRefusedLater, isFirst: false }
    const still = await downloadEach(context, urlsAgain, round)
    for (const url of urlsAgain) unreached.delete(url)
    for (const [url, why] of still) unreached.set(url, why)
  }
  return new Map([...unreached].map(([url, { reason }]) => [url, reason]))
}

/** Reason why a URL failed. */
interface Why {
  kind: 'not_there' | 'refused' | 'host' | 'slow' | 'trouble'
  reason: string
}

interface Round {
  retries: RetryPolicy
  workers: number
  mostRefused: number
  /** In the first round, a 404 or 410 may be wrong, so the asset is requested again in the next round. */
  isFirst: boolean
}

async function downloadEach(
  context: AssetContext,
  pending: readonly string[],
  round: Round,
): Promise<Map<string, Why>> {
  const { workspace } = context
  const unreached = new Map<string, Why>()
  const deadHosts = new Set<string>()
  /** Host → consecutive refusals. */
  const refusals = new Map<string, { inARow: number; reason: string }>()
  let next = 0
  let failuresInARow = 0
  let failure: unknown

  async function fetchNext(url: string): Promise<void> {
    if (!URL.canParse(url)) return workspace.record({ t: 'missing', url, reason: 'bad_url' })
    const { host } = new URL(url)
    const refused = refusals.get(host)
    if (deadHosts.has(host)) {
      unreached.set(url, { kind: 'host', reason: 'host' })
      return
    }
    if (refused && refused.inARow >= round.mostRefused) {
      unreached.set(url, { kind: 'refused', reason: refused.reason })
      return
    }
    try {
      const missing = await fetchAsset(context, url, round.retries)
      failuresInARow = 0
      refusals.delete(host)
      if (missing === undefined) return
      const isDoubtful = round.isFirst && (missing === '404' || missing === '410')
      if (isDoubtful) unreached.set(url, { kind: 'not_there', reason: missing })
      else await workspace.record({ t: 'missing', url, reason: missing })
    } catch (error) {
      if (error instanceof TooSlow) {
        unreached.set(url, { kind: 'slow', reason: 'slow' })
        return
      }
      if (!(error instanceof RetryableError)) throw error
      const { reason } = error
      const isRefused = error.trouble === 'refused'
      unreached.set(url, { kind: isRefused ? 'refused' : 'trouble', reason })
      if (isRefused) refusals.set(host, { inARow: (refusals.get(host)?.inARow ?? 0) + 1, reason })
      if (!error.isNetwork) return
      failuresInARow += 1
      if (failuresInARow < suspicious) return
      failuresInARow = 0
      // Throws `no_network` if the API is also unreachable, which correctly stops the run.
      if (context.isApiGone || (await answersAtOnce(context.api))) deadHosts.add(host)
    }
  }

  async function worker(): Promise<void> {
    while (failure === undefined) {
      const url = pending[next++]
      if (url === undefined) return
      await fetchNext(url).catch((error: unknown) => {
        failure ??= error
      })
    }
  }

  await Promise.all(Array.from({ length: round.workers }, worker))
  await workspace.sync().catch((error: unknown) => {
    failure ??= error
  })
  if (failure !== undefined) throw failure
  return unreached
}

/**
 * Returns whether the API responds within `outageMs` while an asset host fails. Error responses count, but a refused
 * token is thrown.
 */
async function answersAtOnce(api: NewtApi): Promise<boolean> {
  const start = Date.now()
  try {
    await api.app('api')
  } catch (error) {
    if (!(error instanceof RescueFailure) || !(isIsolated(error) || error.code === 'app_not_found'))
      throw error
  }
  return Date.now() - start < outageMs
}
