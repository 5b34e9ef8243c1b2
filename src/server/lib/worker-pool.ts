import { availableParallelism } from 'node:os'
import { type Transferable, Worker } from 'node:worker_threads'
import { AppError } from '#shared/errors.ts'

/** The work exceeded the limit of time or memory; a retry would end the same way. */
export class WorkTooLarge extends Error {}

/** It took longer than `runLimit`. For a low-priority process, the cause may be a busy machine rather than the work. */
export class WorkTookTooLong extends WorkTooLarge {}

/** The worker ended before its work: it crashed or was killed. */
export class WorkerEnded extends Error {}

export interface WorkerPool<Task, Result> {
  /**
   * Throws WorkTooLarge (WorkTookTooLong), WorkerEnded, 503 when too much is waiting, and the errors of the worker. When
   * `signal` is aborted, the worker is ended and the reason is thrown.
   */
  run(task: Task, given?: { signal?: AbortSignal; moved?: readonly Transferable[] }): Promise<Result>
}

/** A thread or process as the pool uses it. It keeps the main process alive only while it is held. */
export interface PoolWorker<Task> {
  /** `moved`: parts of the task that are transferred instead of copied. */
  send(task: Task, moved?: readonly Transferable[]): void
  hold(isBusy: boolean): void
  end(): void
}

/** Events of a worker: the outcome of a task, and the end of the worker for whatever reason. */
export interface WorkerEvents<Result> {
  /** `isLast`: the worker takes no other task, and ends by itself. */
  outcome(outcome: Outcome<Result>, isLast?: boolean): void
  gone(reason: Error): void
}

export interface WorkerBounds {
  memory: number
  youngMemory?: number | undefined
  cpuLimit: number
}

export interface PoolOptions<Task, Result = unknown> {
  /** The worker's file, TypeScript (run by tsx) or bundled. */
  entry: URL
  /** Starts a worker; by default as a thread (otherwise see worker-process.ts). */
  start?(entry: URL, events: WorkerEvents<Result>, bounds: WorkerBounds): PoolWorker<Task>
  /** Milliseconds after which a worker without work is ended; by default it stays. */
  idleLimit?: number
  threads?: number
  /** Maximum duration of a task, in milliseconds. */
  runLimit?: number
  /** Maximum waiting time of a task, in milliseconds. */
  waitLimit?: number
  /** Maximum number of waiting tasks. */
  queueLimit?: number
  /** Estimated duration of a task, in any unit: short tasks run first. By default, tasks run in order of arrival. */
  sizeOf?(task: Task): number
  /** The owner of a task; null: none. Tasks of an owner that has `maxPerOwner` running ones wait, and others go first. */
  ownerOf?(task: Task): string | null
  maxPerOwner?: number
  /** Maximum CPU time of a task in a process, in milliseconds; threads are limited by `runLimit` only. */
  cpuLimit?: number
  /** Memory limit in MB: of a thread's heap without its young generation, or of a whole process. */
  memory?: number
  /** Limit of the young generation of a thread's heap, in MB. Default: that of V8. */
  youngMemory?: number
}

/** A worker's message: a result, or the error it has thrown. */
export type Outcome<Result> = { result: Result } | { error: unknown }

interface Job<Task, Result> {
  task: Task
  moved: readonly Transferable[]
  size: number
  resolve(result: Result): void
  reject(error: unknown): void
  waiting?: NodeJS.Timeout
  /** The worker that runs it. */
  member?: Member<Task, Result>
}

interface Member<Task, Result> {
  worker: PoolWorker<Task>
  /** The task that it runs. */
  work?: { settle(end: () => void): void; job: Job<Task, Result> }
  idle?: NodeJS.Timeout | undefined
  /** It took too long; its further messages are ignored. */
  isEnding?: true
}

/**
 * Threads or processes for work that would block the event loop. They start on demand, do not keep the main process alive
 * while idle, and are ended and replaced when they take too long.
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
  youngMemory,
  sizeOf = () => 0,
  ownerOf = () => null,
  maxPerOwner = Number.POSITIVE_INFINITY,
}: PoolOptions<Task, Result>): WorkerPool<Task, Result> {
  const idle: Member<Task, Result>[] = []
  const queue: Job<Task, Result>[] = []
  const working = new Set<Member<Task, Result>>()
  let started = 0

  function add(): Member<Task, Result> {
    const member: Member<Task, Result> = {
      worker: start(
        entry,
        {
          outcome(outcome, isLast = false) {
            if (member.isEnding) return
            const { work } = member
            if (isLast) retire(member)
            else rest(member)
            work?.settle(() =>
              'error' in outcome ? work.job.reject(outcome.error) : work.job.resolve(outcome.result),
            )
            next()
          },
          gone(reason) {
            started--
            working.delete(member)
            const at = idle.indexOf(member)
            if (at >= 0) idle.splice(at, 1)
            clearTimeout(member.idle)
            const { work } = member
            work?.settle(() => work.job.reject(reason))
            next()
          },
        },
        { memory, youngMemory, cpuLimit },
      ),
    }
    started++
    return member
  }

  /** Its slot becomes free when it has exited. */
  function retire(member: Member<Task, Result>): void {
    delete member.work
    working.delete(member)
    member.isEnding = true
    member.worker.hold(false)
  }

  function rest(member: Member<Task, Result>): void {
    delete member.work
    working.delete(member)
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
    while (idle.length > 0 || started < threads) {
      const job = queue.find(mayRun)
      if (!job) return
      queue.splice(queue.indexOf(job), 1)
      clearTimeout(job.waiting)
      work(idle.pop() ?? add(), job)
    }
  }

  /** Whether the task's owner has less than the allowed number of running ones. */
  function mayRun({ task }: Job<Task, Result>): boolean {
    const owner = ownerOf(task)
    if (owner === null) return true
    const own = [...working].filter(({ work }) => work && ownerOf(work.job.task) === owner)
    return own.length < maxPerOwner
  }

  function work(member: Member<Task, Result>, job: Job<Task, Result>): void {
    clearTimeout(member.idle)
    const settle = (end: () => void) => {
      clearTimeout(limit)
      end() // settles a promise: the first call counts
    }
    const limit = setTimeout(() => stop(member, new WorkTookTooLong()), runLimit)
    member.work = { settle, job }
    working.add(member)
    job.member = member
    member.worker.hold(true)
    member.worker.send(job.task, job.moved)
  }

  /** Ends a worker and rejects its task. */
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
  { memory, youngMemory }: WorkerBounds,
): PoolWorker<Task> {
  const young = youngMemory === undefined ? {} : { maxYoungGenerationSizeMb: youngMemory }
  const resourceLimits = { maxOldGenerationSizeMb: memory, ...young }
  const worker = entry.pathname.endsWith('.ts')
    ? new Worker(loadTypeScript(entry), { eval: true, resourceLimits })
    : new Worker(entry, { resourceLimits })
  let reason: Error | undefined
  worker.on('message', (outcome) => events.outcome(outcome))
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

/** Only for development and tests: Node 20 does not run TypeScript, and threads do not inherit tsx. */
const loadTypeScript = ({ href }: URL) => {
  const file = JSON.stringify(href)
  return `import('tsx/esm/api').then(({ tsImport }) => tsImport(${file}, ${file}))`
}

/** A 503 that asks the client to retry soon. */
export const busy = () => new AppError('ServiceUnavailable', { headers: { 'retry-after': '1' } })
