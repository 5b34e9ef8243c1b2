import { setImmediate } from 'node:timers/promises'

/** Milliseconds of work after which others get their turn. */
const slice = 10

/** For work that is done in many small parts, whose data is there already: between them others get their turn. */
export class Breath {
  #since = performance.now()

  /** To be asked before {@link take}, which as a promise costs more than most parts. */
  get isDue(): boolean {
    return performance.now() - this.#since > slice
  }

  async take(): Promise<void> {
    await setImmediate()
    this.#since = performance.now()
  }
}
