/** Maximum number of concurrent long jobs of one space, and of one account over all its spaces. */
const maxPerOwner = 2

/** The flag of long jobs in queue entries, in addition to flags of their space and account (migration 0151). */
const longFlag = 'long'

/** Decides which entries a worker takes next, by their flags. */
export interface Places {
  /** Returns the flags that the worker asking the queue now must not take. */
  forbidden(): string[]
  /** Must be called once for every worker that asked, with the flags of the job it got. */
  answered(flags: readonly string[]): void
  /** Call it when a job with these flags has ended. */
  left(flags: readonly string[]): void
  /** Call it when the queue restarts, so that no worker is asking. */
  begin(): void
}

/**
 * Keeps one of the slots free for short jobs, and prevents one space or account from using all others. `ask` makes one idle
 * worker ask the queue soon.
 */
export function createPlaces(places: number, ask: () => void): Places {
  const mostLong = places - 1
  const limitOf = (flag: string) =>
    flag === longFlag ? mostLong : Math.min(maxPerOwner, Math.max(1, mostLong - 1))
  const taken = new Map<string, number>()
  /** The space and account of the long job that ended last. A job of others is preferred next, if there is one. */
  let lastOwners: readonly string[] = []
  let asking = 0
  /** Was a worker denied long jobs only because another one was asking at the same time? */
  let mustAskAgain = false

  return {
    forbidden() {
      asking += 1
      // Several workers asking at once could all take the last slot, so only one of them may take a long job.
      if (asking > 1) {
        mustAskAgain = true
        return [longFlag]
      }
      const full = [...taken].flatMap(([flag, count]) => (count >= limitOf(flag) ? [flag] : []))
      return [...new Set([...full, ...lastOwners])]
    },
    answered(flags) {
      asking -= 1
      for (const flag of flags) taken.set(flag, (taken.get(flag) ?? 0) + 1)
      if (flags.includes(longFlag) || lastOwners.length > 0) mustAskAgain = true
      lastOwners = []
      if (asking > 0 || !mustAskAgain) return
      mustAskAgain = false
      ask()
    },
    left(flags) {
      for (const flag of flags) {
        const count = (taken.get(flag) ?? 0) - 1
        if (count > 0) taken.set(flag, count)
        else taken.delete(flag)
      }
      if (flags.includes(longFlag)) lastOwners = flags.filter((flag) => flag !== longFlag)
    },
    begin() {
      asking = 0
      mustAskAgain = false
    },
  }
}
