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
export function retryAfter(attempts: number): number | null {
  const pause = pauses[attempts - 1]
  // Up to a tenth is added, so that messages that failed together are not retried together.
  return pause === undefined ? null : pause + Math.floor(Math.random() * (pause / 10))
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
