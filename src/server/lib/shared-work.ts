/** Deduplicates concurrent work by key. */
export interface SharedWork<Result> {
  /**
   * Waits for the work of this key, which starts if it is not running. A caller that leaves (`signal`) does not stop
   * the work for other callers. When no caller is left, the signal of the work is aborted.
   */
  join(key: string, work: (signal: AbortSignal) => Promise<Result>, signal?: AbortSignal): Promise<Result>
}

/** Creates shared work. Results are not cached: after the work has ended, the next caller starts it again. */
export function createSharedWork<Result>(): SharedWork<Result> {
  const running = new Map<string, { result: Promise<Result>; waiting: number; controller: AbortController }>()

  function begin(key: string, work: (signal: AbortSignal) => Promise<Result>) {
    const controller = new AbortController()
    const entry = { result: work(controller.signal), waiting: 0, controller }
    running.set(key, entry)
    const end = () => {
      if (running.get(key) === entry) running.delete(key)
    }
    entry.result.then(end, end)
    return entry
  }

  return {
    async join(key, work, signal) {
      signal?.throwIfAborted()
      const entry = running.get(key) ?? begin(key, work)
      entry.waiting++
      let leave = () => {}
      const left = new Promise<never>((_resolve, reject) => {
        leave = () => reject(signal?.reason)
        signal?.addEventListener('abort', leave, { once: true })
      })
      try {
        return await Promise.race([entry.result, left])
      } finally {
        signal?.removeEventListener('abort', leave)
        entry.waiting--
        if (entry.waiting === 0 && running.get(key) === entry) {
          running.delete(key)
          entry.controller.abort()
        }
      }
    },
  }
}
