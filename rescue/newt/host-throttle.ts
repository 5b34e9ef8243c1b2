import { setTimeout as sleep } from 'node:timers/promises'
import { OutgoingHttpError } from '#server/lib/outgoing-http.ts'
import { RetryableError, type RetryPolicy } from './retry-policy.ts'

export interface HostThrottleOptions {
  /** First pause after an error in ms. Later pauses double, up to sixty times this length. */
  baseMs: number
  /** Called for each pause of at least a second. */
  onWait?: (reason: string, ms: number) => void
  signal?: AbortSignal
}

/** Maximum pause, as a multiple of the first one. */
const longestPause = 60
const longestRetryAfter = 300_000
/**
 * Number of requests that may be given up because a host only answers 429. Once it is reached, a 429 response of this
 * host is not retried until a request succeeds.
 */
const mostExhausted = 3
/** Number of consecutive refusals after which the host, and not the requested item, is assumed to be the cause. */
const suspicious = 4
/** Factor that reduces the distance between requests after each success. */
const easing = 0.97

interface HostState {
  refusedInARow: number
  /** Number of pauses since the last success. */
  pauses: number
  /** Minimum time between the starts of two requests, in ms. */
  distance: number
  nextAt: number
}

/**
 * Repeats failed work with exponential back-off and jitter, and honours `Retry-After` up to five minutes. A 429 also
 * pauses further requests to that host. A host that refuses repeatedly is paused for increasing times, and then
 * requests to it are slower. Rethrows the last RetryableError when the policy is exhausted.
 */
export class HostThrottle {
  readonly #options: HostThrottleOptions
  readonly #pausedUntil = new Map<string, number>()
  readonly #exhausted = new Map<string, number>()
  readonly #hosts = new Map<string, HostState>()

  constructor(options: HostThrottleOptions) {
    this.#options = options
  }

  async run<T>(host: string, policy: RetryPolicy, work: () => Promise<T>): Promise<T> {
    const { attempts, offlineAttempts = attempts, refusedAttempts = 3, maxElapsedMs } = policy
    const start = Date.now()
    let failures = 0
    let offline = 0
    let refused = 0
    for (let tries = 0; ; tries++) {
      await this.#gate(host)
      try {
        const result = await work()
        this.#exhausted.delete(host)
        this.#accepted(host)
        return result
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error
        if (error.trouble === 'unreachable') offline += 1
        else if (error.trouble === 'refused') {
          refused += 1
          this.#refused(host)
        } else if (error.trouble !== 'busy') failures += 1
        const backoff = this.#options.baseMs * Math.min(2 ** Math.min(tries, 16), longestPause)
        const pause = Math.min(error.afterMs ?? backoff * (0.5 + Math.random() / 2), longestRetryAfter)
        const busy = this.#exhausted.get(host) ?? 0
        const noMore =
          failures >= attempts ||
          offline >= offlineAttempts ||
          refused >= refusedAttempts ||
          Date.now() + pause - start > maxElapsedMs
        if (error.trouble === 'busy' && (noMore || busy >= mostExhausted)) {
          this.#exhausted.set(host, busy + 1)
          throw error
        }
        if (noMore) throw error
        if (error.trouble === 'busy') this.#pausedUntil.set(host, Date.now() + pause)
        if (pause >= 1_000) this.#options.onWait?.(error.reason, pause)
        await this.#sleep(pause)
      }
    }
  }

  /** Pauses for a multiple of the first pause. */
  async rest(times: number): Promise<void> {
    const ms = this.#options.baseMs * times
    if (ms >= 1_000) this.#options.onWait?.('refused', ms)
    await this.#sleep(ms)
  }

  /** Waits. Throws `aborted` when the run is stopped. */
  async #sleep(ms: number): Promise<void> {
    const { signal } = this.#options
    try {
      await sleep(Math.max(0, ms), undefined, signal ? { signal } : {})
    } catch {
      throw new OutgoingHttpError('aborted')
    }
  }

  async #gate(host: string): Promise<void> {
    for (let rounds = 0; rounds < 1_000; rounds++) {
      if ((this.#exhausted.get(host) ?? 0) >= mostExhausted) return
      const wait = (this.#pausedUntil.get(host) ?? 0) - Date.now()
      if (wait <= 0) break
      await this.#sleep(wait)
    }
    const state = this.#hosts.get(host)
    if (!state || state.distance === 0) return
    const at = Math.max(Date.now(), state.nextAt)
    state.nextAt = at + state.distance
    await this.#sleep(at - Date.now())
  }

  #refused(host: string): void {
    const state = this.#hosts.get(host) ?? { refusedInARow: 0, pauses: 0, distance: 0, nextAt: 0 }
    this.#hosts.set(host, state)
    state.refusedInARow += 1
    // Refusals of requests that started before the pause provide no new information.
    if (state.refusedInARow < suspicious || (this.#pausedUntil.get(host) ?? 0) > Date.now()) return
    const { baseMs } = this.#options
    const ms = baseMs * Math.min(2 ** state.pauses, longestPause)
    state.pauses += 1
    state.distance = Math.min(Math.max(state.distance * 2, baseMs / 20), baseMs * 2)
    this.#pausedUntil.set(host, Date.now() + ms)
  }

  #accepted(host: string): void {
    const state = this.#hosts.get(host)
    if (!state) return
    state.refusedInARow = 0
    state.pauses = 0
    state.distance = state.distance < 1 ? 0 : state.distance * easing
  }
}
