import { pino } from 'pino'
import { enqueue } from '#server/jobs/enqueue.ts'
import type { Job } from '#server/jobs/job.ts'
import { runJob } from '#server/jobs/run-job.ts'
import type { TestInstallation } from './server.ts'

/** Runs a job as a worker does, now; answers the state it came to. */
export async function runNow(
  { deps, database }: TestInstallation,
  job: Job,
  payload: unknown = {},
): Promise<string> {
  const db = database.kysely
  const { config, secrets, storages } = deps
  const jobId = await enqueue(db, job, payload)
  const log = pino({ level: 'silent' })
  await runJob({ db, config, secrets, storages, log }, job, { jobId, timesTaken: 1 }, 'test', () => () => {})
  const { state } = await db
    .selectFrom('job')
    .select('state')
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow()
  return state
}
