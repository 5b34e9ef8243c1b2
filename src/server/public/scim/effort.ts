import { Pace } from '#server/lib/pace.ts'
import { refused } from './scim-error.ts'

/** Values that one request may have looked at in all, and those of one step, in which nobody else gets a turn: some 50 ms. */
const most = { request: 30_000_000, step: 400_000 }

/** What a request costs: operations and filters of a megabyte can ask for the product of both and of all members. */
export class Effort {
  private readonly pace = new Pace()
  private request = 0
  private step = 0

  /** Throws 400 `tooMany`. */
  take(values: number): void {
    this.request += values
    this.step += values
    if (this.step > most.step || this.request > most.request)
      throw refused(
        'tooMany',
        'The request asks for more comparisons than are made for one: send it in parts',
      )
  }

  /** Between two steps: lets others run. */
  giveWay(): Promise<void> {
    this.step = 0
    return this.pace.giveWay()
  }
}
