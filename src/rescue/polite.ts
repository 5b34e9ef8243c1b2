import { setTimeout as sleep } from 'node:timers/promises'
import { OutgoingHttpError } from '#server/lib/outgoing-http.ts'

/**
 * Why a piece of work may succeed later: the server asks for patience (429), answers with an error, cannot be
 * reached at all, or breaks off, dawdles or sends nonsense in the middle of an answer.
 */
export type Trouble = 'busy' | 'status' | 'unreachable' | 'broken'

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

/**
 * Repeats work that may succeed later: exponential back-off with jitter, `Retry-After` honoured, and a 429
 * pauses every other request to the same host too. Rethrows the last TryLater when patience ends.
 */
export class Polite {
  readonly #options: PoliteOptions
  readonly #pausedUntil = new Map<string, number>()
  readonly #exhausted = new Map<string, number>()

  constructor(options: PoliteOptions) {
    this.#options = options
  }

  async run<T>(host: string, patience: Patience, work: () => Promise<T>): Promise<T> {
    const { attempts, offlineAttempts = attempts, patienceMs } = patience
    const start = Date.now()
    let failures = 0
    let offline = 0
    for (let tries = 0; ; tries++) {
      await this.#gate(host)
      try {
        const result = await work()
        this.#exhausted.delete(host)
        return result
      } catch (error) {
        if (!(error instanceof TryLater)) throw error
        if (error.trouble === 'unreachable') offline += 1
        else if (error.trouble !== 'busy') failures += 1
        const backoff = this.#options.baseMs * Math.min(2 ** Math.min(tries, 16), longestPause)
        const pause = Math.min(error.afterMs ?? backoff * (0.5 + Math.random() / 2), longestRetryAfter)
        const busy = this.#exhausted.get(host) ?? 0
        const noMore =
          failures >= attempts || offline >= offlineAttempts || Date.now() + pause - start > patienceMs
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

  async #gate(host: string): Promise<void> {
    for (let rounds = 0; rounds < 1_000; rounds++) {
      if ((this.#exhausted.get(host) ?? 0) >= mostExhausted) return
      const wait = (this.#pausedUntil.get(host) ?? 0) - Date.now()
      if (wait <= 0) return
      await this.#sleep(wait)
    }
  }

  async #sleep(ms: number): Promise<void> {
    const { signal } = this.#options
    try {
      await sleep(ms, undefined, signal ? { signal } : {})
    } catch {
      throw new OutgoingHttpError('aborted')
    }
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
