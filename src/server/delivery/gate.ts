import { overloaded } from './errors.ts'

/** Lets some pieces of work run, some more wait in line, and refuses the rest at once (429). */
export interface Gate {
  run<T>(work: () => Promise<T>): Promise<T>
}

/**
 * `active` at a time: each holds its rows in memory until its references are there, and the fewer do so at once the
 * less there is to collect. `waiting` more stand in line, first come, first served.
 */
export function createGate({ active, waiting }: { active: number; waiting: number }): Gate {
  let running = 0
  const line: (() => void)[] = []
  return {
    async run(work) {
      if (running < active) running++
      else if (line.length < waiting) await new Promise<void>((resolve) => line.push(resolve))
      else throw overloaded()
      try {
        return await work()
      } finally {
        const next = line.shift()
        if (next) next()
        else running--
      }
    },
  }
}
