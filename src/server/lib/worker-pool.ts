import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { AppError } from '#shared/errors.ts'

/** The work took longer, or more memory, than any work may: asking again would end in the same way. */
export class WorkTooLarge extends Error {}

export interface WorkerPool<Task, Result> {
  /**
   * Throws WorkTooLarge, and 503 when more is waiting than can be done soon. What the worker throws is thrown here.
   */
  run(task: Task): Promise<Result>
}

export interface PoolOptions<Task> {
  /** The worker's file, TypeScript (run by tsx) or bundled; it serves with {@link serveTasks}. */
  entry: URL
  threads?: number
  /** Milliseconds that one task may run. */
  runLimit?: number
  /** Milliseconds that one task may wait for its turn. */
  waitLimit?: number
  /** Tasks that may wait. */
  queueLimit?: number
  /** About how long a task takes, in any unit: what is short goes first. By default first come, first served. */
  sizeOf?(task: Task): number
  /** MB of a worker's heap. */
  memory?: number
}

/** What a worker answers: a result, or what it has thrown. */
export type Outcome<Result> = { result: Result } | { error: unknown }

interface Job<Task, Result> {
  task: Task
  size: number
  resolve(result: Result): void
  reject(error: unknown): void
  waiting?: NodeJS.Timeout
}

/**
 * Threads for work that would hold the event loop. They start when they are first needed, keep no process alive while
 * they idle, and one that takes too long is ended and replaced.
 */
export function createWorkerPool<Task, Result>({
  entry,
  threads = Math.max(1, Math.min(4, availableParallelism() - 1)),
  runLimit = 10_000,
  waitLimit = 10_000,
  queueLimit = 64,
  memory = 512,
  sizeOf = () => 0,
}: PoolOptions<Task>): WorkerPool<Task, Result> {
  const idle: Worker[] = []
  const queue: Job<Task, Result>[] = []
  let started = 0

  function start(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: memory }
    const worker = entry.pathname.endsWith('.ts')
      ? new Worker(loadTypeScript(entry), { eval: true, resourceLimits })
      : new Worker(entry, { resourceLimits })
    started++
    worker.once('exit', () => {
      started--
      const at = idle.indexOf(worker)
      if (at >= 0) idle.splice(at, 1)
      next()
    })
    worker.on('error', () => {}) // whoever waits for it hears of it below
    return worker
  }

  function next(): void {
    while (queue.length > 0 && (idle.length > 0 || started < threads)) {
      const job = queue.shift() as Job<Task, Result>
      clearTimeout(job.waiting)
      work(idle.pop() ?? start(), job)
    }
  }

  function work(worker: Worker, { task, resolve, reject }: Job<Task, Result>): void {
    const end = (settle: () => void) => {
      clearTimeout(limit)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      settle()
    }
    const onMessage = (outcome: Outcome<Result>) => {
      worker.unref()
      idle.push(worker)
      end(() => ('error' in outcome ? reject(outcome.error) : resolve(outcome.result)))
      next()
    }
    const onError = (error: NodeJS.ErrnoException) =>
      end(() => reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new WorkTooLarge() : error))
    const onExit = () => end(() => reject(new Error('The worker ended before its work')))
    const limit = setTimeout(() => {
      end(() => reject(new WorkTooLarge()))
      void worker.terminate()
    }, runLimit)
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    worker.ref()
    worker.postMessage(task)
  }

  return {
    run: (task) =>
      new Promise((resolve, reject) => {
        if (queue.length >= queueLimit) return reject(busy())
        const job: Job<Task, Result> = { task, size: sizeOf(task), resolve, reject }
        job.waiting = setTimeout(() => {
          queue.splice(queue.indexOf(job), 1)
          reject(busy())
        }, waitLimit)
        const longer = queue.findIndex(({ size }) => size > job.size)
        queue.splice(longer < 0 ? queue.length : longer, 0, job)
        next()
      }),
  }
}

/** Only in development and tests: Node 20 runs no TypeScript, and threads do not inherit tsx. */
const loadTypeScript = ({ href }: URL) => {
  const file = JSON.stringify(href)
  return `import('tsx/esm/api').then(({ tsImport }) => tsImport(${file}, ${file}))`
}

/** 503: ask again soon. */
export const busy = () => new AppError('ServiceUnavailable', { headers: { 'retry-after': '1' } })
