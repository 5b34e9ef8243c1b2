import { OutgoingHttpError } from '#server/lib/outgoing-http.ts'

/**
 * Why a piece of work may succeed later: the server asks to wait (429), answers with an error, refuses in a
 * way that may pass (a firewall's 403), cannot be reached at all, or breaks off, dawdles or sends nonsense in the
 * middle of an answer.
 */
export type Trouble = 'busy' | 'status' | 'refused' | 'unreachable' | 'broken'

/** Thrown by a piece of work that may succeed later. */
export class RetryableError extends Error {
  readonly trouble: Trouble
  /** A status (`429`, `500`) or a system code (`ENOTFOUND`). */
  readonly reason: string
  readonly afterMs: number | undefined
  constructor(trouble: Trouble, reason: string, afterMs?: number) {
    super(reason)
    this.name = 'RetryableError'
    this.trouble = trouble
    this.reason = reason
    this.afterMs = afterMs
  }
  /** True when no whole answer came. */
  get isNetwork(): boolean {
    return this.trouble === 'unreachable' || this.trouble === 'broken'
  }
}

export interface RetryPolicy {
  /** Tries before giving up on error answers and broken ones. 429 counts only against `maxElapsedMs`. */
  attempts: number
  /** Tries while the server cannot be reached at all: a line that is down may come back; `attempts` by default. */
  offlineAttempts?: number
  /** Tries while it is refused; three by default. */
  refusedAttempts?: number
  /** Longest time one piece of work is tried, in ms. */
  maxElapsedMs: number
}

/** `Retry-After` in ms: seconds or an HTTP date; undefined when absent or unreadable. */
export function retryAfterMs(header: string | string[] | undefined): number | undefined {
  const value = Array.isArray(header) ? header[0] : header
  if (value === undefined) return undefined
  if (/^\d+(\.\d+)?$/.test(value.trim())) return Number(value) * 1_000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}

/** The RetryableError an error status deserves; undefined when trying again is pointless. */
export function retryableStatus(
  status: number,
  retryAfter: string | string[] | undefined,
): RetryableError | undefined {
  if (status === 429) return new RetryableError('busy', '429', retryAfterMs(retryAfter))
  if (status >= 500 || status === 408 || status === 425)
    return new RetryableError('status', String(status), retryAfterMs(retryAfter))
  return undefined
}

const unreachable =
  /^(ENOTFOUND|EAI_\w+|ECONNREFUSED|ENETUNREACH|ENETDOWN|EHOSTUNREACH|EHOSTDOWN|EADDRNOTAVAIL|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/

/** What went wrong below HTTP, as RetryableError or as it is when trying again is pointless. */
export function toRetryable(error: unknown): unknown {
  if (!(error instanceof OutgoingHttpError)) return error
  if (error.code !== 'network' && error.code !== 'timeout') return error
  const reason = error.code === 'timeout' ? 'timeout' : error.detail || 'network'
  return new RetryableError(unreachable.test(error.detail) ? 'unreachable' : 'broken', reason)
}
