import { setImmediate } from 'node:timers/promises'

/** Time in ms after which work for a waiting request yields to other requests. */
const usualSlice = 20
/** Time in ms after which jobs yield. It is shorter, so that jobs do not delay requests. */
export const jobSlice = 4

/** Maximum duration in ms of an idle turn of the event loop. A longer turn processed other work. */
const idleTurn = 0.5
/** Maximum number of turns that a job waits each time it yields. Most requests need several turns. */
const mostTurns = 8

/** Makes work in many small steps yield to the event loop between them. */
export class Pace {
  private started = performance.now()
  private readonly slice: number
  private readonly turns: number

  constructor(slice = usualSlice) {
    this.slice = slice
    this.turns = slice < usualSlice ? mostTurns : 1
  }

  /** Yields to the event loop if the time slice is used up. */
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
