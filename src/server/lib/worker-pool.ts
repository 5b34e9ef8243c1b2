import { availableParallelism } from 'node:os'
import { type Transferable, Worker } from 'node:worker_threads'
import { AppError } from '#shared/errors.ts'

/** The work took longer, or more memory, than any work may: asking again would end in the same way. */
export class WorkTooLarge extends Error {}

/** It took longer than `runLimit`. Of a process that gives way to others this may say more of the machine than of the work. */
export class WorkTookTooLong extends WorkTooLarge {}

/** The worker ended before its work: it crashed, or somebody killed it. */
export class WorkerEnded extends Error {}

export interface WorkerPool<Task, Result> {
  /**
   * Throws WorkTooLarge (WorkTookTooLong), WorkerEnded, and 503 when more is waiting than can be done soon. What the worker throws is
   * thrown here. When `signal` is aborted the work is given up, its worker ended, and the reason thrown.
   */
  run(task: Task, given?: { signal?: AbortSignal; moved?: readonly Transferable[] }): Promise<Result>
}

/** A thread or a process as the pool sees it. It keeps no process alive unless it is held. */
export interface PoolWorker<Task> {
  /** `moved`: what of the task is handed over, not copied. */
  send(task: Task, moved?: readonly Transferable[]): void
  hold(isBusy: boolean): void
  end(): void
}

/** What a worker reports: what a task has come to, and that it is gone, for whichever reason. */
export interface WorkerEvents<Result> {
  outcome(outcome: Outcome<Result>): void
  gone(reason: Error): void
}

export interface WorkerBounds {
  memory: number
  cpuLimit: number
}

export interface PoolOptions<Task, Result = unknown> {
  /** The worker's file, TypeScript (run by tsx) or bundled. */
  entry: URL
  /** How a worker is started: as a thread, unless said otherwise (worker-process.ts). */
  start?(entry: URL, events: WorkerEvents<Result>, bounds: WorkerBounds): PoolWorker<Task>
  /** Milliseconds after which a worker without work is ended; by default it stays. */
  idleLimit?: number
  threads?: number
  /** Milliseconds that one task may run. */
  runLimit?: number
  /** Milliseconds that one task may wait for its turn. */
  waitLimit?: number
  /** Tasks that may wait. */
  queueLimit?: number
  /** About how long a task takes, in any unit: what is short goes first. By default first come, first served. */
  sizeOf?(task: Task): number
  /** Milliseconds of processor time that one task may take, in a process; threads are bound by `runLimit` alone. */
  cpuLimit?: number
  /** MB: of a thread's heap, or of a whole process. */
  memory?: number
}

/** What a worker answers: a result, or what it has thrown. */
export type Outcome<Result> = { result: Result } | { error: unknown }

interface Job<Task, Result> {
  task: Task
  moved: readonly Transferable[]
  size: number
  resolve(result: Result): void
  reject(error: unknown): void
  waiting?: NodeJS.Timeout
  /** What works at it. */
  member?: Member<Task, Result>
}

interface Member<Task, Result> {
  worker: PoolWorker<Task>
  /** What it works at. */
  work?: { settle(end: () => void): void; job: Job<Task, Result> }
  idle?: NodeJS.Timeout | undefined
  /** It took too long, and whatever it still says is for nobody. */
  isEnding?: true
}

/**
 * Threads or processes for work that would hold the event loop. They start when they are first needed, keep no process
 * alive while they idle, and one that takes too long is ended and replaced.
 */
