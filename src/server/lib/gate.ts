/** One that wants its turn. */
export interface Visitor {
  /** Who shares a line: a space, for example. */
  line: number
  /** What it adds to all that waits; 1 unless it is said, so that visitors are counted. */
  weight?: number
  /** Calls back once when it has gone away. Answers a function that ends the listening. */
  onGone?(leave: () => void): () => void
}

/** Lets some pieces of work run, more wait in line, and refuses what is too much. */
export interface Gate {
  run<T>(visitor: Visitor, work: () => Promise<T>): Promise<T>
}

export interface GateLimits {
  /** Work at a time. */
  active: number
  /**
   * How much of it may be of one line: that work may itself be waiting, for large texts to be rendered, and is not to keep
   * everybody else out meanwhile. Without it, all.
   */
  activePerLine?: number
  /** How much all who wait may weigh together; 0: nobody waits. */
  waiting: number
  /** After so many milliseconds who waits is refused. Without it, never. */
  patience?: number
  /** What who is refused is told. */
  refusal(): Error
}

interface Waiting {
  weight: number
  enter(): void
  refuse(): void
}

/**
 * Lines take turns, so one that is long keeps nobody in another waiting; within a line it is first come, first served.
 * When too much waits, the last of the line that weighs most is refused. Who has gone away while waiting
 * leaves the line, and is not served.
 */
export function createGate({
  active,
  activePerLine = active,
  waiting: capacity,
  patience,
  refusal,
}: GateLimits): Gate {
  let running = 0
  /** The same by line. Lines without any are not kept. */
  const runningOf = new Map<number, number>()
  let waitingWeight = 0
  /** In the order of their turns. Lines without anybody are not kept. */
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

  /** Lets in whoever's turn it is. */
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
