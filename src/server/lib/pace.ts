import { setImmediate } from 'node:timers/promises'

/** Work for a waiting request yields to other requests after this many milliseconds. */
const usualSlice = 20
/** Jobs yield sooner, so that they do not delay requests. */
export const jobSlice = 4

/** A turn of the event loop that takes longer than this (in milliseconds) had other work to do. */
const idleTurn = 0.5
/** Jobs yield for up to this many turns, because most requests need several. */
const mostTurns = 8

/** Lets work in many small steps yield to the event loop between them. */
export class Pace {
  private started = performance.now()
  private readonly slice: number
  private readonly turns: number

  constructor(slice = usualSlice) {
    this.slice = slice
    this.turns = slice < usualSlice ? mostTurns : 1
  }

  /** Yields to the event loop when the time slice is used up. */
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
