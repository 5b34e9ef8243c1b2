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
import type { Job, Schedule } from './job.ts'
import { findStopped, type Run } from './job-rows.ts'
import { type Outbox, readOutbox } from './outbox.ts'
import { createPlaces } from './places.ts'
import { openQueuePool } from './queue-pool.ts'
import { type JobDeps, JobStopped, type Runs, runJob, type StopReason } from './run-job.ts'
import type { Subscriber } from './subscriber.ts'
import { openWorkerConnection, type WorkerConnection } from './worker-connection.ts'

export interface WorkerOptions {
  /** The jobs' own pool: connections for the queue, and for as many handlers as run at once. */
  jobsPool: pg.Pool
  services: Services
  jobs: readonly Job[]
  schedules: readonly Schedule[]
  subscribers: readonly Subscriber[]
}

export interface Worker {
  /**
   * Takes no more jobs, lets those that run finish for a moment, then tells them to stop: what is left is put back for
   * another run. Ends within `drainMs` and a few seconds.
   */
  close(drainMs?: number): Promise<void>
}

/** The queue looks by itself for jobs that have become due this often (milliseconds); of new ones it is told. */
const pollInterval = 2_000
/** For how long entries that have served are collected, to be deleted together. */
const batchFor = 10
const watchEvery = 1_000
/** Until the queue is started again: longer after each life that was short, so that PostgreSQL may be away for long. */
const restartAfter = { first: 200, most: 1_000, shortLife: 10_000 }
const day = 86_400_000
/** Lives of the queue that are remembered: nothing runs on from one that is further back. */
const mostLives = 100
/** Longer than any process lives. Locks of the dead are known by other means, and no job is too long. */
const never = 2 ** 31 - 1

/** Runs jobs, the clock's too, and reads the outbox, until it is closed; starts again by itself when the database was away. */
export function startWorker(options: WorkerOptions): Worker {
  const { jobsPool, services } = options
  const { config, log } = services
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: jobsPool }) })
  const connect = (application: string) => connectLike(jobsPool, application)
  const deps: JobDeps = { db, connect, services }
  const active = new Map<string, { run: Run; stop: AbortController }>()
  /** What the queue has been offering and is not through yet, by the id of the job. */
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
    if (isLeader) outbox = readOutbox(db, options.subscribers, log)
  }

  /** Runs a job that is offered; one that an earlier life of the queue is still at, when that is through. */
  async function offer(job: Job, id: string): Promise<void> {
    for (let before = underway.get(id); before; before = underway.get(id)) await before.catch(() => {})
    // What was put back for others must not be taken once more while this process ends.
    if (closed) throw new Error('This worker takes no more jobs')
    const working = runJob(deps, job, id, runs)
    underway.set(id, working)
    try {
      await working
    } finally {
      if (underway.get(id) === working) underway.delete(id)
    }
  }

  /** One life of the queue; ends when it is stopped, or with the first statement of the queue's that fails. */
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
    // Workers of a life that failed may still ask; nobody answers them.
    const isPresent = () => own === queue
    events.on('worker:getJob:empty', () => isPresent() && places.answered([]))
    events.on('worker:getJob:error', () => isPresent() && places.answered([]))
    events.on('job:start', ({ job }) => isPresent() && places.answered(flagsOf(job)))
    const tasks: TaskList = {
      [scheduleTask]: (payload) => enqueueScheduled(deps, options.schedules, payload),
    }
    for (const job of options.jobs)
      tasks[job.name] = async (payload, { job: entry }) => {
        try {
          // Nothing is begun before everybody can see that this worker lives.
          await connection?.alive
          await offer(job, (payload as { id: string }).id)
        } finally {
          places.left(flagsOf(entry))
        }
        // The next one of its concurrency key need not wait until the queue looks by itself.
        if (entry.job_queue_id !== null) setTimeout(() => own?._active && own.nudge(1), 3 * batchFor).unref()
      }
    try {
      const starting = run({
        pgPool: pool,
        schema: 'graphile_worker',
        concurrency: config.jobs,
        forbiddenFlags: () => (isPresent() ? places.forbidden() : []),
        preset: { worker: { completeJobBatchDelay: batchFor } },
        taskList: tasks,
        parsedCronItems: cronItems(options.schedules),
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
      // What is left of a life that failed: its timers. Its statements wait for ever.
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
        if (!closed) log.warn({ err: error }, 'The job queue stopped and is started again')
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
    // What does not stop keeps no lock: another process takes it over.
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

/** The one task of the queue that is no job: the clock's, which asks for them. */
const scheduleTask = 'imori.schedule'

function cronItems(schedules: readonly Schedule[]) {
  return parseCronItems(
    schedules.map(({ job, at }) => ({
      task: scheduleTask,
      match: at,
      identifier: job.name,
      payload: { name: job.name },
      // Once for a day that was slept through; a key keeps them from piling up.
      options: { backfillPeriod: day },
    })),
  )
}

async function enqueueScheduled(
  { db }: JobDeps,
  schedules: readonly Schedule[],
  payload: unknown,
): Promise<void> {
  const { name } = payload as { name: string }
  const schedule = schedules.find(({ job }) => job.name === name)
  if (schedule) await enqueue(db, schedule.job, schedule.payload, { key: 'schedule' })
}

const flagsOf = ({ flags }: QueueJob): string[] => Object.keys(flags ?? {})

/** The queue's own words: its errors are ours to read, what it does from minute to minute is not. */
function queueLogger(log: Logger): QueueLogger {
  return new QueueLogger(() => (level, message) => {
    log[level === 'error' ? 'warn' : 'debug']({ queue: true }, message)
  })
}
