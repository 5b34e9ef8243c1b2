import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { StartupError } from '#server/lib/startup-error.ts'
import { preparingClient } from './preparing-client.ts'
import type { Tables } from './tables.ts'

/** Connection settings for a PostgreSQL server. `host` may be the folder of a Unix socket. */
export type Connection = { host: string; port: number; user: string; database: string; password?: string }

/** Maximum number of connections per pool. Connections are opened on demand. */
export interface PoolSizes {
  management: number
  delivery: number
  jobs: number
}

/** Three pools, so that public reads, the management API and jobs cannot starve each other. */
export type Database = {
  /**
   * Management API, through Kysely or the pool: statements time out after 5 s. All pools return int8 as number,
   * timestamptz as Date and date as text.
   */
  kysely: Kysely<Tables>
  pool: pg.Pool
  /** Delivery: statements time out after 2 s. */
  deliveryPool: pg.Pool
  /** Jobs and their queue: statements time out after 60 s. */
  jobsPool: pg.Pool
  close(): Promise<void>
}

const int8 = 20
const date = 1082

/** Throws a `RangeError` instead of rounding. */
function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit a JavaScript number`)
  return value
}

/** Returns a day as text, because a `Date` would depend on the time zone of the process. */
const parseDate = (text: string) => text

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (oid === int8 && format !== 'binary') return parseInt8
    return oid === date && format !== 'binary' ? parseDate : pg.types.getTypeParser(oid, format)
  },
}

/**
 * Limit of the pending list of a GIN index on character pairs (migration 0057). Searches scan the pending list, and the
 * save that fills the list must flush it.
 */
const pendingPairs = '64kB'

const usualSizes: PoolSizes = { management: 10, delivery: 8, jobs: 10 }

/**
 * Opens the pools and checks the server. `connection` is a postgres:// URL or a `Connection`. `onError` receives errors
 * of idle connections that the server dropped; the pool replaces these connections. Throws a one-line `StartupError` if
 * the server does not respond, or has an unsupported version, encoding or durability setting.
 */
export async function openDatabase(
  connection: string | Connection,
  onError: (error: Error) => void = (error) => console.warn(`PostgreSQL connection lost: ${error.message}`),
  sizes: PoolSizes = usualSizes,
  /** Factor for the statement timeouts. */
  patience = 1,
): Promise<Database> {
  const open = (application: string, max: number, statementTimeout: number, Client = pg.Client) => {
    const pool = new pg.Pool({
      ...(typeof connection === 'string' ? { connectionString: connection } : { ...connection, ssl: false }),
      application_name: application,
      max,
      statement_timeout: statementTimeout * patience,
      idle_in_transaction_session_timeout: 30_000,
      connectionTimeoutMillis: 10_000,
      // With pages in memory or on flash storage, a random page costs as much as a sequential one. The setting also
      // stops PostgreSQL from sorting rows that an index already has in order (docs/decisions/0017).
      options: `-c jit=off -c random_page_cost=1 -c gin_pending_list_limit=${pendingPairs}`,
      types,
      Client,
    })
    // pg closes its connections slightly after the pool has ended. Their errors are irrelevant then.
    pool.on('error', (error) => pool.ending || onError(error))
    // If a checked-out connection breaks, its next statement fails. Without this listener, the process would end.
    pool.on('connect', (client) => client.on('error', () => {}))
    return pool
  }
  const pool = open('imori', sizes.management, 5_000, preparingClient())
  const deliveryPool = open('imori delivery', sizes.delivery, 2_000)
  const jobsPool = open('imori jobs', sizes.jobs, 60_000, preparingClient())
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  const close = async () => {
    await kysely.destroy()
    // Kysely ends its pool only if it ran a statement.
    await Promise.all([pool.ending || pool.end(), deliveryPool.end(), jobsPool.end()])
  }
  try {
    await checkServer(pool)
  } catch (error) {
    await Promise.all([pool.end(), deliveryPool.end(), jobsPool.end()])
    throw error
  }
  return { kysely, pool, deliveryPool, jobsPool, close }
}

/** Creates a client with the settings of a pool, outside any pool. The client is not connected yet. */
export function clientLike({ options }: pg.Pool, application: string): pg.Client {
  return new pg.Client({
    ...options,
    // not enumerable, so the spread does not copy it
    ...(options.password === undefined ? {} : { password: options.password }),
    application_name: application,
    keepAlive: true,
  })
}

/** Creates a client like {@link clientLike} and connects it. */
export async function connectLike(pool: pg.Pool, application: string): Promise<pg.Client> {
  const client = clientLike(pool, application)
  await client.connect()
  return client
}

async function checkServer(pool: pg.Pool): Promise<void> {
  const { rows } = await pool
    .query<Record<'version' | 'encoding' | 'fsync' | 'full_page_writes' | 'synchronous_commit', string>>(
      `SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding,
        current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
        current_setting('synchronous_commit') AS synchronous_commit`,
    )
    .catch((error: unknown) => {
      throw new StartupError(`Cannot reach PostgreSQL: ${reason(error)}`)
    })
  const server = rows[0]
  if (!server) throw new StartupError('Cannot reach PostgreSQL: its response is empty')
  if (Number(server.version) < 150_000)
    throw new StartupError(
      `PostgreSQL 15 or newer is required; this server has version ${Number(server.version) / 10_000}`,
    )
  if (server.encoding !== 'UTF8')
    throw new StartupError(`The encoding of the database must be UTF8; it is ${server.encoding}`)
  for (const name of ['fsync', 'full_page_writes', 'synchronous_commit'] as const)
    if (server[name] === 'off')
      throw new StartupError(`PostgreSQL runs with ${name}=off, which loses saved work: turn it on`)
}

/**
 * Returns the message of a connection failure. An `AggregateError` (several addresses were tried) has no message of its
 * own.
 */
function reason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
