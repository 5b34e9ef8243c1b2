import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Connection } from '#server/db/connection.ts'
import { hasState } from '#server/db/sql-states.ts'
import { StartupError } from '#server/lib/startup-error.ts'
import { type Cluster, prepareCluster } from './cluster.ts'
import {
  type Address,
  addressOf,
  type Launch,
  launch,
  readPidFile,
  removeStaleLock,
  shutDown,
} from './postmaster.ts'

export type EmbeddedPostgres = {
  /** Connection to the database `imori` as its owner `imori`, which is not a superuser. */
  connection: Connection
  /** Connection to the database `postgres` as the superuser, only for bootstrap and test helpers. */
  superuserConnection: Connection
  /** Stops using the server. The last process that uses it shuts it down and waits until it has exited. */
  stop(): Promise<void>
}

type Options = {
  dataDir: string
  log: (line: string) => void
  /** Folder in which root creates the database if PostgreSQL's user cannot access `dataDir`. */
  outside?: string
}

/**
 * Key of an advisory lock. Each Imori process holds the lock in shared mode while it uses the server. A process that
 * gets the lock exclusively may shut the server down.
 */
const inUse = 4_922_637_171

const startDeadline = 180_000

/** Delays after failed attempts to restart, in milliseconds. */
const restartAfter = { first: 250, most: 5_000 }

/**
 * Starts the bundled PostgreSQL on `dataDir`. Adopts a server that is still running there, because its Imori process
 * was killed or another process uses it. Restarts the server if it exits unexpectedly, with retries until it runs.
 * Throws a one-line `StartupError` if PostgreSQL cannot run on this machine.
 */
export async function startEmbeddedPostgres({
  dataDir,
  log,
  outside = '/var/lib/imori',
}: Options): Promise<EmbeddedPostgres> {
  const cluster = await prepareCluster(resolve(dataDir), outside, log)
  const address = await addressOf(cluster)
  const secret = cluster.password ? { password: cluster.password } : {}
  const superuserConnection = { ...address, ...secret, user: 'postgres', database: 'postgres' }
  const connection = { ...address, ...secret, user: 'imori', database: 'imori' }

  const stop = new AbortController()
  let recovery: Promise<void> | undefined
  let member = await enter(cluster, address, superuserConnection, log)
  const recover = async () => {
    log('PostgreSQL ended unexpectedly: starting it again')
    for (let wait = restartAfter.first; !stop.signal.aborted; wait = Math.min(2 * wait, restartAfter.most))
      try {
        member = await enter(cluster, address, superuserConnection, log, stop.signal)
        watch()
        return
      } catch (error) {
        if (stop.signal.aborted) return
        log(`PostgreSQL could not be started again. Imori keeps trying: ${(error as Error).message}`)
        await sleep(wait, undefined, stop).catch(() => {})
      }
  }
  const watch = () =>
    member.once('end', () => {
      if (!stop.signal.aborted) recovery = recover()
    })
  watch()
  await bootstrap(member, cluster.password)

  const leave = async () => {
    if (stop.signal.aborted) return
    stop.abort()
    await recovery
    if (await mayShutDown(member)) await shutDown(cluster)
    else log('PostgreSQL keeps running: another Imori uses it')
    await member.end().catch(() => {})
  }
  return { connection, superuserConnection, stop: leave }
}

/**
 * Connects and takes the shared lock. Starts the server if no server is running. Throws a `StartupError` if that takes
 * longer than `startDeadline`.
 */
async function enter(
  cluster: Cluster,
  address: Address,
  connection: Connection,
  log: (line: string) => void,
  signal?: AbortSignal,
): Promise<pg.Client> {
  const begun = performance.now()
  let started: (Launch & { output?: string }) | undefined
  let told = false
  while (performance.now() - begun < startDeadline) {
    signal?.throwIfAborted()
    const attempt = await tryEnter(connection)
    if (attempt instanceof pg.Client) return attempt
    if (attempt === 'down' && !started) {
      const launched: Launch & { output?: string } = await launch(cluster, address)
      launched.exited.then((output) => {
        launched.output = output
      })
      started = launched
    } else if (started?.output !== undefined) {
      await explainExit(started.output, cluster, address)
      started = undefined
    }
    if (!told && performance.now() - begun > 3_000) {
      told = true
      log('Waiting for PostgreSQL, which may be recovering from a crash')
    }
    await sleep(20)
  }
  throw new StartupError(`PostgreSQL does not respond; see ${cluster.data}/server.log`)
}

