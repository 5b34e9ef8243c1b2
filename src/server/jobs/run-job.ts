import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { accountOf, type JobActor } from '#server/access/actor.ts'
import { writeAudit } from '#server/access/audit.ts'
import { onBehalf } from '#server/access/callers/job.ts'
import { contractCalls } from '#server/access/operations/call-contract.ts'
import type { Operation } from '#server/access/operations/operation.ts'
import { type Db, inTransaction, type SpaceScope, spaceScope } from '#server/db/scope.ts'
import { isConnectionLost } from '#server/db/sql-states.ts'
import { newId } from '#server/lib/ids.ts'
import type { Services } from '#server/services.ts'
import type { JobError, JobUnit } from '#shared/contract/jobs.ts'
import { AppError } from '#shared/errors.ts'
import { interrupted, isSetAside, judge } from './failures.ts'
import type { Job, JobContext } from './job.ts'
import {
  type ClaimedJob,
  claim,
  finish,
  forgiveInterruption,
  listSpaceIds,
  putBack,
  type Run,
  remove,
  setAside,
  writeFailure,
  writeProgress,
} from './job-rows.ts'
import { spaceHandle } from './space-handle.ts'

export interface JobDeps {
  db: Db
  /** The jobs' own pool, for the handles of jobs in spaces. */
  pool: pg.Pool
  /** Opens a separate connection with the settings of the jobs' own pool. */
  connect(application: string): Promise<pg.Client>
  services: Services
  /** The operations that jobs and event consumers can execute. Default: none. */
  operations?: readonly Operation[]
  /** Called in the transaction that records that a job of a space has failed and is not retried. */
  onFailed?(db: Db, scope: SpaceScope, failure: JobFailure): Promise<void>
}

export interface JobFailure {
  /** `_id` of the job. */
  id: string
  name: string
  code: JobError['code']
}

/** Why a run must stop. `lost`: another run has taken over the job, or the job was deleted. */
export type StopReason = 'cancelled' | 'shutdown' | 'lost'

export class JobStopped extends Error {
  readonly reason: StopReason
  constructor(reason: StopReason) {
    super(`The job was stopped: ${reason}`)
    this.reason = reason
  }
}

/** Thrown if a living process is running the job, so that the queue offers the entry again later. */
class JobBusy extends Error {}

/** Minimum interval between two writes of a run's progress, in milliseconds. */
const progressEvery = 250

/** Delays between attempts to record the result of a run while PostgreSQL is unreachable, in milliseconds. */
const writeAgainAfter = { first: 50, most: 1_000 }

/** Delay before a job that must run alone is offered again, in milliseconds. */
const aloneAfter = 1_000

/** The runs of this process, across all queue instances. */
export interface Runs {
  /**
   * The queue instances of this process, the current one last. Runs of earlier instances were not ended by the death of
   * a process.
   */
  workers: string[]
  /**
   * The running job during which a process has died before. This process runs only one such job at a time. Otherwise
   * the next death of the process would count against several of them.
   */
  suspect: string | null
  /** Returns a function that unregisters the run. */
  track(run: Run, stop: AbortController): () => void
}

/**
 * Runs a job that the queue offers, if it still has to run, and records the result, with retries while PostgreSQL is
 * unreachable. Returns when the entry is obsolete. Throws if the queue must offer it again.
 */
