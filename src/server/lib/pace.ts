import { setImmediate } from 'node:timers/promises'

/** What somebody waits for gives way to other requests after this many milliseconds, … */
const usualSlice = 20
/** … and jobs, which have time, sooner: nobody else is to notice them. */
export const jobSlice = 4

/** A turn of the event loop that takes longer (milliseconds) had something to do for others, … */
const idleTurn = 0.5
/** … whom jobs let on for so many turns: most of what they wait for takes several. */
const mostTurns = 8

/** The pace of work that is done in many small parts: one gives way between them. */
export class Pace {
  private started = performance.now()
  private readonly slice: number
  private readonly turns: number

  constructor(slice = usualSlice) {
    this.slice = slice
    this.turns = slice < usualSlice ? mostTurns : 1
  }

  /** Lets others run when this work has had its slice of time. */
  async giveWay(): Promise<void> {
    if (performance.now() - this.started <= this.slice) return
    for (let turn = 0; turn < this.turns; turn++) {
      const before = performance.now()
      await setImmediate()
      this.started = performance.now()
      if (this.started - before < idleTurn) return
    }
  }
}
