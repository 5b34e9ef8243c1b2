/**
 * Batches concurrent requests. Callers that arrive while a batch is running share the next batch, so a result is never
 * older than the call for it. At most `atOnce` batches run at a time. `ask` receives all requested values, and every
 * caller gets its whole result.
 */
export function batching<Asked, Answer>(
  ask: (all: Asked[]) => Promise<Answer>,
  atOnce: number,
): (asked: Asked) => Promise<Answer> {
  interface Next {
    all: Asked[]
    answer: Promise<Answer>
    start(): void
  }
  let underWay = 0
  let next: Next | undefined

  const startNext = () => next?.start()

  async function run(all: Asked[]): Promise<Answer> {
    next = undefined
    underWay++
    try {
      return await ask(all)
    } finally {
      underWay--
      startNext()
    }
  }

  return (asked) => {
    if (!next) {
      const all: Asked[] = []
      let start = () => {}
      const turn = new Promise<void>((resolve) => {
        start = resolve
      })
      next = { all, answer: turn.then(() => run(all)), start }
      // Starting on the next turn of the event loop lets requests that arrived together share the batch.
      if (underWay < atOnce) setImmediate(start)
    }
    next.all.push(asked)
    return next.answer
  }
}
