import { z } from 'zod'
import { loadConfig } from '#server/config.ts'
import { type Database, openDatabase } from '#server/db/connection.ts'
import { defineAtomicJob, defineJob, type Job } from '#server/jobs/job.ts'
import { startWorker, type Worker } from '#server/jobs/runner.ts'
import { openServices } from '#server/open-services.ts'

/*
 * Runs a worker in a separate process, so that tests can kill it. Takes a database connection as JSON. The jobs insert
 * into the table `effect`, which the test creates. With the argument `features`, the worker runs the jobs of Imori
 * instead.
 */

const payload = z.object({ n: z.int() })

export const effectTable = 'CREATE TABLE effect (job_id text NOT NULL, kind text NOT NULL)'

/** Runs exactly once: the row and the completion are written in one transaction. */
export const atomicEffect = defineAtomicJob({
  name: 'test.atomic',
  payload,
  handler: async ({ db, actor }) => {
    await db
      .insertInto('effect' as never)
      .values({ job_id: actor.id, kind: 'atomic' } as never)
      .execute()
  },
})

/** Runs at least once. */
export const repeatableEffect = defineJob({
  name: 'test.repeatable',
  payload,
  handler: async ({ db, actor }) => {
    await db
      .insertInto('effect' as never)
      .values({ job_id: actor.id, kind: 'repeatable' } as never)
      .execute()
  },
})

/** Starts a worker with these two jobs. `atOnce`: number of concurrent jobs, as in IMORI_JOBS. */
export const runEffects = (database: Database, atOnce: string) =>
  runJobs(database, atOnce, [atomicEffect, repeatableEffect])

function runJobs(database: Database, atOnce: string, jobs: readonly Job[]): Worker {
  const config = loadConfig({ IMORI_JOBS: atOnce, IMORI_LOG_LEVEL: 'silent' })
  const secrets = { sessionKey: 'x'.repeat(32), encryptionKeys: [] }
  return startWorker({
    jobsPool: database.jobsPool,
    services: openServices({ config, secrets, database }).services,
    jobs,
    cronJobs: [],
    eventConsumers: [],
  })
}

if (process.argv[1]?.endsWith('jobs-worker.ts') && process.argv[2]) {
  const database = await openDatabase(JSON.parse(process.argv[2]), () => {})
  const atOnce = process.env.IMORI_JOBS ?? '4'
  if (process.argv[3] === 'features')
    runJobs(database, atOnce, (await import('#server/features/index.ts')).jobs)
  else runEffects(database, atOnce)
}