/**
 * Returns a connection that holds the shared lock. Otherwise returns `down` (no server is listening) or `wait` (the
 * server is not ready yet).
 */
async function tryEnter(connection: Connection): Promise<pg.Client | 'down' | 'wait'> {
  const client = new pg.Client({ ...connection, ssl: false, application_name: 'imori presence' })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT pg_advisory_lock_shared($1)', [inUse])
    return client
  } catch (error) {
    await client.end().catch(() => {})
    const { code = '', message } = error as { code?: string; message: string }
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'down'
    // 57P*: starting up, shutting down, or terminated by a shutdown. No code: the socket was closed.
    if (code.startsWith('57P') || /^E[A-Z]+$/.test(code) || !code) return 'wait'
    throw new StartupError(`The bundled PostgreSQL refuses the connection: ${message}`)
  }
}

/**
 * Messages in the shared log that are not the reason of this failure. The remaining processes of a crashed server write
 * them, and so does a server that another Imori is starting at the same time.
 */
const saidByOthers =
  /^(?:terminating connection due to unexpected postmaster exit|the database system is (?:starting up|shutting down|in recovery|not yet accepting))/

/** Returns if another attempt is worthwhile. Otherwise throws the reason as a `StartupError`. */
async function explainExit(output: string, cluster: Cluster, address: Address): Promise<void> {
  const reasons = [...output.matchAll(/(?:FATAL|PANIC|ERROR): *(.*)/g)]
    .map(([, reason = '']) => reason)
    .filter((reason) => !saidByOthers.test(reason))
  const reason = reasons[0] ?? output.trim().split('\n').at(-1) ?? ''
  // After a crash of the postmaster alone, its other processes need a moment to exit.
  if (/shared memory block .* still in use|unexpected postmaster exit/.test(reason))
    return void (await sleep(200))
  if (!/lock file .* already exists/.test(reason))
    throw new StartupError(`PostgreSQL could not start (${reason}); see ${cluster.data}/server.log`)
  if (await removeStaleLock(cluster.data, address)) return
  // Another Imori started first. Its server will respond soon, or its lock file will disappear.
  for (let i = 0; i < 100; i++) {
    await sleep(100)
    if (!(await readPidFile(cluster.data))) return
    const client = await tryEnter({ ...address, user: 'postgres', database: 'postgres' })
    if (client instanceof pg.Client) {
      await client.end()
      return
    }
  }
  throw new StartupError(
    `Another PostgreSQL uses ${cluster.data} but does not respond: end it, then start Imori again`,
  )
}

async function bootstrap(client: pg.Client, password: string | undefined): Promise<void> {
  const missing = async (sql: string) => (await client.query(sql)).rowCount === 0
  const login = password ? ` PASSWORD '${password}'` : ''
  const create = (sql: string) =>
    client.query(sql).catch((error: unknown) => {
      // Another process has just created it.
      if (!hasState(error, 'duplicateObject', 'duplicateDatabase', 'uniqueViolation')) throw error
    })
  if (await missing(`SELECT FROM pg_roles WHERE rolname = 'imori'`))
    await create(`CREATE ROLE imori LOGIN CREATEROLE${login}`)
  if (await missing(`SELECT FROM pg_database WHERE datname = 'imori'`))
    await create('CREATE DATABASE imori OWNER imori')
}

async function mayShutDown(member: pg.Client): Promise<boolean> {
  try {
    await member.query('SELECT pg_advisory_unlock_shared($1)', [inUse])
    const { rows } = await member.query<{ alone: boolean }>('SELECT pg_try_advisory_lock($1) AS alone', [
      inUse,
    ])
    return rows[0]?.alone ?? true
  } catch {
    // The connection is closed, so the server is down or already stopping. A second shutdown is harmless.
    return true
  }
}
