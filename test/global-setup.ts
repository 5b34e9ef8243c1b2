import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import type { Connection } from '#server/db/connection.ts'
import { openDatabase } from '#server/db/connection.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#server/db/embedded-postgres/start.ts'
import { migrate } from '#server/db/migrate.ts'

/** What every test worker needs to make databases of its own. */
export type TestServer = {
  /** May create databases. */
  admin: string | Connection
  /** The role the application uses; its `database` is replaced. */
  application: string | Connection
  /** A migrated, empty database; test databases are copies of it and have names beginning with it. */
  template: string
}

declare module 'vitest' {
  interface ProvidedContext {
    testServer: TestServer
  }
}

let end: (() => Promise<void>) | undefined

/** Starts one PostgreSQL for the whole run (or uses DATABASE_URL) and migrates the template database. */
export async function setup(project: TestProject): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => teardown().finally(() => process.exit(1)))

  const url = process.env.DATABASE_URL
  const embedded = url ? undefined : await startInTemporaryFolder()
  const admin = embedded?.superuserConnection ?? url ?? ''
  const application = embedded?.connection ?? url ?? ''
  const template = `imori_test_${randomBytes(4).toString('hex')}`

  const client = new pg.Client(toClientConfig(admin))
  await client.connect()
  const owner = typeof application === 'string' ? '' : `OWNER ${application.user}`
  end = async () => {
    if (embedded) await embedded.stop()
    else await dropAll(url ?? '', template)
    removeFolder?.()
  }
  await client.query(`CREATE DATABASE ${template} ${owner} ENCODING 'UTF8' TEMPLATE template0`)
  await client.end()

  const database = await openDatabase(withDatabase(application, template))
  try {
    await migrate(database)
  } finally {
    await database.close()
  }
  project.provide('testServer', { admin, application, template })
}

/** Ends the server or drops the databases; also after Ctrl-C, and only once. */
export async function teardown(): Promise<void> {
  const ending = end
  end = undefined
  await ending?.()
}

let removeFolder: (() => void) | undefined

async function startInTemporaryFolder(): Promise<EmbeddedPostgres> {
  await removeLeftovers()
  const folder = mkdtempSync(join(tmpdir(), `imori-vitest-${process.pid}-`))
  removeFolder = () => rmSync(folder, { recursive: true, force: true })
  return startEmbeddedPostgres({ dataDir: folder, log: () => {} })
}

/** A run that was killed could not clean up: stop its server and remove its folder. */
async function removeLeftovers(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(/^imori-vitest-(\d+)-/.exec(name)?.[1])
    if (!pid || isRunning(pid)) continue
    const folder = join(tmpdir(), name)
    try {
      await (await startEmbeddedPostgres({ dataDir: folder, log: () => {} })).stop()
    } catch {
      // half made or someone else's
    }
    rmSync(folder, { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function dropAll(url: string, template: string): Promise<void> {
  const client = new pg.Client(toClientConfig(url))
  await client.connect()
  const { rows } = await client.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
    [template],
  )
  for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`)
  await client.end()
}

/** The same server and role, another database. */
export function withDatabase<C extends string | Connection>(connection: C, database: string): C
export function withDatabase(connection: string | Connection, database: string): string | Connection {
  if (typeof connection !== 'string') return { ...connection, database }
  const url = new URL(connection)
  url.pathname = `/${database}`
  return url.href
}

/** Options for a single pg.Client. */
export const toClientConfig = (connection: string | Connection): pg.ClientConfig =>
  typeof connection === 'string' ? { connectionString: connection } : { ...connection, ssl: false }
