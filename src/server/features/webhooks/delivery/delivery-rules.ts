const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Delays in ms between the attempts of one message: eleven attempts in about a day. */
const pauses = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  6 * hour,
  10 * hour,
]

/** Returns the delay in ms before the next attempt, after this number of attempts. null: no further attempt. */
export function delayAfter(attempts: number): number | null {
  const pause = pauses[attempts - 1]
  // Up to a tenth is added, so that messages that failed together are not retried together.
  return pause === undefined ? null : pause + Math.floor(Math.random() * (pause / 10))
}

/** Maximum time in ms for which a receiver can ask to wait. */
const longestHold = 24 * hour

/**
 * Returns the time in ms for which a receiver asks to wait, from its `Retry-After` header (RFC 9110 §10.2.3): a number
 * of seconds, or a date. At most a day. null: the header is missing or invalid.
 */
export function parseRetryAfter(value: string | string[] | undefined, now: Date): number | null {
  const text = Array.isArray(value) ? value[0] : value
  if (text === undefined) return null
  // `Date.parse` also reads numbers such as `1.5` as dates.
  const isDate = /^[a-z]{3,9},? /i.test(text)
  const wait = /^\d+$/.test(text.trim())
    ? Number(text) * second
    : isDate
      ? Date.parse(text) - now.getTime()
      : NaN
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), longestHold)
}

/**
 * Number of consecutive failures after which a receiver is paused. From then on, each failed probe counts as one more.
 */
export const mostFailures = 10

/**
 * Returns the number of consecutive failures after a wave with `more` failed attempts: at most `mostFailures` until the
 * receiver is paused, then one more per failed probe.
 */
export const failuresAfter = (failures: number, more: number): number =>
  failures >= mostFailures ? failures + 1 : Math.min(failures + more, mostFailures)

/** Returns the pause of a receiver in ms after this number of consecutive failures. null: no pause. */
export function pauseAfter(failures: number): number | null {
  if (failures < mostFailures) return null
  return Math.min(minute * 2 ** Math.min(failures - mostFailures, 10), hour)
}
