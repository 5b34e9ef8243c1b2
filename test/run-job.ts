import { sql } from 'kysely'
import { pino } from 'pino'
import { enqueue } from '#server/jobs/enqueue.ts'
import type { Job } from '#server/jobs/job.ts'
import { runJob } from '#server/jobs/run-job.ts'
import type { TestInstallation } from './server.ts'

/** Runs the job that has this `_id` as a worker does, now; answers its row afterwards. */
export async function runNow({ deps, database }: TestInstallation, job: Job, jobId: string) {
  const db = database.kysely
  const log = pino({ level: 'silent' })
  // One that waits for another try need not wait here.
  await db.updateTable('job').set({ run_at: sql`now()` }).where('id', '=', jobId).execute()
  await runJob({ ...deps, db, log }, job, { jobId, timesTaken: 1 }, 'test', () => () => {})
  return db.selectFrom('job').selectAll().where('id', '=', jobId).executeTakeFirstOrThrow()
}

/** Asks for a job of the installation and runs it. */
export async function runOnce(installation: TestInstallation, job: Job) {
  return runNow(installation, job, await enqueue(installation.database.kysely, job, {}))
}
