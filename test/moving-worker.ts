import { loadConfig } from '#server/config.ts'
import { openDatabase } from '#server/db/connection.ts'
import { moveFilesJob } from '#server/features/assets/moving.service.ts'
import { startWorker } from '#server/jobs/runner.ts'
import { openServices } from '#server/open-services.ts'
import { loadSecrets } from '#server/secrets.ts'

/*
 * Runs a worker that moves files, in a separate process so that tests can kill it. Takes a database connection as JSON,
 * and settings as IMORI_*.
 */

const database = await openDatabase(JSON.parse(process.argv[2] ?? ''), () => {})
const config = loadConfig({ ...process.env, IMORI_LOG_LEVEL: 'silent' })
const secrets = await loadSecrets(config)
startWorker({
  jobsPool: database.jobsPool,
  services: openServices({ config, secrets, database }).services,
  jobs: [moveFilesJob],
  cronJobs: [],
  eventConsumers: [],
})
