export interface Visitor {
  /** Callers with the same line share a queue: all callers of one space, for example. */
  line: number
  /** Weight that counts towards {@link GateLimits.waiting}. Default: 1. */
  weight?: number
  /** Calls `leave` once when the caller has disconnected. Returns a function that stops listening. */
  onGone?(leave: () => void): () => void
}

/** Runs a limited number of tasks concurrently, queues more, and refuses the rest. */
export interface Gate {
  run<T>(visitor: Visitor, work: () => Promise<T>): Promise<T>
}

export interface GateLimits {
  /** Maximum number of concurrent tasks. */
  active: number
  /**
   * Maximum number of concurrent tasks per line. A task may itself wait, for example for rendered texts, and must not
   * block the tasks of other lines meanwhile. Default: no limit per line.
   */
  activePerLine?: number
  /** Maximum total weight of waiting visitors. 0: visitors never wait. */
  waiting: number
  /** Milliseconds after which a waiting visitor is refused. Default: never. */
  patience?: number
  refusal(): Error
}

interface Waiting {
  weight: number
  enter(): void
  refuse(): void
}

/**
 * Creates a gate. Lines take turns, so a long line does not delay the others. Within a line, visitors are served in
 * order of arrival. If the waiting weight exceeds the limit, the last visitor of the heaviest line is refused. Visitors
 * that disconnect while waiting are refused too.
 */
export function createGate({
  active,
  activePerLine = active,
  waiting: capacity,
  patience,
  refusal,
}: GateLimits): Gate {
  let running = 0
  /** The number of running tasks by line. Lines without tasks are removed. */
  const runningOf = new Map<number, number>()
  let waitingWeight = 0
  /** Waiting visitors by line, in the order of their turns. Empty lines are removed. */
  const lines = new Map<number, { waiting: Set<Waiting>; weight: number }>()

  function remove(name: number, one: Waiting): void {
    const line = lines.get(name)
    if (!line?.waiting.delete(one)) return
    line.weight -= one.weight
    waitingWeight -= one.weight
    if (line.waiting.size === 0) lines.delete(name)
  }

  const mayRun = (name: number) => running < active && (runningOf.get(name) ?? 0) < activePerLine

  function start(name: number): void {
    running++
    runningOf.set(name, (runningOf.get(name) ?? 0) + 1)
  }

  function end(name: number): void {
    running--
    const left = (runningOf.get(name) ?? 0) - 1
    if (left > 0) runningOf.set(name, left)
    else runningOf.delete(name)
  }

  /** Admits the next waiting visitor whose line may run a task. */
  function next(): void {
    for (const [name, line] of lines) {
      if (!mayRun(name)) continue
      const [one] = line.waiting
      if (!one) return
      remove(name, one)
      if (lines.delete(name)) lines.set(name, line)
      start(name)
      one.enter()
      return
    }
  }

  function makeRoom(): void {
    while (waitingWeight > capacity) {
      let [largest] = lines.values()
      for (const line of lines.values()) if (line.weight > (largest?.weight ?? 0)) largest = line
      const last = largest && [...largest.waiting].at(-1)
      if (!last) return
      last.refuse()
    }
  }

  function wait({ line: name, weight = 1, onGone }: Visitor): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        stopListening?.()
        remove(name, one)
      }
      const one: Waiting = {
        weight,
        enter() {
          leave()
          resolve()
        },
        refuse() {
          leave()
          reject(refusal())
        },
      }
      const timer = patience === undefined ? undefined : setTimeout(one.refuse, patience).unref()
      const stopListening = onGone?.(one.refuse)
      const line = lines.get(name) ?? { waiting: new Set(), weight: 0 }
      lines.set(name, line)
      line.waiting.add(one)
      line.weight += weight
      waitingWeight += weight
      makeRoom()
    })
  }

  return {
    async run(visitor, work) {
      if (mayRun(visitor.line)) start(visitor.line)
      else await wait(visitor)
      try {
        return await work()
      } finally {
        end(visitor.line)
        next()
      }
    },
  }
}
