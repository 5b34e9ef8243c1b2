/** CPU time of this process in milliseconds, which other processes do not add to. */
export function cpuTime(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/**
 * How much more CPU time four times as much input takes: about 4 for work in linear time, 16 for the square. Other work
 * on the machine only ever adds to it, so the lowest of up to four measurements counts; the input is so large that the
 * smaller one takes some milliseconds.
 */
export function growth(work: (size: number) => void, size: number): number {
  const best = (times: number) =>
    Math.min(...Array.from({ length: 2 }, () => cpuTime(() => work(size * times))))
  work(size) // so that it is compiled
  let lowest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 4 && lowest >= tooMuchGrowth; attempt++)
    lowest = Math.min(lowest, best(4) / Math.max(1, best(1)))
  return lowest
}

/** What is above linear growth and its noise, and well below the square. */
export const tooMuchGrowth = 9
