import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  parseCronItems,
  Logger as QueueLogger,
  type Runner,
  run,
  type TaskList,
  type WorkerEvents,
  type WorkerPool,
} from 'graphile-worker'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Config, Secrets } from '#server/config.ts'
import { connectLike } from '#server/db/connection.ts'
import type { Tables } from '#server/db/tables.ts'
import type { OutgoingHttp } from '#server/lib/outgoing-http.ts'
import type { Storages } from '#server/storage/index.ts'
import { enqueue } from './enqueue.ts'
import type { Job, Schedule } from './job.ts'
import { findStopped, type Run } from './job-rows.ts'
import { type Outbox, readOutbox } from './outbox.ts'
import { type JobDeps, JobStopped, runJob, type StopReason } from './run-job.ts'
import type { Subscriber } from './subscriber.ts'
import { openWorkerConnection, type WorkerConnection } from './worker-connection.ts'

export interface WorkerOptions {
  /** The jobs' own pool: connections for the queue, and for as many handlers as run at once. */
  jobsPool: pg.Pool
  config: Config
  secrets: Secrets
  storages: Storages
  outgoing: OutgoingHttp
  log: Logger
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
const restartAfter = 2_000
const day = 86_400_000
/** Longer than any process lives. Locks of the dead are known by other means, and no job is too long. */
const never = 2 ** 31 - 1

/** Runs jobs, the clock's too, and reads the outbox, until it is closed; starts again by itself when the database was away. */
export function startWorker(options: WorkerOptions): Worker {
  const { jobsPool, config, secrets, storages, outgoing, log } = options
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: jobsPool }) })
  const connect = (application: string) => connectLike(jobsPool, application)
  const deps: JobDeps = { db, connect, config, secrets, storages, outgoing, log }
  const queuePool = openQueuePool(jobsPool)
  const active = new Map<string, { run: Run; stop: AbortController }>()
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

  function track(run: Run, stop: AbortController): () => void {
    active.set(run.runId, { run, stop })
    return () => active.delete(run.runId)
  }

  function lead(isLeader: boolean): void {
    const before = outbox
    outbox = undefined
    void before?.stop()
    if (isLeader) outbox = readOutbox(db, options.subscribers, log)
  }

  /** One life of the queue; ends when it is stopped or its connections are lost for good. */
  async function live(): Promise<void> {
    const events: WorkerEvents = new EventEmitter()
    let queue: WorkerPool | undefined
    events.on('pool:create', ({ workerPool }) => {
      queue = workerPool
      connection = openWorkerConnection(jobsPool, workerPool.id, {
        onEvent: () => outbox?.wake(),
        onLeader: lead,
        onError: (error) => log.warn({ err: error }, 'The worker’s connection was lost'),
      })
    })
    const tasks: TaskList = {
      [scheduleTask]: (payload) => enqueueScheduled(deps, options.schedules, payload),
    }
    for (const job of options.jobs)
      tasks[job.name] = async (payload, { job: entry }) => {
        // Nothing is begun before everybody can see that this worker lives.
        await connection?.alive
        const { id } = payload as { id: string }
        if ([...active.values()].some(({ run }) => run.jobId === id)) throw new Error('This process is at it')
        await runJob(deps, job, { jobId: id, timesTaken: entry.attempts }, queue?.id ?? '', track)
        // The next one of its concurrency key need not wait until the queue looks by itself.
        if (entry.job_queue_id !== null)
          setTimeout(() => queue?._active && queue.nudge(1), 3 * batchFor).unref()
      }
    try {
      runner = await run({
        pgPool: queuePool,
        schema: 'graphile_worker',
        concurrency: config.jobs,
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
      if (closed) await runner.stop()
      await runner.promise
    } finally {
      runner = undefined
      await connection?.close()
      connection = undefined
    }
  }

  async function keepAlive(): Promise<void> {
    while (!closed) {
      await live().catch((error: unknown) => {
        if (!closed) log.error({ err: error }, 'The job queue stopped and is started again')
      })
      if (!closed) await sleep(restartAfter)
    }
  }
  const living = keepAlive()

  async function close(drainMs: number): Promise<void> {
    closed = true
    clearInterval(watch)
    const reading = outbox
    outbox = undefined
    const drained = Promise.allSettled([runner?.stop(), reading?.stop()])
    const stopAll = setTimeout(() => {
      for (const runId of active.keys()) stopRun(runId, 'shutdown')
    }, drainMs)
    await Promise.race([drained, pause(drainMs + 5_000)])
    clearTimeout(stopAll)
    // What does not stop keeps no lock: another process takes it over.
    await connection?.close()
    await Promise.race([living.then(() => queuePool.end()), pause(1_000)])
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

/**
 * The queue's bookkeeping (what is taken out, what has served) need not reach the disk before it goes on: should a
 * crash of PostgreSQL lose it, an entry is offered again, and its job's row says whether it still has to run.
 */
function openQueuePool({ options }: pg.Pool): pg.Pool {
  const pool = new pg.Pool({
    ...options,
    password: options.password, // not enumerable
    application_name: 'imori queue',
    options: `${options.options ?? ''} -c synchronous_commit=off`,
    max: 4,
  })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

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

/** The queue's own words: its errors are ours to read, what it does from minute to minute is not. */
function queueLogger(log: Logger): QueueLogger {
  return new QueueLogger(() => (level, message) => {
    log[level === 'error' ? 'warn' : 'debug']({ queue: true }, message)
  })
}
