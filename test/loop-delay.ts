import { readFileSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'

/**
 * Returns the time in ms of a clock that stops while this thread is runnable but other programs use the cores. Linux
 * reports that waiting time (second figure of schedstat, in nanoseconds). On other systems the clock does not stop.
 */
function ownTime(): number {
  return performance.now() - waitedForCore() / 1e6
}

/** Returns the time in ms that the synchronous work takes, without time spent waiting for a core. */
export function ownTimeOf(work: () => unknown): number {
  const started = ownTime()
  work()
  return ownTime() - started
}

function waitedForCore(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[1])
  } catch {
    return 0
  }
}

/**
 * Runs `work`. Returns its result, and the longest block of this process's event loop in ms, without time spent waiting
 * for a core.
 */
export async function longestHold<T>(work: () => Promise<T>): Promise<{ result: T; held: number }> {
  await turn()
  let held = 0
  let last = ownTime()
  const tick = () => {
    const now = ownTime()
    held = Math.max(held, now - last)
    last = now
  }
  const timer = setInterval(tick, 1)
  try {
    const result = await work()
    // A block at the end shows only in the next turn.
    await turn()
    tick()
    return { result, held }
  } finally {
    clearInterval(timer)
  }
}

const knownText = JSON.stringify(
  Array.from({ length: 15_000 }, (_, index) => ({ [`k${index % 100}`]: `${index}`, list: [index] })),
)

/**
 * Returns the time in ms that this machine now needs to parse `knownText` 16 times. It is about 100 ms on an idle core
 * of 2026.
 */
function heldByBusyLoop(): number {
  return ownTimeOf(() => {
    for (let count = 0; count < 16; count++) JSON.parse(knownText)
  })
}

export interface Hold<T> {
  result: T
  /** Longest block of the best run, as a multiple of a busy loop of about 100 ms. */
  held: number
  milliseconds: number
}

/**
 * Runs the work, and repeats it while it blocks the event loop for longer than a busy loop of about 100 ms, up to
 * `tries` times in total. Interference by other programs is occasional, but real blocking occurs each time.
 */
export async function shortestHold<T>(work: () => Promise<T>, tries = 8): Promise<Hold<T>> {
  const [hold] = await shortestHolds([work], tries)
  if (!hold) throw new TypeError('no try')
  return hold
}

/** Works like {@link shortestHold} for several pieces of work. Repeats only the pieces that blocked for too long. */
export async function shortestHolds<T>(works: (() => Promise<T>)[], tries = 8): Promise<Hold<T>[]> {
  const best: Hold<T>[] = []
  for (let attempt = 0; attempt < tries; attempt++) {
    const before = heldByBusyLoop()
    const measured: [index: number, result: T, held: number][] = []
    for (const [index, work] of works.entries()) {
      if ((best[index]?.held ?? Number.POSITIVE_INFINITY) < 1) continue
      const { result, held } = await longestHold(work)
      measured.push([index, result, held])
    }
    if (measured.length === 0) break
    const unit = Math.max(before, heldByBusyLoop())
    for (const [index, result, held] of measured)
      if (held / unit < (best[index]?.held ?? Number.POSITIVE_INFINITY))
        best[index] = { result, held: held / unit, milliseconds: held }
  }
  return best
}
