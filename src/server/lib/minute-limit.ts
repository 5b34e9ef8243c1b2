/** Counts events per minute and caller, independent of changes to the system clock. */
export interface MinuteLimit {
  /** Is this event within the caller's limit for the current minute? `now` is `performance.now()` in milliseconds. */
  allows(who: string, now?: number): boolean
}

/** Allows `perMinute` events per caller. Counts in this process only: several processes count separately. */
export function createMinuteLimit(perMinute: number): MinuteLimit {
  const counts = new Map<string, number>()
  let minute = 0
  return {
    allows(who, now = performance.now()) {
      const current = Math.floor(now / 60_000)
      if (current !== minute) counts.clear()
      minute = current
      const count = (counts.get(who) ?? 0) + 1
      counts.set(who, count)
      return count <= perMinute
    },
  }
}
