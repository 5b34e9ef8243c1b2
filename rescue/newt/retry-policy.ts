import { OutgoingHttpError } from '#server/lib/outgoing-http.ts'

/**
 * Why work may succeed later: the server asks to wait (429), answers with an error, refuses temporarily (a firewall's
 * 403), cannot be reached, or sends a truncated, slow or malformed response.
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
  /** True when no complete response was received. */
  get isNetwork(): boolean {
    return this.trouble === 'unreachable' || this.trouble === 'broken'
  }
}

export interface RetryPolicy {
  /** Maximum attempts for error responses and broken ones. 429 counts only against `maxElapsedMs`. */
  attempts: number
  /** Maximum attempts while the server cannot be reached; default: `attempts`. */
  offlineAttempts?: number
  /** Maximum attempts while refused; default: three. */
  refusedAttempts?: number
  /** Maximum total time, in ms. */
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

/** The RetryableError for an error status; undefined when a retry is pointless. */
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
 * Converts an error below HTTP to a RetryableError; other errors, for which a retry is pointless, are returned
 * unchanged.
 */
export function toRetryable(error: unknown): unknown {
  if (!(error instanceof OutgoingHttpError)) return error
  if (error.code !== 'network' && error.code !== 'timeout') return error
  const reason = error.code === 'timeout' ? 'timeout' : error.detail || 'network'
  return new RetryableError(unreachable.test(error.detail) ? 'unreachable' : 'broken', reason)
}
