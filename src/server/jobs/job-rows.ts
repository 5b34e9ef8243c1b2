import { type Selectable, sql } from 'kysely'
import type { Db } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import type { JobTable } from '#server/db/tables.ts'

/** One run of a job; only the run that is written in the row may say how the job ended. */
export interface Run {
  jobId: string
  runId: string
  /** The process (as the queue names it) whose lock tells that the run is alive. */
  worker: string
}

export type ClaimedJob = Pick<
  Selectable<JobTable>,
  'id' | 'space_id' | 'name' | 'payload' | 'failures' | 'max_attempts' | 'cancel_requested' | 'requested_by'
> & { space_deleted: boolean }

/** What the queue's entry has found. */
export type Claim =
  | { kind: 'claimed'; job: ClaimedJob }
  /** Done, cancelled, not due under this entry, or gone: the entry has served. */
  | { kind: 'over' }
  /** A living process is at it. */
  | { kind: 'busy' }

/**
 * Makes the job this run's. A job whose process has died is taken over, and one that this process left unfinished (it
 * gets an entry of the queue once at a time).
 */
export async function claim(db: Db, run: Run): Promise<Claim> {
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
    })
    .where('id', '=', run.jobId)
    .where(
      sql<boolean>`CASE state WHEN 'waiting' THEN run_at <= clock_timestamp()
        WHEN 'running' THEN worker = ${run.worker} OR NOT is_worker_alive(worker) ELSE false END`,
    )
    .returning([
      'id',
      'space_id',
      'name',
      'payload',
      'failures',
      'max_attempts',
      'cancel_requested',
      'requested_by',
    ])
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

/** How a run ends. False: the row is no longer this run's, and nothing was changed. */
export async function finish(
  db: Db,
  run: Run,
  outcome: { state: 'done' | 'cancelled' } | { state: 'failed'; error: { code: string; message: string } },
): Promise<boolean> {
  const failed = outcome.state === 'failed'
  const { numUpdatedRows } = await ownRun(db, run)
    .set({
      state: outcome.state,
      finished_at: sql`clock_timestamp()`,
      error: failed ? storedJson(outcome.error) : null,
      ...(failed ? { failures: sql`failures + 1` } : {}),
    })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Lets the job wait for its next run; `error` null: it did not fail, its process had to end. */
export async function putBack(
  db: Db,
  run: Run,
  error: { code: string; message: string } | null,
  delayMs: number,
): Promise<void> {
  await ownRun(db, run)
    .set({
      state: 'waiting',
      run_at: sql`clock_timestamp() + make_interval(secs => ${delayMs / 1000})`,
      ...(error ? { error: storedJson(error), failures: sql`failures + 1` } : {}),
    })
    .execute()
}

/** Says how far the run has come. */
export async function writeProgress(db: Db, run: Run, done: number, total: number | null): Promise<void> {
  await ownRun(db, run).set({ done, total }).execute()
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
