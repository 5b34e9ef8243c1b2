import { type Selectable, sql } from 'kysely'
import type { Db } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import type { JobTable } from '#server/db/tables.ts'
import type { JobError, JobUnit } from '#shared/contract/jobs.ts'
import type { Verdict } from './verdict.ts'

/** A run of a job. Only the run recorded in the job's row may write how the job ended. */
export interface Run {
  jobId: string
  runId: string
  /** The worker id of the queue instance. The instance's advisory lock shows that the run is alive. */
  worker: string
}

const claimedColumns = [
  'id',
  'space_id',
  'name',
  'payload',
  'failures',
  'max_attempts',
  'cancel_requested',
  'requested_by',
  'failure',
  'repeats',
  'interruptions',
  'outages',
] as const satisfies (keyof JobTable)[]

export type ClaimedJob = Pick<Selectable<JobTable>, (typeof claimedColumns)[number]> & {
  space_deleted: boolean
}

export type Claim =
  | { kind: 'claimed'; job: ClaimedJob }
  /** The job has ended, is not due or was deleted. The queue entry is obsolete. */
  | { kind: 'over' }
  /** A living process is running the job. */
  | { kind: 'busy' }

/**
 * Claims the job for this run. Also takes over a job whose process has died, and a job that this worker left unfinished
 * (the queue offers a job to one worker at a time). `formerWorkers`: the queue instances of this process, including the
 * current one. Their runs were not interrupted by the death of a process. The claim commits asynchronously. If a crash
 * of PostgreSQL loses it, the job is claimed again.
 */
export async function claim(db: Db, run: Run, formerWorkers: readonly string[]): Promise<Claim> {
  const isInterrupted = sql<boolean>`(state = 'running' AND worker <> ALL (${formerWorkers}::text[]))`
  const job = await db
    .updateTable('job')
    .set({
      state: 'running',
      worker: run.worker,
      run: run.runId,
      key: null,
      done: null,
      total: null,
      started_at: sql`clock_timestamp()`,
      finished_at: null,
      interruptions: sql`CASE WHEN NOT ${isInterrupted} THEN interruptions
        WHEN done > reached THEN 1 ELSE interruptions + 1 END`,
      reached: sql`CASE WHEN ${isInterrupted} THEN greatest(reached, done) ELSE reached END`,
    })
    .where('id', '=', run.jobId)
    .where(
      sql<boolean>`CASE state WHEN 'waiting' THEN run_at <= clock_timestamp()
        WHEN 'running' THEN worker = ${run.worker} OR NOT is_worker_alive(worker) ELSE false END`,
    )
    .where(sql<boolean>`set_config('synchronous_commit', 'off', true) IS NOT NULL`)
    .returning(claimedColumns)
    .returning(
      sql<boolean>`EXISTS (SELECT FROM space WHERE id = job.space_id AND deleted_at IS NOT NULL)`.as(
        'space_deleted',
      ),
    )
    .executeTakeFirst()
  if (job) return { kind: 'claimed', job }
  const row = await db.selectFrom('job').select('state').where('id', '=', run.jobId).executeTakeFirst()
  return { kind: row?.state === 'running' ? 'busy' : 'over' }
}

function ownRun(db: Db, { jobId, runId }: Run) {
  return db.updateTable('job').where('id', '=', jobId).where('run', '=', runId).where('state', '=', 'running')
}

const ended = { finished_at: sql<Date>`clock_timestamp()` }

/** Ends a run that did not fail. Returns false if the row no longer belongs to this run; nothing is changed then. */
export async function finish(db: Db, run: Run, state: 'done' | 'cancelled'): Promise<boolean> {
  const { numUpdatedRows } = await ownRun(db, run)
    .set({ state, error: null, ...ended })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes the row of a run that succeeded. Returns false if the row no longer belongs to this run. */
export async function remove(db: Db, { jobId, runId }: Run): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('job')
    .where('id', '=', jobId)
    .where('run', '=', runId)
    .where('state', '=', 'running')
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/**
 * Records a failed run, and whether the job waits for its next run or has ended. Returns false if the row no longer
 * belongs to this run.
 */
export async function writeFailure(
  db: Db,
  run: Run,
  verdict: Exclude<Verdict, { kind: 'outage' }>,
): Promise<boolean> {
  const { kind, error, failure, repeats, delay } = verdict
  const { numUpdatedRows } = await ownRun(db, run)
    .set({
      error: storedJson(error),
      failures: sql`failures + 1`,
      failure,
      repeats,
      ...(kind === 'retry' ? waiting(delay) : { state: kind, ...ended }),
    })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Stops a job during which the process has died too often (`isSetAside`). Returns false if the row no longer belongs to
 * this run.
 */
export async function setAside(db: Db, run: Run, error: JobError): Promise<boolean> {
  const { numUpdatedRows } = await ownRun(db, run)
    .set({ state: 'stopped', error: storedJson(error), ...ended })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

const waiting = (delayMs: number) =>
  ({
    state: 'waiting',
    run_at: sql<Date>`clock_timestamp() + make_interval(secs => ${delayMs / 1000})`,
  }) as const

/**
 * Sets a job back to `waiting` without counting a failure. It is due again after `delayMs`. `outage`: PostgreSQL was
 * unreachable.
 */
export async function putBack(db: Db, run: Run, delayMs: number, { outage = false } = {}): Promise<void> {
  await ownRun(db, run)
    .set({ ...waiting(delayMs), ...(outage ? { outages: sql`outages + 1` } : {}) })
    .execute()
}

/**
 * Undoes the counted interruption of a job that another run has taken over. The process of this run is alive, and was
 * assumed dead while it had no connection.
 */
export async function forgiveInterruption(db: Db, { jobId, runId }: Run): Promise<void> {
  await db
    .updateTable('job')
    .set({ interruptions: sql`interruptions - 1` })
    .where('id', '=', jobId)
    .where('run', '<>', runId)
    .where('state', '=', 'running')
    .where('interruptions', '>', 0)
    .execute()
}

export async function writeProgress(
  db: Db,
  run: Run,
  done: number,
  total: number | null,
  unit: JobUnit,
): Promise<void> {
  await ownRun(db, run).set({ done, total, unit }).execute()
}

/** Returns the runs that must stop, with the reason: cancelled, or no longer the running run of the job (`lost`). */
export async function findStopped(
  db: Db,
  runs: Run[],
): Promise<{ runId: string; reason: 'cancelled' | 'lost' }[]> {
  const rows = await db
    .selectFrom('job')
    .select(['id', 'run', 'state', 'cancel_requested'])
    .where(
      'id',
      'in',
      runs.map((run) => run.jobId),
    )
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return runs.flatMap(({ jobId, runId }): { runId: string; reason: 'cancelled' | 'lost' }[] => {
    const row = byId.get(jobId)
    if (row?.run !== runId || row.state !== 'running') return [{ runId, reason: 'lost' }]
    return row.cancel_requested ? [{ runId, reason: 'cancelled' }] : []
  })
}

/** Returns the ids of all spaces, including deleted ones. */
export async function listSpaceIds(db: Db): Promise<number[]> {
  const rows = await db.selectFrom('space').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}
