/** CPU time of this process in milliseconds, which other processes do not add to. */
function cpuTime(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/**
 * How much more CPU time four times as much input takes: about 4 for work in linear time, 16 for the square. The better
 * of two runs of each counts, and the input is so large that the smaller takes some milliseconds.
 */
export function growth(work: (size: number) => void, size: number): number {
  const best = (times: number) =>
    Math.min(...Array.from({ length: 2 }, () => cpuTime(() => work(size * times))))
  work(size) // so that it is compiled
  return best(4) / Math.max(1, best(1))
}

/** What is above linear growth and its noise, and well below the square. */
export const tooMuchGrowth = 9
