import { sql } from 'kysely'
import { connectLike } from '#server/db/connection.ts'
import { operations } from '#server/features/index.ts'
import { mailFailure } from '#server/features/jobs/failure-mail.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import type { Job } from '#server/jobs/job.ts'
import { type JobDeps, runJob } from '#server/jobs/run-job.ts'
import { sendBulkMailJob, sendMailJob } from '#server/mailing/send-mail.ts'
import type { TestInstallation } from './server.ts'

/** Enqueues a job and runs it immediately, as a worker would. Returns its final state. */
export async function runNow(
  installation: TestInstallation,
  job: Job,
  payload: unknown = {},
): Promise<string> {
  const jobId = await enqueue(installation.database.kysely, job, payload)
  const { state } = await runQueued(installation, job, jobId)
  return state
}

/** Runs the queued job with this `_id` immediately. Returns its row afterwards. */
export async function runQueued(installation: TestInstallation, job: Job, jobId: string) {
  await run(installation, job, jobId)
  const { kysely } = installation.database
  return kysely.selectFrom('job').selectAll().where('id', '=', jobId).executeTakeFirstOrThrow()
}

async function run({ deps, database }: TestInstallation, job: Job, jobId: string): Promise<void> {
  const db = database.kysely
  // The delay of a retry is skipped.
  await db.updateTable('job').set({ run_at: sql`now()` }).where('id', '=', jobId).execute()
  const connect = (application: string) => connectLike(database.jobsPool, application)
  const { services } = deps
  const onFailed: JobDeps['onFailed'] = (tx, scope, failure) => mailFailure(tx, services, scope, failure)
  const runs = { workers: ['test'], suspect: null, track: () => () => {} }
  await runJob({ db, pool: database.jobsPool, connect, services, operations, onFailed }, job, jobId, runs)
}

/** Runs all waiting jobs of this kind. */
export async function runWaiting(installation: TestInstallation, job: Job): Promise<void> {
  const waiting = await installation.database.kysely
    .selectFrom('job')
    .select('id')
    .where('name', '=', job.name)
    .where('state', '=', 'waiting')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  for (const { id } of waiting) await run(installation, job, id)
}

/** Sends the queued mails. */
export async function sendMails(installation: TestInstallation): Promise<void> {
  for (const job of [sendMailJob, sendBulkMailJob]) await runWaiting(installation, job)
}
