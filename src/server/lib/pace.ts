import { setImmediate } from 'node:timers/promises'

/** Work in parts gives way to other requests after this many milliseconds. */
const slice = 20

/** The pace of work that is done in many small parts: one gives way between them. */
export class Pace {
  private started = performance.now()

  /** Lets others run when this work has had its slice of time. */
  async giveWay(): Promise<void> {
    if (performance.now() - this.started <= slice) return
    await setImmediate()
    this.started = performance.now()
  }
}
