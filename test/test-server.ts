import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Connection } from '#server/db/connection.ts'
import { type TestServer, toClientConfig, withDatabase } from './database-names.ts'

/** The database of one test (or test file). `connection`: for `openDatabase`. */
export type TestDatabase = {
  connection: string | Connection
  /** Ends leftover connections and removes the database. */
  drop(): Promise<void>
}

const root = fileURLToPath(new URL('..', import.meta.url))

/** Starts `postgres-process.ts`, which also cleans up if this process ends without calling `stop`. */
export async function startTestServer(): Promise<{ server: TestServer; stop(): Promise<void> }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/postgres-process.ts'], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
    // Otherwise Ctrl-C would end PostgreSQL before the tests that use it. The process ends when its stdin closes.
    detached: true,
  })
  const lines = createInterface({ input: child.stdout })
  const exit = once(child, 'exit')
  const line = await Promise.race([once(lines, 'line'), exit.then(() => undefined)])
  if (!line) throw new Error('The test database did not start. The reason is shown above')
  return {
    server: JSON.parse(String(line[0])) as TestServer,
    stop: async () => {
      child.stdin.end()
      await exit
    },
  }
}

/**
 * Creates a migrated, empty database as a copy of the run's template, in well under a second. The files are copied
 * directly, which takes less than half the time of writing all pages to the WAL first.
 */
export const createDatabase = (server: TestServer): Promise<TestDatabase> =>
  copyDatabase(server, `TEMPLATE ${server.template} STRATEGY file_copy`)

/** Creates a database without any table. */
export const createEmptyDatabase = (server: TestServer): Promise<TestDatabase> =>
  copyDatabase(server, `ENCODING 'UTF8' TEMPLATE template0`)

async function copyDatabase(
  { admin, application, template }: TestServer,
  from: string,
): Promise<TestDatabase> {
  const name = `${template}_${randomBytes(6).toString('hex')}`
  const owner = typeof application === 'string' ? '' : `OWNER ${application.user}`
  await asAdmin(admin, `CREATE DATABASE ${name} ${from} ${owner}`)
  return {
    connection: withDatabase(application, name),
    drop: () => asAdmin(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  }
}

async function asAdmin(connection: string | Connection, sql: string): Promise<void> {
  const client = new pg.Client(toClientConfig(connection))
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
