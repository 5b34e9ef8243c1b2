/** Counts what happens in a minute, by who does it, whatever is done to the clock of the machine. */
export interface MinuteLimit {
  /** Is it one of the first of this minute? `now` in milliseconds of `performance.now()`. */
  allows(who: string, now?: number): boolean
}

/** So many a minute for each. Of this process alone: where several serve, each counts for itself. */
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
