import type pg from 'pg'
import type { Logger } from 'pino'
import { writeAudit } from '#server/access/audit.ts'
import type { Config, Secrets } from '#server/config.ts'
import { type Db, inTransaction, spaceScope } from '#server/db/scope.ts'
import { hasState } from '#server/db/sql-states.ts'
import { newId } from '#server/lib/ids.ts'
import type { OutgoingHttp } from '#server/lib/outgoing-http.ts'
import type { Storages } from '#server/storage/index.ts'
import { AppError } from '#shared/errors.ts'
import type { Job, JobContext } from './job.ts'
import { type ClaimedJob, claim, finish, putBack, type Run, writeProgress } from './job-rows.ts'

/** What jobs run with. */
export interface JobDeps {
  /** A handle on the jobs' own pool. */
  db: Db
  /** A connection of its own, with the settings of that pool. */
  connect(application: string): Promise<pg.Client>
  config: Config
  secrets: Secrets
  storages: Storages
  outgoing: OutgoingHttp
  log: Logger
}

/** Why a run is to stop: it was cancelled, the process shuts down, or somebody else has the job now. */
export type StopReason = 'cancelled' | 'shutdown' | 'lost'

export class JobStopped extends Error {
  readonly reason: StopReason
  constructor(reason: StopReason) {
    super(`The job was stopped: ${reason}`)
    this.reason = reason
  }
}

/** Thrown to the queue when a living process is at the job: it offers the entry again later. */
class JobBusy extends Error {}

/** What anybody may read of an error: codes of ours with their sentence, nothing of any other. */
function publicError(error: unknown): { code: string; message: string } {
  if (error instanceof AppError) return { code: error.code, message: error.message }
  // Who looks after the server can do something about it, and then have the job go on.
  const code = isDiskFull(error) ? 'StorageFull' : 'InternalServerError'
  return { code, message: code }
}

/** Of the database, or of the folder of the data. */
const isDiskFull = (error: unknown) =>
  hasState(error, 'diskFull') ||
  ['ENOSPC', 'EDQUOT'].includes((error as { code?: string } | null)?.code ?? '')

const interrupted = {
  code: 'JobInterrupted',
  message: 'The process ended while the job ran, again and again',
}

/** Ten seconds, then three times as long each time, an hour at most, a fifth of it left to chance. */
export function retryDelay(failures: number): number {
  return Math.min(10_000 * 3 ** Math.max(0, failures - 1), 3_600_000) * (0.8 + Math.random() * 0.2)
}

/** How often a run writes its progress at most. */
const progressEvery = 250

/** The entry of the queue that offers the job: how often it was taken out before without coming to an end. */
interface Offer {
  jobId: string
  timesTaken: number
}

/**
 * Runs a job that the queue offers, if it still has to run, and writes how it ended. Returns when the entry has served;
 * throws when the queue is to offer it again. `track` hears of the run while it is on.
 */
export async function runJob(
  deps: JobDeps,
  job: Job,
  { jobId, timesTaken }: Offer,
  worker: string,
  track: (run: Run, stop: AbortController) => () => void,
): Promise<void> {
  const { db } = deps
  const run: Run = { jobId, runId: newId(), worker }
  const log = deps.log.child({ job: job.name, jobId })
  const stop = new AbortController()
  const contextOf = (row: ClaimedJob): Omit<JobContext, 'db' | 'progress'> => ({
    payload: job.payload.parse(row.payload),
    connect: deps.connect,
    scope: row.space_id === null ? null : spaceScope(row.space_id),
    actor: { kind: 'job', id: jobId, name: job.name },
    config: deps.config,
    secrets: deps.secrets,
    storages: deps.storages,
    outgoing: deps.outgoing,
    log,
    signal: stop.signal,
  })
  const isWornOut = (row: ClaimedJob) => row.failures + timesTaken > row.max_attempts

  /** Null: there is nothing to do any more. */
  async function begin(handle: Db): Promise<ClaimedJob | null> {
    const claimed = await claim(handle, run)
    if (claimed.kind === 'busy') throw new JobBusy('Another process is at this job')
    if (claimed.kind === 'over') return null
    if (claimed.job.cancel_requested || claimed.job.space_deleted) {
      await finish(handle, run, { state: 'cancelled' })
      return null
    }
    if (isWornOut(claimed.job)) {
      log.error('The process ended under this job again and again: it is not tried any more')
      await finish(handle, run, { state: 'failed', error: interrupted })
      return null
    }
    return claimed.job
  }

  async function end(handle: Db, row: ClaimedJob): Promise<void> {
    if (await finish(handle, run, { state: 'done' })) await writeEnd(handle, row, 'done')
    else log.warn('The job was taken over by another process')
  }

  /** What was done in a space stands in its audit log, whoever asked for it. */
  async function writeEnd(handle: Db, row: ClaimedJob, outcome: string): Promise<void> {
    if (row.space_id === null) return
    const { id, name, requested_by } = row
    await writeAudit(handle, spaceScope(row.space_id), {
      act: 'job.run',
      outcome,
      actor: { kind: 'job', id, name, ...(requested_by === null ? {} : { askedBy: requested_by }) },
      object: { kind: 'job', id, name },
      details: {},
    })
  }

  async function fail(handle: Db, row: ClaimedJob, error: unknown): Promise<void> {
    const reason = stop.signal.aborted ? (stop.signal.reason as JobStopped).reason : null
    if (reason === 'lost') return
    if (reason === 'cancelled') return void (await finish(handle, run, { state: 'cancelled' }))
    if (reason === 'shutdown') return putBack(handle, run, null, 0)
    const failures = row.failures + 1
    const forGood = failures >= row.max_attempts || (error instanceof AppError && error.status < 500)
    log[forGood ? 'error' : 'warn']({ err: error, failures }, 'The job failed')
    if (forGood) {
      const told = publicError(error)
      if (await finish(handle, run, { state: 'failed', error: told })) await writeEnd(handle, row, told.code)
    } else await putBack(handle, run, publicError(error), retryDelay(failures))
  }

  if (job.atomic) {
    try {
      await inTransaction(db, async (tx) => {
        const row = await begin(tx)
        if (!row) return
        const progress = async () => stop.signal.throwIfAborted()
        await job.handler({ ...contextOf(row), db: tx, progress })
        await end(tx, row)
      })
    } catch (error) {
      if (error instanceof JobBusy) throw error
      await inTransaction(db, async (tx) => {
        const row = await begin(tx)
        if (row) await fail(tx, row, error)
      })
    }
    return
  }

  const row = await begin(db)
  if (!row) return
  const untrack = track(run, stop)
  try {
    const progress = progressOf(db, run, stop.signal)
    await job.handler({ ...contextOf(row), db, progress: progress.report })
    await progress.flush()
    // A handler that just returns when it is to stop has not finished.
    stop.signal.throwIfAborted()
  } catch (error) {
    return await fail(db, row, error)
  } finally {
    untrack()
  }
  await end(db, row)
}

/** Progress that is written now and then, and in the end. */
function progressOf(db: Db, run: Run, signal: AbortSignal) {
  let writtenAt = Number.NEGATIVE_INFINITY
  let pending: [number, number | null] | null = null
  async function flush(): Promise<void> {
    if (!pending) return
    const [done, total] = pending
    pending = null
    writtenAt = performance.now()
    await writeProgress(db, run, done, total)
  }
  async function report(done: number, total: number | null = null): Promise<void> {
    signal.throwIfAborted()
    pending = [done, total]
    if (performance.now() - writtenAt >= progressEvery) await flush()
  }
  return { report, flush }
}
