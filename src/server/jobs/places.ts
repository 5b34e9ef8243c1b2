/** What is done at once of one space at most, of what takes long. */
const mostOfSpace = 2

/** What an entry of the queue carries that is of a long job, beside a flag of its space (migration 0130). */
const longFlag = 'long'

/** Which entries a worker takes next: they are told from each other by their flags. */
export interface Places {
  /** For the worker that asks the queue now: the flags it takes no entry with. */
  forbidden(): string[]
  /** Every worker that asked is told so once, with what it got. */
  answered(flags: readonly string[]): void
  /** What was taken with these flags is through. */
  left(flags: readonly string[]): void
  /** The queue begins anew: nobody is asking. */
  begin(): void
}

/**
 * Keeps one of so many places free for what is short, and those that are left from all being one space's. `ask` has one idle
 * worker ask the queue soon.
 */
export function createPlaces(places: number, ask: () => void): Places {
  const mostLong = places - 1
  const limitOf = (flag: string) =>
    flag === longFlag ? mostLong : Math.min(mostOfSpace, Math.max(1, mostLong - 1))
  const taken = new Map<string, number>()
  /** The space of the long job that ended last: another one's is next, where there is one. */
  let lastSpace: string | undefined
  let asking = 0
  /** Was somebody told to take nothing long only because others were asking? */
  let mustAskAgain = false

  return {
    forbidden() {
      asking += 1
      // Of several that ask at once all could get the last place: one of them may take what is long.
      if (asking > 1) {
        mustAskAgain = true
        return [longFlag]
      }
      const full = [...taken].flatMap(([flag, count]) => (count >= limitOf(flag) ? [flag] : []))
      return lastSpace === undefined ? full : [...full, lastSpace]
    },
    answered(flags) {
      asking -= 1
      for (const flag of flags) taken.set(flag, (taken.get(flag) ?? 0) + 1)
      if (flags.includes(longFlag) || lastSpace !== undefined) mustAskAgain = true
      lastSpace = undefined
      if (asking > 0 || !mustAskAgain) return
      mustAskAgain = false
      ask()
    },
    left(flags) {
      for (const flag of flags) {
        const count = (taken.get(flag) ?? 0) - 1
        if (count > 0) taken.set(flag, count)
        else taken.delete(flag)
        if (flag !== longFlag) lastSpace = flag
      }
    },
    begin() {
      asking = 0
      mustAskAgain = false
    },
  }
}
