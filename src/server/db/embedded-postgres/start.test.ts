import { type ChildProcess, execFile, spawn } from 'node:child_process'
import {
  appendFile,
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { type Connection, openDatabase } from '#server/db/connection.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './start.ts'
import { isRoot, serverUser } from './user.ts'

let folder: string
let dataDir: string
let log: string[]
const running: EmbeddedPostgres[] = []
const children: ChildProcess[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'imori-embedded-'))
  await chmod(folder, 0o755)
  dataDir = join(folder, 'data')
  log = []
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const postgres of running.splice(0)) await postgres.stop()
  await rm(folder, { recursive: true })
})

async function start(options: { dataDir?: string; outside?: string } = {}): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({
    dataDir,
    outside: join(folder, 'outside'),
    log: (line) => log.push(line),
    ...options,
  })
  running.push(postgres)
  return postgres
}

let made: Promise<string> | undefined
afterAll(async () => {
  if (made) await rm(await made, { recursive: true })
})

/** Copies the result of a first start into the data directory of this test. The result is created once. */
async function giveExisting(): Promise<void> {
  made ??= makeCluster()
  await promisify(execFile)('cp', ['-a', await made, dataDir])
}

async function makeCluster(): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'imori-embedded-'))
  await chmod(place, 0o755)
  await (await startEmbeddedPostgres({ dataDir: place, log: () => {} })).stop()
  return place
}

async function query(connection: Connection, sql: string) {
  const client = new pg.Client({ ...connection, ssl: false })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

const postmasterPid = async (data = join(dataDir, 'database')) =>
  Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[0])

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function crash(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL')
  while (isRunning(pid)) await sleep(10)
}

test('the first start creates a durable UTF-8 database that is owned by a role without superuser rights', async () => {
  const { connection } = await start()
  const [server] = await query(
    connection,
    `SELECT current_user AS "user", rolsuper, rolcreaterole, rolcreatedb, pg_get_userbyid(datdba) AS owner,
      pg_encoding_to_char(encoding) AS encoding, datlocprovider, current_setting('data_checksums') AS checksums,
      current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
      current_setting('synchronous_commit') AS synchronous_commit, current_setting('TimeZone') AS zone,
      current_setting('listen_addresses') AS listen, lower('ÀÉ') AS lower
      FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`,
  )
  expect(server).toEqual({
    user: 'imori',
    rolsuper: false,
    rolcreaterole: true,
    rolcreatedb: false,
    owner: 'imori',
    encoding: 'UTF8',
    datlocprovider: 'b',
    checksums: 'on',
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    zone: 'UTC',
    listen: '',
    lower: 'àé',
  })
  await query(connection, 'CREATE EXTENSION pg_trgm')
  expect((await query(connection, `SELECT show_trgm('東京都') AS t`))[0].t).toHaveLength(4)
  expect((await stat(join(dataDir, 'database'))).mode & 0o777).toBe(0o700)
})

