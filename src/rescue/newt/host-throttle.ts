import { setTimeout as sleep } from 'node:timers/promises'
import { OutgoingHttpError } from '#server/lib/outgoing-http.ts'

/**
 * Why a piece of work may succeed later: the server asks for patience (429), answers with an error, refuses in a
 * way that may pass (a firewall's 403), cannot be reached at all, or breaks off, dawdles or sends nonsense in the
 * middle of an answer.
 */
export type Trouble = 'busy' | 'status' | 'refused' | 'unreachable' | 'broken'

/** Thrown by a piece of work that may succeed later. */
export class TryLater extends Error {
  readonly trouble: Trouble
  /** A status (`429`, `500`) or a system code (`ENOTFOUND`). */
  readonly reason: string
  readonly afterMs: number | undefined
  constructor(trouble: Trouble, reason: string, afterMs?: number) {
    super(reason)
    this.name = 'TryLater'
    this.trouble = trouble
    this.reason = reason
    this.afterMs = afterMs
  }
  /** True when no whole answer came. */
  get isNetwork(): boolean {
    return this.trouble === 'unreachable' || this.trouble === 'broken'
  }
}

export interface Patience {
  /** Tries before giving up on error answers and broken ones. 429 counts only against `patienceMs`. */
  attempts: number
  /** Tries while the server cannot be reached at all: a line that is down may come back; `attempts` by default. */
  offlineAttempts?: number
  /** Tries while it is refused; three by default. */
  refusedAttempts?: number
  /** Longest time one piece of work is tried, in ms. */
  patienceMs: number
}

export interface PoliteOptions {
  /** First pause after an error, doubled each time up to sixty times as long; in ms. */
  baseMs: number
  /** Told about each pause, for the progress line. */
  onWait?: (reason: string, ms: number) => void
  signal?: AbortSignal
}

/** Times the first one. */
const longestPause = 60
const longestRetryAfter = 300_000
/** Pieces of work given up because a host only says 429; from then on it gets no second tries. */
const mostExhausted = 3
/** So many refusals in a row are about the host and not about what was asked for. */
const suspicious = 4
/** After each success the distance between two requests shrinks again. */
const easing = 0.97

/** How a host has been treating us. */
interface Mood {
  refusedInARow: number
  /** Pauses since the last success. */
  pauses: number
  /** Least time between the beginnings of two requests, in ms. */
  distance: number
  nextAt: number
}

/**
 * Repeats work that may succeed later: exponential back-off with jitter, `Retry-After` honoured, and a 429
 * pauses every other request to the same host too. A host that refuses time after time is left alone for a
 * while, ever longer, and asked more slowly from then on. Rethrows the last TryLater when patience ends.
 */
export class Polite {
  readonly #options: PoliteOptions
  readonly #pausedUntil = new Map<string, number>()
  readonly #exhausted = new Map<string, number>()
  readonly #moods = new Map<string, Mood>()

  constructor(options: PoliteOptions) {
    this.#options = options
  }

  async run<T>(host: string, patience: Patience, work: () => Promise<T>): Promise<T> {
    const { attempts, offlineAttempts = attempts, refusedAttempts = 3, patienceMs } = patience
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
        if (!(error instanceof TryLater)) throw error
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
          Date.now() + pause - start > patienceMs
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

  /** A pause of so many times the first one. */
  async rest(times: number): Promise<void> {
    const ms = this.#options.baseMs * times
    if (ms >= 1_000) this.#options.onWait?.('refused', ms)
    await this.#sleep(ms)
  }

  /** Waits; fails with `aborted` when the run is stopped. */
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
    const mood = this.#moods.get(host)
    if (!mood || mood.distance === 0) return
    const at = Math.max(Date.now(), mood.nextAt)
    mood.nextAt = at + mood.distance
    await this.#sleep(at - Date.now())
  }

  #refused(host: string): void {
    const mood = this.#moods.get(host) ?? { refusedInARow: 0, pauses: 0, distance: 0, nextAt: 0 }
    this.#moods.set(host, mood)
    mood.refusedInARow += 1
    // What was under way when the pause began says nothing new.
    if (mood.refusedInARow < suspicious || (this.#pausedUntil.get(host) ?? 0) > Date.now()) return
    const { baseMs } = this.#options
    const ms = baseMs * Math.min(2 ** mood.pauses, longestPause)
    mood.pauses += 1
    mood.distance = Math.min(Math.max(mood.distance * 2, baseMs / 20), baseMs * 2)
    this.#pausedUntil.set(host, Date.now() + ms)
  }

  #accepted(host: string): void {
    const mood = this.#moods.get(host)
    if (!mood) return
    mood.refusedInARow = 0
    mood.pauses = 0
    mood.distance = mood.distance < 1 ? 0 : mood.distance * easing
  }
}

/** `Retry-After` in ms: seconds or an HTTP date; undefined when absent or unreadable. */
export function retryAfterMs(header: string | string[] | undefined): number | undefined {
  const value = Array.isArray(header) ? header[0] : header
  if (value === undefined) return undefined
  if (/^\d+(\.\d+)?$/.test(value.trim())) return Number(value) * 1_000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}

/** The TryLater an error status deserves; undefined when trying again is pointless. */
export function statusTrouble(
  status: number,
  retryAfter: string | string[] | undefined,
): TryLater | undefined {
  if (status === 429) return new TryLater('busy', '429', retryAfterMs(retryAfter))
  if (status >= 500 || status === 408 || status === 425)
    return new TryLater('status', String(status), retryAfterMs(retryAfter))
  return undefined
}

const unreachable =
  /^(ENOTFOUND|EAI_\w+|ECONNREFUSED|ENETUNREACH|ENETDOWN|EHOSTUNREACH|EHOSTDOWN|EADDRNOTAVAIL|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/

/** What went wrong below HTTP, as TryLater or as it is when trying again is pointless. */
export function orTryLater(error: unknown): unknown {
  if (!(error instanceof OutgoingHttpError)) return error
  if (error.code !== 'network' && error.code !== 'timeout') return error
  const reason = error.code === 'timeout' ? 'timeout' : error.detail || 'network'
  return new TryLater(unreachable.test(error.detail) ? 'unreachable' : 'broken', reason)
}
