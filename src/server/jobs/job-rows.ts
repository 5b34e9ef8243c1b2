import { type Selectable, sql } from 'kysely'
import type { Db } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import type { JobTable } from '#server/db/tables.ts'
import type { JobError, JobUnit } from '#shared/contract/jobs.ts'
import type { Verdict } from './verdict.ts'

/** One run of a job; only the run that is written in the row may say how the job ended. */
export interface Run {
  jobId: string
  runId: string
  /** The life of the queue it runs in, whose lock tells that the run is alive. */
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

/** What the queue's entry has found. */
export type Claim =
  | { kind: 'claimed'; job: ClaimedJob }
  /** Done, cancelled, not due under this entry, or gone: the entry has served. */
  | { kind: 'over' }
  /** A living process is at it. */
  | { kind: 'busy' }

/**
 * Makes the job this run's. A job whose process has died is taken over, and one that this process left unfinished (it
 * gets an entry of the queue once at a time). `formerWorkers`: earlier lives of this process's queue; a run of theirs was
 * interrupted, but not by the end of a process. Whether the claim outlives a crash of PostgreSQL does not matter: what is lost is claimed again.
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

/** How a run ends that did not fail. False: the row is no longer this run's, and nothing was changed. */
export async function finish(db: Db, run: Run, state: 'done' | 'cancelled'): Promise<boolean> {
  const { numUpdatedRows } = await ownRun(db, run)
    .set({ state, error: null, ...ended })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Writes that the run failed, and what becomes of the job: it waits for its next run, or has ended. False as {@link finish}. */
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

/** Ends a job whose process has ended under it as often as it may. */
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

/** Lets a job that did not fail wait for its next run. `outage`: PostgreSQL was away. */
export async function putBack(db: Db, run: Run, delayMs: number, { outage = false } = {}): Promise<void> {
  await ownRun(db, run)
    .set({ ...waiting(delayMs), ...(outage ? { outages: sql`outages + 1` } : {}) })
    .execute()
}

/** Takes back that a run counts as interrupted: its process lives, and was taken for dead while it had no connection. */
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

/** Says how far the run has come. */
export async function writeProgress(
  db: Db,
  run: Run,
  done: number,
  total: number | null,
  unit: JobUnit,
): Promise<void> {
  await ownRun(db, run).set({ done, total, unit }).execute()
}

/** Which of these runs are to stop, and why: they were cancelled, or somebody else has the job now. */
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
