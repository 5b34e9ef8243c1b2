/** Places for work of which only some may be under way at a time, however many ask for it. */
export interface Slots {
  /** Runs `work` in a place that is free or becomes free; undefined: too many wait already. */
  run<T>(work: () => Promise<T>): Promise<T> | undefined
}

/** `active` at a time; `waiting` more stand in line. */
export function createSlots({ active, waiting }: { active: number; waiting: number }): Slots {
  let running = 0
  const line: (() => void)[] = []

  async function run<T>(work: () => Promise<T>, turn: Promise<void> | undefined): Promise<T> {
    await turn
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next) next()
      else running--
    }
  }

  return {
    run(work) {
      if (running < active) {
        running++
        return run(work, undefined)
      }
      if (line.length >= waiting) return undefined
      return run(work, new Promise((resolve) => line.push(resolve)))
    },
  }
}
