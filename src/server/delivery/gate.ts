import { overloaded } from './errors.ts'

/** One that wants its turn. */
export interface Visitor {
  /** Who shares a line: the space. */
  line: number
  /** About how many bytes it holds while it waits. */
  bytes: number
  /** Calls back once when it has gone away. Answers a function that ends the listening. */
  onGone(leave: () => void): () => void
}

/** Lets some pieces of work run, many more wait in line, and refuses what is too much for the memory (429). */
export interface Gate {
  run<T>(visitor: Visitor, work: () => Promise<T>): Promise<T>
}

export interface GateLimits {
  /** Work at a time: each holds its rows in memory, and the fewer do so at once the less there is to collect. */
  active: number
  /**
   * How much of it may be of one line: that work may itself be waiting, for large texts to be rendered, and is not to keep
   * everybody else out meanwhile.
   */
  activePerLine: number
  /** How many bytes all who wait may hold together. */
  waitingBytes: number
  /** After so many milliseconds who waits is refused: proxies would give up soon. */
  patience: number
}

interface Waiting {
  bytes: number
  enter(): void
  refuse(): void
}

/**
 * Lines take turns, so one that is long keeps nobody in another waiting; within a line it is first come, first served.
 * When there is no more memory, the last of the line that holds most of it is refused. Who has gone away while waiting
 * leaves the line, and is not served.
 */
export function createGate({ active, activePerLine, waitingBytes, patience }: GateLimits): Gate {
  let running = 0
  /** The same by line. Lines without any are not kept. */
  const runningOf = new Map<number, number>()
  let held = 0
  /** In the order of their turns. Lines without anybody are not kept. */
  const lines = new Map<number, { waiting: Set<Waiting>; bytes: number }>()

  function remove(name: number, one: Waiting): void {
    const line = lines.get(name)
    if (!line?.waiting.delete(one)) return
    line.bytes -= one.bytes
    held -= one.bytes
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
    while (held > waitingBytes) {
      let [largest] = lines.values()
      for (const line of lines.values()) if (line.bytes > (largest?.bytes ?? 0)) largest = line
      const last = largest && [...largest.waiting].at(-1)
      if (!last) return
      last.refuse()
    }
  }

  function wait({ line: name, bytes, onGone }: Visitor): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        stopListening()
        remove(name, one)
      }
      const one: Waiting = {
        bytes,
        enter() {
          leave()
          resolve()
        },
        refuse() {
          leave()
          reject(overloaded())
        },
      }
      const timer = setTimeout(one.refuse, patience)
      timer.unref()
      const stopListening = onGone(one.refuse)
      const line = lines.get(name) ?? { waiting: new Set(), bytes: 0 }
      lines.set(name, line)
      line.waiting.add(one)
      line.bytes += bytes
      held += bytes
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
