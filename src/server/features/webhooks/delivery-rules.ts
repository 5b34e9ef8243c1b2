const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Pauses between the attempts of one message: eleven attempts over about a day. */
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

/** Milliseconds until the next attempt after this many; null: there is none. */
export function retryAfter(attempts: number): number | null {
  const pause = pauses[attempts - 1]
  // Up to a tenth more, so that messages that failed together do not come back together.
  return pause === undefined ? null : pause + Math.floor(Math.random() * (pause / 10))
}

/** A receiver is paused after this many failures in a row; from then on, each probe that fails counts one more. */
export const mostFailures = 10

/** The failures in a row after `more` failed attempts. */
export const failuresAfter = (failures: number, more: number): number =>
  failures >= mostFailures ? failures + 1 : Math.min(failures + more, mostFailures)

/** Milliseconds for which a receiver gets nothing after this many failures in a row; null: it goes on. */
export function pauseAfter(failures: number): number | null {
  if (failures < mostFailures) return null
  return Math.min(minute * 2 ** Math.min(failures - mostFailures, 10), hour)
}
