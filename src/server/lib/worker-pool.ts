import { availableParallelism } from 'node:os'
import { AppError } from '#shared/errors.ts'
import { type PoolWorker, startProcess, type WorkerBounds, type WorkerEvents } from './start-process.ts'
import { WorkerEnded, WorkTookTooLong } from './worker-errors.ts'

/** Milliseconds that a process may take to exit after its last task. */
const exitLimit = 5_000

interface RunOptions {
  signal?: AbortSignal
  /** Handles a call of the worker during the task. The worker receives the result. */
  onCall?(call: unknown): unknown
}

export interface WorkerPool<Task, Result> {
  /**
   * Runs a task. Throws `WorkTooLarge` (`WorkTookTooLong`), and the errors of the worker. Throws 503 if the queue is
   * full, if the task waits too long, or if its process does not start in time. If `signal` is aborted or `onCall`
   * throws, ends the worker and throws the signal's reason or the error of `onCall`.
   *
   * A task whose process ends runs once more, because another cause may have ended the process. If the second process
   * ends too, throws `WorkerEnded`, or 503 if that process ended before the task began.
   */
  run(task: Task, options?: RunOptions): Promise<Result>
}

export interface PoolOptions<Task, Result = unknown> extends Partial<WorkerBounds> {
  /** The worker's file, TypeScript (run by tsx) or bundled. It must call `serveProcess`. */
  entry: URL
  start?(entry: URL, events: WorkerEvents<Result>, bounds: WorkerBounds): PoolWorker<Task>
  /** Milliseconds after which a process without work is ended. Default: the process stays. */
  idleLimit?: number
  processes?: number
  /** Maximum time in milliseconds from sending a task until it begins. A busy machine starts a process slowly. */
  startLimit?: number
  /** Maximum duration of a task in milliseconds, without the start of its process. */
  runLimit?: number
  /** Maximum waiting time of a task, in milliseconds. */
  waitLimit?: number
  /** Maximum number of waiting tasks. */
  queueLimit?: number
  /**
   * Returns the estimated duration of a task, in any unit. Short tasks run first. Default: tasks run in order of
   * arrival.
   */
  sizeOf?(task: Task): number
  /**
   * Returns the owner of a task. `null`: none. If an owner has `maxPerOwner` running tasks, its other tasks wait, and
   * tasks of other owners run first.
   */
  ownerOf?(task: Task): string | null
  maxPerOwner?: number
}

interface Job<Task, Result> {
  task: Task
  onCall: RunOptions['onCall']
  size: number
  resolve(result: Result): void
  reject(error: unknown): void
  waiting?: NodeJS.Timeout
  member?: Member<Task, Result>
  isRetry?: true
}

interface Member<Task, Result> {
  worker: PoolWorker<Task>
  /** The task that the worker runs, and the timer that ends it. */
  work?: { job: Job<Task, Result>; limit: NodeJS.Timeout; hasBegun?: true }
  idle?: NodeJS.Timeout | undefined
  /** The worker is ending. Its further messages are ignored. */
  isEnding?: true
  /** Ends the worker if it does not exit on its own. */
  exiting?: NodeJS.Timeout
}

/**
 * Creates a pool of processes for work that would block the event loop, exhaust the memory or crash. Processes start on
 * demand and do not keep the main process alive while idle. If they exceed a time limit, they are ended and replaced.
 */