export async function runJob(deps: JobDeps, job: Job, jobId: string, runs: Runs): Promise<void> {
  const { db } = deps
  const run: Run = { jobId, runId: newId(), worker: runs.workers.at(-1) ?? '' }
  const log = deps.services.log.child({ job: job.name, jobId })
  const stop = new AbortController()
  let culprit: string | undefined
  const services = { ...deps.services, log }
  function contextOf<Handle extends Db>(
    row: ClaimedJob,
    db: Handle,
  ): Omit<JobContext<unknown, Handle>, 'progress'> {
    const actor = jobActor(row)
    const { whenRequesterLeft } = job
    const otherwise = whenRequesterLeft === 'fail' ? undefined : whenRequesterLeft
    const caller = onBehalf(actor, accountOf(actor), otherwise)
    return {
      payload: job.payload.parse(row.payload),
      db,
      connect: deps.connect,
      async eachSpace(work) {
        if (row.space_id !== null) throw new TypeError('a job of a space works in this space only')
        const errors: unknown[] = []
        for (const id of await listSpaceIds(deps.db)) {
          stop.signal.throwIfAborted()
          try {
            await work(spaceHandle(deps.pool, spaceScope(id)), spaceScope(id))
          } catch (error) {
            // One space must not keep the job from all later spaces.
            if (stop.signal.aborted || isConnectionLost(error)) throw error
            log.warn({ err: error, spaceId: id }, 'The job failed in a space and continues with the next one')
            errors.push(error)
          }
        }
        if (errors.length > 0) throw errors[0]
      },
      scope: row.space_id === null ? null : spaceScope(row.space_id),
      actor,
      caller,
      execute:
        row.space_id === null
          ? () => Promise.reject(new TypeError('a job of the installation executes no operations'))
          : contractCalls({ db, services }, deps.operations ?? [], caller, stop.signal),
      services,
      signal: stop.signal,
      at: (what) => {
        culprit = what
      },
    }
  }

  /** null: the job must not run now. */
  async function begin(): Promise<ClaimedJob | null> {
    const claimed = await claim(db, run, runs.workers)
    if (claimed.kind === 'busy') throw new JobBusy('Another process is at this job')
    if (claimed.kind === 'over') return null
    const { job: row } = claimed
    if (row.cancel_requested || row.space_deleted) {
      await finish(db, run, 'cancelled')
      return null
    }
    if (isSetAside(row)) {
      log.error(
        'The process ended twice while it ran this job. The job is not retried until a user retries it',
      )
      if (await setAside(db, run, interrupted)) await recordFailure(db, row, interrupted.code)
      return null
    }
    if (row.interruptions > 0 && runs.suspect !== null) {
      await putBack(db, run, aloneAfter)
      return null
    }
    return row
  }

  async function end(handle: Db, row: ClaimedJob): Promise<void> {
    const isOwn = job.isListed ? await finish(handle, run, 'done') : await remove(handle, run)
    if (!isOwn) throw new JobStopped('lost')
    if (job.audit === 'all') await writeEnd(handle, row, 'done')
  }

  async function recordFailure(handle: Db, row: ClaimedJob, code: JobError['code']): Promise<void> {
    await writeEnd(handle, row, code)
    if (row.space_id === null) return
    await deps.onFailed?.(handle, spaceScope(row.space_id), { id: row.id, name: row.name, code })
  }

  /** Records in the audit log of the job's space how the job ended. Jobs without a space leave no entry. */
  async function writeEnd(handle: Db, row: ClaimedJob, outcome: string): Promise<void> {
    if (row.space_id === null) return
    const actor = jobActor(row)
    await writeAudit(handle, spaceScope(row.space_id), {
      act: 'job.run',
      outcome,
      actor,
      object: { kind: 'job', id: actor.id, name: actor.name },
      details: {},
    })
  }

  async function fail(handle: Db, row: ClaimedJob, error: unknown): Promise<void> {
    const reason = stop.signal.aborted
      ? (stop.signal.reason as JobStopped).reason
      : error instanceof JobStopped
        ? error.reason
        : null
    if (reason === 'lost') {
      log.warn('The job was taken over by another process')
      return forgiveInterruption(handle, run)
    }
    if (reason === 'cancelled') return void (await finish(handle, run, 'cancelled'))
    if (reason === 'shutdown') return putBack(handle, run, 0)
    const verdict = judge(row, job.retries, error, culprit)
    if (verdict.kind === 'outage') {
      log.warn({ err: error }, 'PostgreSQL was unavailable while the job ran')
      return putBack(handle, run, verdict.delay, { outage: true })
    }
    const isOver = verdict.kind !== 'retry'
    // A refusal, such as a missing right, is not an error of this server.
    const isRefusal = error instanceof AppError && error.status < 500
    log[isOver && !isRefusal ? 'error' : 'warn']({ err: error, failures: row.failures + 1 }, 'The job failed')
    if ((await writeFailure(handle, run, verdict)) && isOver)
      await recordFailure(handle, row, verdict.error.code)
  }

  /** Runs `outcome` in one transaction, with retries until PostgreSQL is reachable. A shutdown ends the retries. */
  async function write(outcome: (handle: Db) => Promise<void>): Promise<void> {
    for (let wait = writeAgainAfter.first; ; wait = Math.min(2 * wait, writeAgainAfter.most))
      try {
        return await inTransaction(db, outcome)
      } catch (error) {
        const { reason } = stop.signal
        if (!isConnectionLost(error) || (reason as JobStopped | undefined)?.reason === 'shutdown') throw error
        await sleep(wait)
      }
  }

  async function handle(row: ClaimedJob): Promise<void> {
    const scope = row.space_id === null ? null : spaceScope(row.space_id)
    const own = scope === null && job.acrossSpaces !== null ? db : spaceHandle(deps.pool, scope)
    if (job.atomic)
      return inTransaction(own, async (tx) => {
        const progress = async () => stop.signal.throwIfAborted()
        await job.handler({ ...contextOf(row, tx), progress })
        await end(tx, row)
      })
    const progress = progressOf(db, run, stop.signal)
    await job.handler({ ...contextOf(row, own), progress: progress.report })
    await progress.flush()
    // A handler that returns early because it must stop has not finished the job.
    stop.signal.throwIfAborted()
    await write((tx) => end(tx, row))
  }

  const row = await begin()
  if (!row) return
  if (row.interruptions > 0) runs.suspect = jobId
  const untrack = runs.track(run, stop)
  try {
    await handle(row).catch((error: unknown) => write((tx) => fail(tx, row, error)))
  } finally {
    untrack()
    if (runs.suspect === jobId) runs.suspect = null
  }
}

const jobActor = ({ id, name, requested_by }: ClaimedJob): JobActor => ({
  kind: 'job',
  id,
  name,
  ...(requested_by === null ? {} : { askedBy: requested_by }),
})

/** Returns `report`, which limits how often progress is written, and `flush`, which writes the last report. */
function progressOf(db: Db, run: Run, signal: AbortSignal) {
  let writtenAt = Number.NEGATIVE_INFINITY
  let pending: [number, number | null, JobUnit] | null = null
  async function flush(): Promise<void> {
    if (!pending) return
    const [done, total, unit] = pending
    pending = null
    writtenAt = performance.now()
    await writeProgress(db, run, done, total, unit)
  }
  async function report(done: number, total: number | null = null, unit: JobUnit = 'items'): Promise<void> {
    signal.throwIfAborted()
    pending = [done, total, unit]
    if (performance.now() - writtenAt >= progressEvery) await flush()
  }
  return { report, flush }
}
