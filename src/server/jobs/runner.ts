import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  parseCronItems,
  type Job as QueueJob,
  Logger as QueueLogger,
  type Runner,
  run,
  type TaskList,
  type WorkerEvents,
  type WorkerPool,
} from 'graphile-worker'
import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import { connectLike } from '#server/db/connection.ts'
import type { Tables } from '#server/db/tables.ts'
import type { Services } from '#server/services.ts'
import { enqueue } from './enqueue.ts'
import type { EventConsumer } from './event-consumer.ts'
import type { CronJob, Job } from './job.ts'
import { findStopped, type Run } from './job-rows.ts'
import { type Outbox, readOutbox } from './outbox.ts'
import { createPlaces, createSlots, networkPlaces } from './places.ts'
import { openQueuePool } from './queue-pool.ts'
import { type JobDeps, JobStopped, type Runs, runJob, type StopReason } from './run-job.ts'
import { openWorkerConnection, type WorkerConnection } from './worker-connection.ts'

export interface WorkerOptions extends Pick<JobDeps, 'operations' | 'onFailed'> {
  /**
   * The jobs' own pool. It needs a connection for each handler that runs at the same time, except
   * network jobs, which use one for single statements. The queue and the connection
   * of the worker use its settings.
   */
  jobsPool: pg.Pool
  services: Services
  jobs: readonly Job[]
  cronJobs: readonly CronJob[]
  eventConsumers: readonly EventConsumer[]
}

export interface Worker {
  /**
   * Takes no more jobs, lets running jobs finish for `drainMs` (default 5,000 ms), then stops them. Unfinished jobs are
   * put back for another run. Resolves a few seconds after `drainMs` at the latest.
   */
  close(drainMs?: number): Promise<void>
}

/** Poll interval for jobs that become due, in milliseconds. The queue is notified of new jobs. */
const pollInterval = 2_000
/** Milliseconds for which obsolete entries are collected before they are deleted together. */
const batchFor = 10
const watchEvery = 1_000
/**
 * Delays before the queue is restarted, in milliseconds. They grow after each short-lived instance, because PostgreSQL
 * may be unreachable for a long time.
 */
const restartAfter = { first: 200, most: 1_000, shortLife: 10_000 }
const day = 86_400_000
/** Maximum number of earlier queue instances that are remembered. */
const mostLives = 100
/**
 * Interval in ms at which the queue would release entries that are locked for long, set to its maximum. Dead workers
 * are detected by their locks instead, and jobs have no time limit.
 */
const never = 2 ** 31 - 1

/**
 * Runs jobs, including cron jobs, and reads the outbox until closed. Restarts itself after the database was
 * unreachable.
 */
