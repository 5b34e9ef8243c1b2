/** Counts events per caller and minute or hour, independent of changes to the system clock. */
export interface EventLimit {
  /**
   * Counts an event. Returns whether it is within the caller's limit for the current period. `now` is
   * `performance.now()` in milliseconds.
   */
  allows(who: string, now?: number): boolean
}

/** Allows `perMinute` events per caller. Counts in this process only. */
export const createMinuteLimit = (perMinute: number): EventLimit => createLimit(perMinute, 60_000)

/** Allows `perHour` events per caller. Counts in this process only. */
export const createHourLimit = (perHour: number): EventLimit => createLimit(perHour, 3_600_000)

function createLimit(maximum: number, periodMs: number): EventLimit {
  const counts = new Map<string, number>()
  let period = 0
  return {
    allows(who, now = performance.now()) {
      const current = Math.floor(now / periodMs)
      if (current !== period) counts.clear()
      period = current
      const count = (counts.get(who) ?? 0) + 1
      counts.set(who, count)
      return count <= maximum
    },
  }
}
