import { pino } from 'pino'
import { loadConfig } from '#server/config.ts'
import { openDatabase } from '#server/db/connection.ts'
import { moveFilesJob } from '#server/features/assets/moving.service.ts'
import { startWorker } from '#server/jobs/runner.ts'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import { loadSecrets } from '#server/secrets.ts'
import { openStorages } from '#server/storage/index.ts'

/* A worker as a process of its own that moves files, to be killed. Takes a database connection as JSON, settings as IMORI_*. */

const database = await openDatabase(JSON.parse(process.argv[2] ?? ''), () => {})
const config = loadConfig()
const secrets = await loadSecrets(config)
startWorker({
  jobsPool: database.jobsPool,
  config,
  secrets,
  storages: openStorages({ config, secrets, database }),
  outgoing: createOutgoingHttp(),
  log: pino({ level: 'silent' }),
  jobs: [moveFilesJob],
  schedules: [],
  subscribers: [],
})
