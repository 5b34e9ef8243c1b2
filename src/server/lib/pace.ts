import { setImmediate } from 'node:timers/promises'

/** What somebody waits for gives way to other requests after this many milliseconds, … */
const usualSlice = 20
/** … and jobs, which have time, sooner: nobody else is to notice them. */
export const jobSlice = 4

/** The pace of work that is done in many small parts: one gives way between them. */
export class Pace {
  private started = performance.now()
  private readonly slice: number

  constructor(slice = usualSlice) {
    this.slice = slice
  }

  /** Lets others run when this work has had its slice of time. */
  async giveWay(): Promise<void> {
    if (performance.now() - this.started <= this.slice) return
    await setImmediate()
    this.started = performance.now()
  }
}
