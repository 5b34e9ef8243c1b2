import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import pg from 'pg'
import { type Connection, openDatabase } from '#server/db/connection.ts'
import { startEmbeddedPostgres } from '#server/db/embedded-postgres/start.ts'
import { migrate } from '#server/db/migrate.ts'
import { migrateQueue } from '#server/jobs/queue-schema.ts'
import { type TestServer, toClientConfig, withDatabase } from './database-names.ts'

/**
 * Runs the PostgreSQL and the temporary folder of a test run in a separate process. Prints a `TestServer` as one line
 * of JSON. Cleans up when its stdin closes, which happens at any end of the run, including Ctrl-C and kill -9.
 */
async function main(): Promise<void> {
  const url = process.env.DATABASE_URL
  const template = `imori_test_${randomBytes(4).toString('hex')}`
  const folder = await mkdtemp(join(await roomyPlace(), 'imori-test-'))
  await chmod(folder, 0o755)
  // The folder is writable like /tmp, because tests also run programs as another user.
  const temporary = join(folder, 'tmp')
  await mkdir(temporary)
  await chmod(temporary, 0o1777)
  const log = (line: string) => console.error(line)
  const embedded = url ? undefined : await startEmbeddedPostgres({ dataDir: join(folder, 'server'), log })
  const admin = embedded?.superuserConnection ?? url ?? ''
  const application = embedded?.connection ?? url ?? ''
  try {
    await makeTemplate(admin, application, template)
    const server: TestServer = { admin, application, template, temporary }
    console.log(JSON.stringify(server))
    await new Promise((resolve) => process.stdin.on('end', resolve).on('error', resolve).resume())
  } finally {
    await killLeftovers(temporary)
    if (embedded) await embedded.stop()
    else await dropAll(admin, template)
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

/**
 * Returns the folder for the files of a run. TMPDIR takes precedence. Without TMPDIR, the folder is in memory if more
 * than 6 GiB of /dev/shm and 8 GiB of memory are free. On a disk, PostgreSQL and the tests would wait for writes,
 * although their files need not survive a power failure.
 */
async function roomyPlace(): Promise<string> {
  const memory = '/dev/shm'
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }))
  const isPlenty = bavail * bsize > 6 * 2 ** 30 && freemem() > 8 * 2 ** 30
  return isPlenty && !process.env.TMPDIR ? memory : tmpdir()
}

/** Kills processes that interrupted tests left in the temporary folder: Imori (by IMORI_DATA) and PostgreSQL. */
async function killLeftovers(temporary: string): Promise<void> {
  const pids = new Set<number>()
  for (const name of await readdir('/proc').catch(() => [])) {
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '')
    if (environment.includes(`IMORI_DATA=${temporary}`)) pids.add(Number(name))
  }
  for (const name of await readdir(temporary, { recursive: true }))
    if (basename(name) === 'postmaster.pid')
      pids.add(Number.parseInt(await readFile(join(temporary, name), 'utf8').catch(() => ''), 10))
  for (const pid of pids)
    try {
      if (pid > 0) process.kill(pid, 'SIGKILL')
    } catch {
      // The process ended in the meantime.
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
    await migrateQueue(database)
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
