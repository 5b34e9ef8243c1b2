import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type Connection, openDatabase } from '#server/db/connection.ts'
import { startEmbeddedPostgres } from '#server/db/embedded-postgres/start.ts'
import { migrate } from '#server/db/migrate.ts'
import { type TestServer, toClientConfig, withDatabase } from './database-names.ts'

/**
 * The PostgreSQL of a test run, in a process of its own: prints a `TestServer` as one line of JSON and cleans
 * up when its stdin closes, which happens however the run ends, Ctrl-C and kill -9 included.
 */
async function main(): Promise<void> {
  const url = process.env.DATABASE_URL
  const template = `imori_test_${randomBytes(4).toString('hex')}`
  const folder = url ? undefined : await mkdtemp(join(tmpdir(), 'imori-test-'))
  const embedded = folder
    ? await startEmbeddedPostgres({ dataDir: folder, log: (line) => console.error(line) })
    : undefined
  const admin = embedded?.superuserConnection ?? url ?? ''
  const application = embedded?.connection ?? url ?? ''
  const end = async () => {
    if (embedded) await embedded.stop()
    else await dropAll(admin, template)
    if (folder) await rm(folder, { recursive: true, force: true })
  }
  try {
    await makeTemplate(admin, application, template)
    const server: TestServer = { admin, application, template }
    console.log(JSON.stringify(server))
    await new Promise((resolve) => process.stdin.on('end', resolve).on('error', resolve).resume())
  } finally {
    await end()
  }
}

async function makeTemplate(
  admin: string | Connection,
  application: string | Connection,
  template: string,
): Promise<void> {
  const client = new pg.Client(toClientConfig(admin))
  await client.connect()
  const owner = typeof application === 'string' ? '' : `OWNER ${application.user}`
  await client.query(`CREATE DATABASE ${template} ${owner} ENCODING 'UTF8' TEMPLATE template0`)
  await client.end()
  const database = await openDatabase(withDatabase(application, template))
  try {
    await migrate(database)
  } finally {
    await database.close()
  }
}

async function dropAll(admin: string | Connection, template: string): Promise<void> {
  const client = new pg.Client(toClientConfig(admin))
  await client.connect()
  const { rows } = await client.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
    [template],
  )
  for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`)
  await client.end()
}

await main()