export function startWorker(options: WorkerOptions): Worker {
  const { jobsPool, services } = options
  const { config, log } = services
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: jobsPool }) })
  const connect = (application: string) => connectLike(jobsPool, application)
  const deps: JobDeps = { ...options, pool: jobsPool, db, connect }
  const active = new Map<string, { run: Run; stop: AbortController }>()
  /** Jobs offered by the queue that are running, by job id. */
  const underway = new Map<string, Promise<void>>()
  const runs: Runs = {
    workers: [],
    suspect: null,
    track(run, stop) {
      active.set(run.runId, { run, stop })
      return () => active.delete(run.runId)
    },
  }
  let queue: WorkerPool | undefined
  const askSoon = () => void setTimeout(() => queue?._active && queue.nudge(1), batchFor).unref()
  const places = createPlaces(config.jobs, askSoon)
  const inSlot = createSlots(config.jobs)
  let connection: WorkerConnection | undefined
  let runner: Runner | undefined
  let outbox: Outbox | undefined
  let closed = false

  const stopRun = (runId: string, reason: StopReason) => active.get(runId)?.stop.abort(new JobStopped(reason))

  const watch = setInterval(async () => {
    if (active.size === 0) return
    const runs = [...active.values()].map(({ run }) => run)
    const stopped = await findStopped(db, runs).catch(() => [])
    for (const { runId, reason } of stopped) stopRun(runId, reason)
  }, watchEvery)
  watch.unref()

  function lead(isLeader: boolean): void {
    const before = outbox
    outbox = undefined
    void before?.stop()
    if (isLeader) outbox = readOutbox(db, options.eventConsumers, services, options.operations)
  }

  /** Runs an offered job, after any run of the same job from an earlier queue instance has ended. */
  async function offer(job: Job, id: string): Promise<void> {
    for (let before = underway.get(id); before; before = underway.get(id)) await before.catch(() => {})
    // A job put back for other processes must not be taken again while this one shuts down.
    if (closed) throw new Error('This worker takes no more jobs')
    const working = runJob(deps, job, id, runs)
    underway.set(id, working)
    try {
      await working
    } finally {
      if (underway.get(id) === working) underway.delete(id)
    }
  }

  /** Runs one instance of the queue. Ends when it is stopped, or with its first failed statement. */
  async function live(): Promise<void> {
    const events: WorkerEvents = new EventEmitter()
    let own: WorkerPool | undefined
    places.begin()
    let onFailed: (error: Error) => void = () => {}
    const failed = new Promise<never>((_resolve, reject) => {
      onFailed = reject
    })
    const { pool, destroy } = openQueuePool(jobsPool, onFailed)
    events.on('pool:create', ({ workerPool }) => {
      own = workerPool
      queue = workerPool
      runs.workers = [...runs.workers.slice(-mostLives), workerPool.id]
      connection = openWorkerConnection(jobsPool, workerPool.id, {
        onEvent: () => outbox?.wake(),
        onLeader: lead,
        onError: (error) => log.warn({ err: error }, 'The worker’s connection was lost'),
      })
    })
    // Workers of a failed instance may still ask the queue. Their events are ignored.
    const isPresent = () => own === queue
    events.on('worker:getJob:empty', () => isPresent() && places.answered([]))
    events.on('worker:getJob:error', () => isPresent() && places.answered([]))
    events.on('job:start', ({ job }) => isPresent() && places.answered(flagsOf(job)))
    const tasks: TaskList = {
      [cronTask]: (payload) => enqueueCronJob(deps, options.cronJobs, payload),
    }
    for (const job of options.jobs)
      tasks[job.name] = async (payload, { job: entry }) => {
        try {
          // No job starts before other processes can see that this worker is alive.
          await connection?.alive
          const { id } = payload as { id: string }
          await (job.isNetwork ? offer(job, id) : inSlot(() => offer(job, id)))
        } finally {
          places.left(flagsOf(entry))
        }
        // Asks the queue soon for the next job with the same concurrency key. Otherwise that job would wait for the
        // next poll.
        if (entry.job_queue_id !== null) setTimeout(() => own?._active && own.nudge(1), 3 * batchFor).unref()
      }
    try {
      const starting = run({
        pgPool: pool,
        schema: 'graphile_worker',
        concurrency: config.jobs + networkPlaces,
        forbiddenFlags: () => (isPresent() ? places.forbidden() : []),
        preset: { worker: { completeJobBatchDelay: batchFor } },
        taskList: tasks,
        parsedCronItems: cronItems(options.cronJobs),
        noHandleSignals: true,
        pollInterval,
        minResetLockedInterval: never,
        maxResetLockedInterval: never,
        logger: queueLogger(log),
        events,
      })
      runner = await Promise.race([starting, failed])
      if (closed) await Promise.race([runner.stop(), failed])
      await Promise.race([runner.promise, failed])
    } finally {
      // Stops the timers of a failed instance. Its statements never settle.
      if (own?._active) runner?.stop().catch(() => {})
      runner = undefined
      await Promise.race([connection?.close(), sleep(1_000)])
      connection = undefined
      destroy()
    }
  }

  async function keepAlive(): Promise<void> {
    for (let wait = restartAfter.first; !closed; wait = Math.min(2 * wait, restartAfter.most)) {
      const begun = performance.now()
      await live().catch((error: unknown) => {
        if (!closed) log.warn({ err: error }, 'The job queue stopped and is restarted')
      })
      if (performance.now() - begun > restartAfter.shortLife) wait = restartAfter.first
      if (!closed) await sleep(wait)
    }
  }
  const living = keepAlive()

  async function close(drainMs: number): Promise<void> {
    closed = true
    clearInterval(watch)
    const reading = outbox
    outbox = undefined
    const drained = Promise.allSettled([runner?.stop(), reading?.stop(), ...underway.values()])
    const stopAll = setTimeout(() => {
      for (const runId of active.keys()) stopRun(runId, 'shutdown')
    }, drainMs)
    await Promise.race([drained, pause(drainMs + 5_000)])
    clearTimeout(stopAll)
    // Runs that do not stop lose their lock, so that another process takes them over.
    await connection?.close()
    await Promise.race([living, pause(1_000)])
  }

  let closing: Promise<void> | undefined
  return {
    close(drainMs = 5_000) {
      closing ??= close(drainMs)
      return closing
    },
  }
}

const pause = (milliseconds: number) => sleep(milliseconds, undefined, { ref: false })

/** The only task of the queue that is not a job. It enqueues cron jobs. Must never change: queued rows contain it. */
const cronTask = 'imori.schedule'
/** The key of all jobs that cron adds. Must never change: waiting rows contain it. */
const cronKey = 'schedule'

function cronItems(cronJobs: readonly CronJob[]) {
  return parseCronItems(
    cronJobs.map(({ job, at }) => ({
      task: cronTask,
      match: at,
      identifier: job.name,
      payload: { name: job.name },
      // Also enqueues the job if times of the last day were missed. The key prevents a second waiting job.
      options: { backfillPeriod: day },
    })),
  )
}

async function enqueueCronJob(
  { db }: JobDeps,
  cronJobs: readonly CronJob[],
  payload: unknown,
): Promise<void> {
  const { name } = payload as { name: string }
  const cronJob = cronJobs.find(({ job }) => job.name === name)
  if (cronJob) await enqueue(db, cronJob.job, cronJob.payload, { key: cronKey })
}

const flagsOf = ({ flags }: QueueJob): string[] => Object.keys(flags ?? {})

/** Returns the logger of the queue: errors as warnings, everything else for debugging. */
function queueLogger(log: Logger): QueueLogger {
  return new QueueLogger(() => (level, message) => {
    log[level === 'error' ? 'warn' : 'debug']({ queue: true }, message)
  })
}