export function createWorkerPool<Task, Result>({
  entry,
  start = startThread,
  threads = Math.max(1, Math.min(4, availableParallelism() - 1)),
  runLimit = 10_000,
  waitLimit = 10_000,
  queueLimit = 64,
  idleLimit,
  cpuLimit = Number.POSITIVE_INFINITY,
  memory = 512,
  sizeOf = () => 0,
}: PoolOptions<Task, Result>): WorkerPool<Task, Result> {
  const idle: Member<Task, Result>[] = []
  const queue: Job<Task, Result>[] = []
  let started = 0

  function add(): Member<Task, Result> {
    const member: Member<Task, Result> = {
      worker: start(
        entry,
        {
          outcome(outcome) {
            if (member.isEnding) return
            const { work } = member
            rest(member)
            work?.settle(() =>
              'error' in outcome ? work.job.reject(outcome.error) : work.job.resolve(outcome.result),
            )
            next()
          },
          gone(reason) {
            started--
            const at = idle.indexOf(member)
            if (at >= 0) idle.splice(at, 1)
            clearTimeout(member.idle)
            const { work } = member
            work?.settle(() => work.job.reject(reason))
            next()
          },
        },
        { memory, cpuLimit },
      ),
    }
    started++
    return member
  }

  function rest(member: Member<Task, Result>): void {
    delete member.work
    member.worker.hold(false)
    idle.push(member)
    if (idleLimit === undefined) return
    member.idle = setTimeout(() => {
      idle.splice(idle.indexOf(member), 1)
      member.worker.end()
    }, idleLimit)
    member.idle.unref()
  }

  function next(): void {
    while (queue.length > 0 && (idle.length > 0 || started < threads)) {
      const job = queue.shift() as Job<Task, Result>
      clearTimeout(job.waiting)
      work(idle.pop() ?? add(), job)
    }
  }

  function work(member: Member<Task, Result>, job: Job<Task, Result>): void {
    clearTimeout(member.idle)
    const settle = (end: () => void) => {
      clearTimeout(limit)
      end() // of a promise: the first counts
    }
    const limit = setTimeout(() => stop(member, new WorkTookTooLong()), runLimit)
    member.work = { settle, job }
    job.member = member
    member.worker.hold(true)
    member.worker.send(job.task, job.moved)
  }

  /** Ends a worker together with its work. */
  function stop(member: Member<Task, Result>, reason: unknown): void {
    const { work } = member
    work?.settle(() => work.job.reject(reason))
    member.isEnding = true
    member.worker.end()
  }

  function giveUp(job: Job<Task, Result>, reason: unknown): void {
    if (job.member?.work?.job === job) stop(job.member, reason)
    const at = queue.indexOf(job)
    if (at < 0) return
    queue.splice(at, 1)
    clearTimeout(job.waiting)
    job.reject(reason)
  }

  return {
    run: (task, { signal, moved = [] } = {}) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        if (queue.length >= queueLimit) return reject(busy())
        const job: Job<Task, Result> = { task, moved, size: sizeOf(task), resolve, reject }
        signal?.addEventListener('abort', () => giveUp(job, signal.reason), { once: true })
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

function startThread<Task, Result>(
  entry: URL,
  events: WorkerEvents<Result>,
  { memory }: WorkerBounds,
): PoolWorker<Task> {
  const resourceLimits = { maxOldGenerationSizeMb: memory }
  const worker = entry.pathname.endsWith('.ts')
    ? new Worker(loadTypeScript(entry), { eval: true, resourceLimits })
    : new Worker(entry, { resourceLimits })
  let reason: Error | undefined
  worker.on('message', events.outcome)
  worker.on('error', (error: NodeJS.ErrnoException) => {
    reason = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new WorkTooLarge() : error
  })
  worker.once('exit', () => events.gone(reason ?? new WorkerEnded('The worker ended before its work')))
  return {
    send: (task, moved = []) => worker.postMessage(task, moved),
    hold: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
    end: () => void worker.terminate(),
  }
}

/** Only in development and tests: Node 20 runs no TypeScript, and threads do not inherit tsx. */
const loadTypeScript = ({ href }: URL) => {
  const file = JSON.stringify(href)
  return `import('tsx/esm/api').then(({ tsImport }) => tsImport(${file}, ${file}))`
}

/** 503: ask again soon. */
export const busy = () => new AppError('ServiceUnavailable', { headers: { 'retry-after': '1' } })
