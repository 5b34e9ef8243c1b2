import { Pace } from '#server/lib/pace.ts'
import { refused } from './scim-error.ts'

/** Maximum number of comparisons per request, and per step. A step blocks the event loop, for about 50 ms at most. */
const most = { request: 30_000_000, step: 400_000 }

/**
 * Limits the work of a request. A body of one megabyte can contain many operations and filters, each of which may be
 * compared with all values of a resource, such as the members of a group.
 */
export class Effort {
  private readonly pace = new Pace()
  private request = 0
  private step = 0

  /** Counts comparisons. Throws 400 `tooMany` if a limit is exceeded. */
  take(values: number): void {
    this.request += values
    this.step += values
    if (this.step > most.step || this.request > most.request)
      throw refused(
        'tooMany',
        'The request asks for more comparisons than are made for one: send it in parts',
      )
  }

  /** Ends a step. Yields to the event loop if the time slice is used up. */
  giveWay(): Promise<void> {
    this.step = 0
    return this.pace.giveWay()
  }
}
