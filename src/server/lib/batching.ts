/**
 * Asks for several at once. Who asks while others are being answered waits, and shares the next question with all who
 * came meanwhile; at most `atOnce` are under way. So an answer is never older than the call for it, and the busier
 * it is the less each costs. `ask` is given what was asked for, and everybody gets all of its answer.
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
      // Requests that arrived together are read one after the other before this.
      if (underWay < atOnce) setImmediate(start)
    }
    next.all.push(asked)
    return next.answer
  }
}
