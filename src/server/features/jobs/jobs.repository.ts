import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { JobTable } from '#server/db/tables.ts'
import { type JobError, type JobProgress, type JobState, jobStates } from '#shared/contract/jobs.ts'

export interface JobRow {
  id: string
  name: string
  state: JobState
  progress: JobProgress | null
  secondsLeft: number | null
  cancelRequested: boolean
  failures: number
  error: JobError | null
  createdAt: Date
  runAt: Date
  startedAt: Date | null
  finishedAt: Date | null
  requestedBy: { id: string; name: string } | null
}
export interface InstallationJobRow extends JobRow {
  space: { uid: string; name: string } | null
}

interface Page {
  /** Names of jobs that are shown only after a failure. */
  unlisted: readonly string[]
  state?: JobState | undefined
  skip: number
  limit: number
}

/** SQL: estimated seconds until a running job is done, at its average speed so far. null: unknown. */
export const secondsLeft = sql<
  number | null
>`CASE WHEN job.state = 'running' AND job.done > 0 AND job.total >= job.done THEN
  least(ceil(extract(epoch FROM clock_timestamp() - job.started_at) * (job.total - job.done) / job.done), 2e9)::int END`

function selectJobs(db: Db) {
  return db
    .selectFrom('job')
    .leftJoin('account', 'account.id', 'job.requested_by')
    .select(['job.id', 'job.name', 'job.state', 'job.done', 'job.total', 'job.unit'])
    .select([
      'job.cancel_requested',
      'job.failures',
      'job.error',
      'job.created_at',
      'job.run_at',
      'job.started_at',
      'job.finished_at',
    ])
    .select([
      'account.id as account_id',
      sql<string | null>`coalesce(nullif(account.name, ''), account.email)`.as('account_name'),
    ])
    .select(secondsLeft.as('seconds_left'))
}

/** Returns the progress of a job as shown to users. null: no progress is known. */
export const progressOf = ({
  done,
  total,
  unit,
}: Pick<Selectable<JobTable>, 'done' | 'total' | 'unit'>): JobProgress | null =>
  done === null ? null : { done, total, unit: unit ?? 'items' }

type Selected = Awaited<ReturnType<ReturnType<typeof selectJobs>['executeTakeFirstOrThrow']>>

function toRow(row: Selected): JobRow {
  return {
    id: row.id,
    name: row.name,
    state: row.state,
    progress: progressOf(row),
    secondsLeft: row.seconds_left,
    cancelRequested: row.cancel_requested,
    failures: row.failures,
    error: row.error,
    createdAt: row.created_at,
    runAt: row.run_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    requestedBy: row.account_id === null ? null : { id: row.account_id, name: row.account_name ?? '' },
  }
}

/** Total number of jobs matching the query, and the numbers by state regardless of the requested state. */
interface Counted {
  total: number
  counts: Record<JobState, number>
}

async function countByState(db: Db, which: RawBuilder<SqlBool>): Promise<Counted['counts']> {
  const counted = await db
    .selectFrom('job')
    .select(['state', sql<number>`count(*)`.as('count')])
    .where(which)
    .groupBy('state')
    .execute()
  const counts = Object.fromEntries(jobStates.map((name) => [name, 0])) as Counted['counts']
  for (const row of counted) counts[row.state] = row.count
  return counts
}

const totalOf = (counts: Counted['counts'], state: JobState | undefined): number =>
  state ? counts[state] : Object.values(counts).reduce((sum, count) => sum + count, 0)

/** Returns a condition for jobs that lists show: jobs with these names only after a failure. */
const isShown = (unlisted: readonly string[]) =>
  unlisted.length === 0
    ? sql<SqlBool>`true`
    : sql<SqlBool>`(job.failures > 0 OR job.interruptions > 0 OR job.name <> ALL (${unlisted}::text[]))`

/** Filter of a space's jobs. `requestedBy`: only jobs requested by this account; null: all jobs. */
interface Wanted {
  id?: string | undefined
  name?: string | undefined
  requestedBy: string | null
}

