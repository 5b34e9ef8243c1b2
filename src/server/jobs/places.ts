/**
 * Maximum number of concurrent long jobs per space, and per account over all its spaces, in one worker. A worker with
 * fewer than 4 slots: 1.
 */
const maxPerOwner = 2

/** The flag of long jobs in queue entries, in addition to flags of their space and account (migration 0164). */
const longFlag = 'long'
/** The flag of network jobs. */
const networkFlag = 'network'

/** Number of slots of a worker for network jobs, which mostly wait for other systems. */
export const networkPlaces = 16

/** Limits the jobs of a worker by the flags of the queue entries. */
export interface Places {
  /** Returns the flags of jobs that the worker asking the queue now must not take. */
  forbidden(): string[]
  /**
   * Must be called once after each call of `forbidden`, with the flags of the job that the worker got. `[]`: no job.
   */
  answered(flags: readonly string[]): void
  /** Must be called when a job with these flags has ended. */
  left(flags: readonly string[]): void
  /** Must be called when the queue restarts, because no worker is asking it then. */
  begin(): void
}

/**
 * Limits network jobs to `networkPlaces` slots. Keeps one of the other `places` slots free for short jobs. Prevents one
 * space or account from using the rest of them, if there are at least two. `ask` makes one idle worker ask the queue
 * soon.
 */
export function createPlaces(places: number, ask: () => void): Places {
  const mostLong = places - 1
  const limits: Record<string, number> = { [longFlag]: mostLong, [networkFlag]: networkPlaces }
  const limitOf = (flag: string) => limits[flag] ?? Math.min(maxPerOwner, Math.max(1, mostLong - 1))
  const taken = new Map<string, number>()
  /** The space and account of the long job that ended last. Jobs of other spaces and accounts are preferred next. */
  let lastOwners: readonly string[] = []
  let asking = 0
  /**
   * Whether a worker must ask the queue again once no worker is asking: several workers asked at the same time,
   * `lastOwners` was excluded, or a long job was taken.
   */
  let mustAskAgain = false

  return {
    forbidden() {
      asking += 1
      // Several workers asking at the same time could all take the last slot, so only one of them may take a long job.
      if (asking > 1) {
        mustAskAgain = true
        const isScarce = (taken.get(networkFlag) ?? 0) + asking > networkPlaces
        return isScarce ? [longFlag, networkFlag] : [longFlag]
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
      if (flags.includes(longFlag)) lastOwners = flags.filter((flag) => !Object.hasOwn(limits, flag))
    },
    begin() {
      asking = 0
      mustAskAgain = false
    },
  }
}

/**
 * Returns a function that runs at most `places` works at the same time. Further ones wait in their order. Short jobs
 * are limited here and not by a flag, because a worker that may not take them would be idle until it asks again.
 */
export function createSlots(places: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let free = places
  const waiting: (() => void)[] = []
  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
