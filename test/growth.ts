/** Returns the CPU time of `work` in ms. Other processes do not affect it. */
export function cpuTime(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Returns the lowest CPU time of several runs in ms, because garbage collections lengthen only some of the runs. */
export function leastCpuTime(work: () => unknown, runs = 5): number {
  return Math.min(...Array.from({ length: runs }, () => cpuTime(work)))
}

/**
 * Returns the factor by which CPU time grows with four times the input: about 4 for linear time, 16 for quadratic.
 * Other load and memory allocation only increase the factor, so the result is the lowest of up to eight measurements.
 * `size` must be large enough that `work(size)` takes some milliseconds.
 */
export function growth(work: (size: number) => void, size: number): number {
  const best = (times: number) => leastCpuTime(() => work(size * times), 2)
  work(size) // This run compiles the code.
  let lowest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 8 && lowest >= tooMuchGrowth; attempt++)
    lowest = Math.min(lowest, best(4) / Math.max(1, best(1)))
  return lowest
}

/** Limit of the factor: above linear growth with its noise, and well below quadratic growth. */
export const tooMuchGrowth = 9
