import { parseArgs } from 'node:util'
import { loadConfig } from './config.ts'
import { type Connection, openDatabase } from './db/connection.ts'
import { startEmbeddedPostgres } from './db/embedded-postgres/start.ts'
import { migrate } from './db/migrate.ts'
import { migrateQueue } from './jobs/queue-schema.ts'
import { StartupError } from './lib/startup-error.ts'
import { openServices } from './open-services.ts'
import { loadSecrets } from './secrets.ts'
import { buildServer, buildWorker } from './server.ts'

/** Time in seconds in which pending requests can finish after a stop signal. */
const drainSeconds = 25

/**
 * Under `npm start`, one Ctrl-C arrives twice: from the terminal and from npm. Signals within this time count as one.
 */
const sameSignalMs = 500

/** Functions that close the opened resources, called in reverse order. */
const closers: (() => Promise<unknown>)[] = []
let stopping: { since: number; done: Promise<never> } | undefined

/** The option `--role` overrides IMORI_ROLE. Throws a `StartupError` for unknown options. */
function environment(): NodeJS.ProcessEnv {
  try {
    const { values } = parseArgs({ options: { role: { type: 'string' } } })
    return values.role === undefined ? process.env : { ...process.env, IMORI_ROLE: values.role }
  } catch (error) {
    throw new StartupError((error as Error).message)
  }
}

async function start(): Promise<void> {
  const config = loadConfig(environment())
  const secrets = await loadSecrets(config)
  let connection: string | Connection | undefined = config.databaseUrl
  if (!connection) {
    const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log: console.warn })
    closers.push(postgres.stop)
    connection = postgres.connection
  }
  const database = await openDatabase(connection, undefined, config.connections)
  closers.push(database.close)
  await migrate(database)
  await migrateQueue(database)
  const { services, close } = openServices({ config, secrets, database })
  closers.push(close)
  const deps = { database, services }
  /** Functions that stop the server and the worker, called in parallel. */
  const ends: (() => Promise<unknown>)[] = []
  closers.push(async () => {
    const results = await Promise.allSettled(ends.map((end) => end()))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  })
  if (config.role !== 'web') {
    const worker = buildWorker(deps)
    ends.push(() => worker.close())
  }
  if (config.role === 'worker') {
    console.log('Imori is ready: running jobs')
    return
  }
  const server = await buildServer(deps)
  ends.push(async () => {
    const cut = setTimeout(() => server.server.closeAllConnections(), drainSeconds * 1000)
    await server.close()
    clearTimeout(cut)
  })
  if (stopping) return
  const address = { host: config.host, port: config.port, listenTextResolver: () => 'Listening' }
  // Fastify logs the listening address at level info. The message below replaces it.
  if (config.logLevel === 'info') server.log.level = 'warn'
  await server.listen(address).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      throw new StartupError(`Port ${config.port} is in use. Set IMORI_PORT to another port`)
    if (error.code === 'EACCES')
      throw new StartupError(
        `This user is not allowed to open port ${config.port}. Set IMORI_PORT to another port`,
      )
    if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
      throw new StartupError(
        `${config.host} is not an address of this machine. Set IMORI_HOST to one of its addresses`,
      )
    throw error
  })
  server.log.level = config.logLevel
  console.log(`Imori is ready: ${config.url}`)
}

/**
 * Stops the server and the worker, closes the services and pools, then stops the embedded PostgreSQL, and exits.
 * Pending requests have `drainSeconds` to finish.
 */
function stop(exitCode: number): Promise<never> {
  stopping ??= { since: performance.now(), done: close(exitCode) }
  return stopping.done
}

async function close(exitCode: number): Promise<never> {
  await startup.catch(() => {})
  for (const closer of closers.reverse())
    await closer().catch((error: unknown) => {
      console.error(error)
      exitCode ||= 1
    })
  process.exit(exitCode)
}

function fail(error: unknown): Promise<never> {
  console.error(error instanceof StartupError ? `Imori cannot start: ${error.message}` : error)
  return stop(1)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (!stopping) void stop(0)
    else if (performance.now() - stopping.since > sameSignalMs) process.exit(1)
  })
process.on('unhandledRejection', fail)
process.on('uncaughtException', fail)
// A closed terminal or `| head` must not end the server.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const startup = start()
await startup.catch(fail)