export function createWorkerPool<Task, Result>({
  entry,
  start = startProcess,
  processes = Math.max(1, Math.min(4, availableParallelism() - 1)),
  startLimit = 60_000,
  runLimit = 10_000,
  waitLimit = 10_000,
  queueLimit = 64,
  idleLimit,
  cpuLimit = Number.POSITIVE_INFINITY,
  silenceLimit = Number.POSITIVE_INFINITY,
  memory = 512,
  isLowPriority = false,
  sizeOf = () => 0,
  ownerOf = () => null,
  maxPerOwner = Number.POSITIVE_INFINITY,
}: PoolOptions<Task, Result>): WorkerPool<Task, Result> {
  const idle: Member<Task, Result>[] = []
  const queue: Job<Task, Result>[] = []
  const working = new Set<Member<Task, Result>>()
  let started = 0

  function add(): Member<Task, Result> {
    started++
    const member: Member<Task, Result> = {
      worker: start(
        entry,
        {
          begins() {
            const { work } = member
            if (!work || member.isEnding) return
            clearTimeout(work.limit)
            work.hasBegun = true
            work.limit = setTimeout(() => stop(member, new WorkTookTooLong()), runLimit)
          },
          outcome(outcome, isLast = false) {
            if (member.isEnding) return
            const job = release(member)
            if (isLast) retire(member)
            else rest(member)
            if ('error' in outcome) job?.reject(outcome.error)
            else job?.resolve(outcome.result)
            next()
          },
          async call(call) {
            const { work, isEnding } = member
            if (isEnding) return
            try {
              return await work?.job.onCall?.(call)
            } catch (error) {
              if (work && member.work === work) stop(member, error)
            }
          },
          gone(reason) {
            started--
            const at = idle.indexOf(member)
            if (at >= 0) idle.splice(at, 1)
            clearTimeout(member.idle)
            clearTimeout(member.exiting)
            const hasBegun = member.work?.hasBegun
            const job = release(member)
            const hasEnded = reason instanceof WorkerEnded
            if (job && hasEnded && !job.isRetry && !member.isEnding) {
              job.isRetry = true
              queue.unshift(job)
            } else job?.reject(hasEnded && !hasBegun ? busy() : reason)
            next()
          },
        },
        { memory, cpuLimit, silenceLimit, isLowPriority },
      ),
    }
    return member
  }

  function release(member: Member<Task, Result>): Job<Task, Result> | undefined {
    const { work } = member
    if (!work) return undefined
    clearTimeout(work.limit)
    delete member.work
    delete work.job.member
    working.delete(member)
    return work.job
  }

  /** Lets a worker exit. Its slot becomes free when it has exited. */
  function retire(member: Member<Task, Result>): void {
    member.isEnding = true
    member.worker.hold(false)
    member.exiting = setTimeout(() => member.worker.end(), exitLimit).unref()
  }

  function rest(member: Member<Task, Result>): void {
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
    while (idle.length > 0 || started < processes) {
      const job = queue.find(mayRun)
      if (!job) return
      queue.splice(queue.indexOf(job), 1)
      clearTimeout(job.waiting)
      work(idle.pop() ?? add(), job)
    }
  }

  function mayRun({ task }: Job<Task, Result>): boolean {
    const owner = ownerOf(task)
    if (owner === null) return true
    const own = [...working].filter(({ work }) => work && ownerOf(work.job.task) === owner)
    return own.length < maxPerOwner
  }

  function work(member: Member<Task, Result>, job: Job<Task, Result>): void {
    clearTimeout(member.idle)
    member.work = { job, limit: setTimeout(() => stop(member, busy()), startLimit) }
    working.add(member)
    job.member = member
    member.worker.hold(true)
    member.worker.send(job.task)
  }

  function stop(member: Member<Task, Result>, reason: unknown): void {
    clearTimeout(member.work?.limit)
    member.work?.job.reject(reason)
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
    run: (task, { signal, onCall } = {}) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        if (queue.length >= queueLimit) return reject(busy())
        const abort = () => giveUp(job, signal?.reason)
        const settle =
          <Value>(end: (value: Value) => void) =>
          (value: Value) => {
            signal?.removeEventListener('abort', abort)
            end(value)
          }
        const job: Job<Task, Result> = {
          task,
          onCall,
          size: sizeOf(task),
          resolve: settle(resolve),
          reject: settle(reject),
        }
        signal?.addEventListener('abort', abort)
        job.waiting = setTimeout(() => {
          queue.splice(queue.indexOf(job), 1)
          job.reject(busy())
        }, waitLimit)
        const longer = queue.findIndex(({ size }) => size > job.size)
        queue.splice(longer < 0 ? queue.length : longer, 0, job)
        next()
      }),
  }
}

/** Creates a 503 that asks the client to retry soon. */
export const busy = () => new AppError('ServiceUnavailable', { headers: { 'retry-after': '1' } })
