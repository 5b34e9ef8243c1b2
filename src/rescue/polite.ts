import { setTimeout as sleep } from 'node:timers/promises'
import { OutgoingHttpError } from '#server/lib/outgoing-http.ts'

/** Thrown by a piece of work that may succeed later. */
export class TryLater extends Error {
  /** A status (`429`, `500`) or a system code (`ENOTFOUND`). */
  readonly reason: string
  readonly afterMs: number | undefined
  constructor(reason: string, afterMs?: number) {
    super(reason)
    this.name = 'TryLater'
    this.reason = reason
    this.afterMs = afterMs
  }
  /** True when no answer came at all. */
  get isNetwork(): boolean {
    return !/^\d+$/.test(this.reason)
  }
}

export interface Patience {
  /** Tries before giving up on 5xx and network errors. 429 counts only against `patienceMs`. */
  attempts: number
  /** Longest time one piece of work is tried, in ms. */
  patienceMs: number
}

export interface PoliteOptions {
  /** First pause after an error, doubled each time up to 30 s; in ms. */
  baseMs: number
  /** Told about each pause, for the progress line. */
  onWait?: (reason: string, ms: number) => void
  signal?: AbortSignal
}

const longestPause = 30_000
const longestRetryAfter = 300_000

/**
 * Repeats work that may succeed later: exponential back-off with jitter, `Retry-After` honoured, and a 429
 * pauses every other request to the same host too. Rethrows the last TryLater when patience ends.
 */
export class Polite {
  readonly #options: PoliteOptions
  readonly #pausedUntil = new Map<string, number>()

  constructor(options: PoliteOptions) {
    this.#options = options
  }

  async run<T>(host: string, patience: Patience, work: () => Promise<T>): Promise<T> {
    const start = Date.now()
    let failures = 0
    for (let tries = 0; ; tries++) {
      await this.#gate(host)
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof TryLater)) throw error
        if (error.reason !== '429') failures += 1
        const backoff = Math.min(this.#options.baseMs * 2 ** Math.min(tries, 16), longestPause)
        const pause = Math.min(error.afterMs ?? backoff * (0.5 + Math.random() / 2), longestRetryAfter)
        if (failures >= patience.attempts || Date.now() + pause - start > patience.patienceMs) throw error
        if (error.reason === '429') this.#pausedUntil.set(host, Date.now() + pause)
        if (pause >= 1_000) this.#options.onWait?.(error.reason, pause)
        await this.#sleep(pause)
      }
    }
  }

  async #gate(host: string): Promise<void> {
    for (let rounds = 0; rounds < 1_000; rounds++) {
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

/** What went wrong below HTTP, as TryLater or as it is when trying again is pointless. */
export function orTryLater(error: unknown): unknown {
  if (!(error instanceof OutgoingHttpError)) return error
  if (error.code === 'network') return new TryLater(error.detail || 'network')
  if (error.code === 'timeout') return new TryLater('timeout')
  return error
}
