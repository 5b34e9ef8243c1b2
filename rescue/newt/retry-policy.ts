import { OutgoingHttpError } from '#server/lib/outgoing-http.ts'

/**
 * Reason for a retry:
 * - `busy`: the server asks the client to wait (429).
 * - `status`: the server answers with another error.
 * - `refused`: the server refuses temporarily, for example with a firewall's 403.
 * - `unreachable`: the server cannot be reached.
 * - `broken`: the response is truncated, slow or malformed.
 */
export type Trouble = 'busy' | 'status' | 'refused' | 'unreachable' | 'broken'

/** Thrown by work that may succeed later. */
export class RetryableError extends Error {
  readonly trouble: Trouble
  /** A status (`429`, `500`), a system code (`ENOTFOUND`) or another short cause (`timeout`). */
  readonly reason: string
  readonly afterMs: number | undefined
  constructor(trouble: Trouble, reason: string, afterMs?: number) {
    super(reason)
    this.name = 'RetryableError'
    this.trouble = trouble
    this.reason = reason
    this.afterMs = afterMs
  }
  /** Whether the server could not be reached or its response was incomplete or unusable. */
  get isNetwork(): boolean {
    return this.trouble === 'unreachable' || this.trouble === 'broken'
  }
}

export interface RetryPolicy {
  /**
   * Maximum number of attempts after error responses and broken responses. A 429 only counts against `maxElapsedMs`.
   */
  attempts: number
  /** Maximum number of attempts while the server cannot be reached. Default: `attempts`. */
  offlineAttempts?: number
  /** Maximum number of attempts while the server refuses. Default: three. */
  refusedAttempts?: number
  /** Maximum total time in ms. */
  maxElapsedMs: number
}

/** Returns `Retry-After` (seconds or an HTTP date) in ms; undefined if it is absent or unreadable. */
export function retryAfterMs(header: string | string[] | undefined): number | undefined {
  const value = Array.isArray(header) ? header[0] : header
  if (value === undefined) return undefined
  if (/^\d+(\.\d+)?$/.test(value.trim())) return Number(value) * 1_000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}

/** Returns the RetryableError for an error status; undefined if a retry is pointless. */
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

/**
 * Converts an error below HTTP to a RetryableError. Other errors, for which a retry is pointless, are returned
 * unchanged.
 */
export function toRetryable(error: unknown): unknown {
  if (!(error instanceof OutgoingHttpError)) return error
  if (error.code !== 'network' && error.code !== 'timeout') return error
  const reason = error.code === 'timeout' ? 'timeout' : error.detail || 'network'
  return new RetryableError(unreachable.test(error.detail) ? 'unreachable' : 'broken', reason)
}