test('a second start adopts the running server, and only the last stop ends the server', async () => {
  await giveExisting()
  const first = await start()
  const pid = await postmasterPid()
  const second = await start()
  expect(await postmasterPid()).toBe(pid)

  await first.stop()
  expect(isRunning(pid)).toBe(true)
  expect(log).toEqual(['PostgreSQL keeps running: another Imori uses it'])
  expect(await query(second.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  await second.stop()
  await expect(postmasterPid()).rejects.toThrow('ENOENT')
})

test('two concurrent first starts share one database', { tags: ['full'] }, async () => {
  const [a, b] = await Promise.all([start(), start()])
  await query(a.connection, 'CREATE TABLE shared (n int)')
  expect(await query(b.connection, 'SELECT * FROM shared')).toEqual([])
  await Promise.all([a.stop(), b.stop()])
})

test('a start removes the folder that a killed first start left', { tags: ['full'] }, async () => {
  const abandoned = join(dataDir, 'database.99999999.0123abcd')
  await mkdir(abandoned, { recursive: true })
  await start()
  expect((await readdir(dataDir)).filter((name) => name.startsWith('database.'))).toEqual([])
})

test('PostgreSQL is restarted after a crash, with the committed data', async () => {
  await giveExisting()
  const { connection } = await start()
  await query(connection, 'CREATE TABLE kept AS SELECT 1 AS n')
  await crash(await postmasterPid())
  await expect.poll(() => query(connection, 'SELECT n FROM kept').catch(() => undefined)).toEqual([{ n: 1 }])
  expect(log[0]).toBe('PostgreSQL ended unexpectedly: starting it again')
})

test('a crashed server whose first restarts fail is restarted later', {
  tags: ['full'],
}, async () => {
  await giveExisting()
  const { connection } = await start()
  await query(connection, 'CREATE TABLE kept AS SELECT 1 AS n')
  const control = join(dataDir, 'database', 'global', 'pg_control')
  await rename(control, `${control}.away`)
  await crash(await postmasterPid())
  await expect.poll(() => log).toContainEqual(expect.stringMatching(/could not be started again/))
  await rename(`${control}.away`, control)
  const asked = () => query(connection, 'SELECT n FROM kept').catch(() => undefined)
  await expect.poll(asked).toEqual([{ n: 1 }])
  // The process has adopted the server and monitors it as before.
  await crash(await postmasterPid())
  await expect.poll(asked).toEqual([{ n: 1 }])
})

test('stop ends although a crashed server cannot be restarted', { tags: ['full'] }, async () => {
  await giveExisting()
  const postgres = await start()
  const control = join(dataDir, 'database', 'global', 'pg_control')
  await rename(control, `${control}.away`)
  await crash(await postmasterPid())
  await expect.poll(() => log).toContainEqual(expect.stringMatching(/could not be started again/))
  await postgres.stop()
})

test('a start waits for the last processes of a crashed server', { tags: ['full'] }, async () => {
  await giveExisting()
  const { connection } = await start()
  const client = new pg.Client({ ...connection, ssl: false })
  client.on('error', () => {})
  await client.connect()
  const backend = (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid
  process.kill(backend, 'SIGSTOP')
  await crash(await postmasterPid())
  const starting = start()
  const logged = () => readFile(join(dataDir, 'database', 'server.log'), 'utf8')
  await expect.poll(logged).toMatch(/shared memory block .* still in use/)
  process.kill(backend, 'SIGCONT')
  await starting
  expect(await query(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  await client.end()
})

test('a lock file whose process id belongs to another program does not prevent a start', {
  tags: ['full'],
}, async () => {
  await giveExisting()
  const before = await start()
  await query(before.connection, 'CREATE TABLE kept AS SELECT 1 AS n')
  await before.stop()
  // The program must run as the same user, because PostgreSQL ignores processes of other users.
  const stranger = spawn('sleep', ['60'], isRoot() ? serverUser : {})
  children.push(stranger)
  const pidFile = join(dataDir, 'database', 'postmaster.pid')
  await writeFile(pidFile, `${stranger.pid}\n${dataDir}/database\n1\n5432\n`, { mode: 0o600 })
  if (isRoot()) await chown(pidFile, serverUser.uid, serverUser.gid)
  const after = await start()
  expect(await query(after.connection, 'SELECT n FROM kept')).toEqual([{ n: 1 }])
})

test('the socket is in a private folder in /tmp if the path of the data directory is too long', async () => {
  dataDir = join(folder, 'x'.repeat(100))
  await giveExisting()
  const { connection, stop } = await start()
  expect(connection.host).toMatch(/^\/tmp\/imori-[0-9a-f]{16}$/)
  expect((await stat(connection.host)).mode & 0o777).toBe(0o700)
  expect(await query(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  await stop()
  await rm(connection.host, { recursive: true })
})

test('a database of another PostgreSQL version is refused', async () => {
  await mkdir(join(dataDir, 'database'), { recursive: true })
  await writeFile(join(dataDir, 'database', 'PG_VERSION'), '17\n')
  await expect(start()).rejects.toThrow(
    /was created by PostgreSQL 17, but this Imori contains version 18: .*DATABASE_URL/,
  )
})

test('a file in place of the data directory is reported, with the advice to set DATABASE_URL', async () => {
  await writeFile(join(folder, 'data'), 'a file')
  await expect(start()).rejects.toThrow(
    /^Cannot use the data directory .*\/data \(E[^\n]*\): check it, or set DATABASE_URL/,
  )
})

test('openDatabase refuses a server with fsync off', async () => {
  await giveExisting()
  await appendFile(join(dataDir, 'database', 'postgresql.conf'), 'fsync = off\n')
  const { connection } = await start()
  await expect(openDatabase(connection)).rejects.toThrow(
    'PostgreSQL runs with fsync=off, which loses saved work: turn it on',
  )
})

test.runIf(isRoot())(
  'the database is created outside a folder that only root may enter',
  { tags: ['full'] },
  async () => {
    const home = join(folder, 'root')
    dataDir = join(home, 'imori', 'data')
    await mkdir(dataDir, { recursive: true })
    await chmod(home, 0o700)
    const first = await start()
    const place = (await readFile(join(dataDir, 'database-location'), 'utf8')).trim()
    expect(place).toMatch(new RegExp(`^${folder}/outside/[0-9a-f]{16}/database$`))
    expect(log).toEqual([expect.stringContaining(`The database is in ${place}`)])
    await query(first.connection, 'CREATE TABLE kept AS SELECT 1 AS n')
    await first.stop()

    log = []
    const second = await start()
    expect(await query(second.connection, 'SELECT n FROM kept')).toEqual([{ n: 1 }])
    expect(log).toEqual([])
  },
)

test.runIf(isRoot())('PostgreSQL does not run as root', { tags: ['full'] }, async () => {
  await start()
  const status = await readFile(`/proc/${await postmasterPid()}/status`, 'utf8')
  expect(status).toMatch(/^Uid:\t59837\t59837\t59837\t59837$/m)
  expect(status).toMatch(/^Groups:\s*$/m)
})