/** Returns the space's jobs, newest first, with their numbers by state. */
export async function listJobs(
  db: Db,
  { spaceId }: SpaceScope,
  { unlisted, state, skip, limit, id, name, requestedBy }: Page & Wanted,
): Promise<{ jobs: JobRow[] } & Counted> {
  const which = sql<SqlBool>`job.space_id = ${spaceId} AND ${isShown(unlisted)}
    ${id ? sql`AND job.id = ${id}` : sql``} ${name ? sql`AND job.name = ${name}` : sql``}
    ${requestedBy ? sql`AND job.requested_by = ${requestedBy}` : sql``}`
  let query = selectJobs(db).where(which)
  if (state) query = query.where('job.state', '=', state)
  const rows = await query
    .orderBy('job.created_at', 'desc')
    .orderBy('job.id', 'desc')
    .offset(skip)
    .limit(limit)
    .execute()
  const counts = await countByState(db, which)
  return { jobs: rows.map(toRow), total: totalOf(counts, state), counts }
}

/** Returns the payload of a job of the space. */
export async function findPayload(db: Db, { spaceId }: SpaceScope, id: string): Promise<unknown> {
  const row = await db
    .selectFrom('job')
    .select('payload')
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return row.payload
}

/** Cancels an unfinished job. A waiting job becomes `cancelled`. A running job only gets `cancel_requested`. */
export async function cancelJob(db: Db, id: string): Promise<void> {
  await db
    .updateTable('job')
    .set({
      cancel_requested: true,
      finished_at: sql`CASE WHEN state = 'waiting' THEN clock_timestamp() END`,
      state: sql`CASE WHEN state = 'waiting' THEN 'cancelled' ELSE state END`,
    })
    .where('id', '=', id)
    .where('state', 'in', ['waiting', 'running'])
    .execute()
}

function selectInstallationJobs(db: Db) {
  return selectJobs(db)
    .leftJoin('space', 'space.id', 'job.space_id')
    .select(['space.uid as space_uid', 'space.name as space_name'])
}

type SelectedOfInstallation = Awaited<
  ReturnType<ReturnType<typeof selectInstallationJobs>['executeTakeFirstOrThrow']>
>

const toInstallationRow = (row: SelectedOfInstallation): InstallationJobRow => ({
  ...toRow(row),
  space: row.space_uid === null ? null : { uid: row.space_uid, name: row.space_name ?? '' },
})

/** Returns the jobs of the installation and of every space. Only for the installation's admin. */
export async function listInstallationJobs(
  db: Db,
  { unlisted, state, skip, limit }: Page,
): Promise<{ jobs: InstallationJobRow[] } & Counted> {
  let query = selectInstallationJobs(db).where(isShown(unlisted))
  if (state) query = query.where('job.state', '=', state)
  const rows = await query
    .orderBy('job.created_at', 'desc')
    .orderBy('job.id', 'desc')
    .offset(skip)
    .limit(limit)
    .execute()
  const counts = await countByState(db, isShown(unlisted))
  return { jobs: rows.map(toInstallationRow), total: totalOf(counts, state), counts }
}

export async function findInstallationJob(db: Db, id: string): Promise<InstallationJobRow | undefined> {
  const row = await selectInstallationJobs(db).where('job.id', '=', id).executeTakeFirst()
  return row && toInstallationRow(row)
}

/**
 * Makes a waiting or unsuccessful job run as soon as possible, and resets its failure counts. If another job with the
 * same name and key waits, the job stays unchanged, because the other job does the same work. `requestedBy`: the new
 * requester. Without it, the requester stays.
 */
export async function retryJob(db: Db, id: string, requestedBy?: string | null): Promise<void> {
  await db
    .updateTable('job')
    .set({
      state: 'waiting',
      failures: 0,
      repeats: 0,
      interruptions: 0,
      outages: 0,
      cancel_requested: false,
      run_at: sql`clock_timestamp()`,
      finished_at: null,
      ...(requestedBy ? { requested_by: requestedBy } : {}),
    })
    .where('id', '=', id)
    .where('state', 'in', ['waiting', 'failed', 'stopped', 'cancelled'])
    .where(
      sql<SqlBool>`NOT EXISTS (SELECT FROM job AS other WHERE other.name = job.name AND other.key = job.key
        AND other.space_id IS NOT DISTINCT FROM job.space_id AND other.state = 'waiting' AND other.id <> job.id)`,
    )
    .execute()
}

/** Deletes up to 500 jobs that ended in these states more than `days` days ago. Returns their number. */
export async function deleteOldJobs(db: Db, states: JobState[], days: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('job')
    .where('id', 'in', (from) =>
      from
        .selectFrom('job')
        .select('id')
        .where('state', 'in', states)
        .where(sql<boolean>`finished_at < now() - make_interval(days => ${days})`)
        .limit(500),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
