import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startEmbeddedPostgres } from '#server/db/embedded-postgres/start.ts'
import { canPass, isRoot, passwdUser } from '#server/db/embedded-postgres/user.ts'
import { createTestDatabase } from './database.ts'
import { toUrl } from './database-names.ts'
import {
  builtServer,
  freePort,
  getFastestStartMs,
  type MainProcess,
  restartBound,
  root,
  startMain,
} from './process.ts'

let folder: string
let dataDir: string
const processes: MainProcess[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'imori-process-'))
  await chmod(folder, 0o755)
  dataDir = join(folder, 'data')
})
afterEach(async () => {
  for (const main of processes.splice(0)) await main.end('SIGKILL')
  // This takes over a PostgreSQL that a killed Imori left running.
  if (await postmasterPid()) await (await startEmbeddedPostgres({ dataDir, log: () => {} })).stop()
  await rm(folder, { recursive: true })
})

async function start(env: Record<string, string> = {}, user: object = {}): Promise<MainProcess> {
  const main = await startMain({ IMORI_DATA: dataDir, ...env }, user)
  processes.push(main)
  return main
}

async function postmasterPid(): Promise<number | undefined> {
  const text = await readFile(join(dataDir, 'database', 'postmaster.pid'), 'utf8').catch(() => '')
  return Number(text.split('\n')[0]) || undefined
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({
    host: join(dataDir, 'database'),
    user: 'imori',
    database: 'imori',
    ssl: false,
  })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Lets eight writers insert numbers until their connections break. `acknowledged` collects the committed numbers. */
async function writeUntilBroken(acknowledged: number[]): Promise<void> {
  const setup = await connect()
  await setup.query('CREATE TABLE IF NOT EXISTS kept (n bigint PRIMARY KEY)')
  await setup.end()
  let next = Date.now() * 1000
  const writer = async () => {
    const client = await connect().catch(() => undefined)
    for (let i = 0; client && i < 100_000; i++) {
      const n = next++
      try {
        await client.query('INSERT INTO kept VALUES ($1)', [n])
      } catch {
        return
      }
      acknowledged.push(n)
    }
  }
  await Promise.all(Array.from({ length: 8 }, writer))
}

async function missing(numbers: number[]): Promise<number[]> {
  const client = await connect()
  const { rows } = await client.query<{ n: string }>('SELECT n FROM kept')
  await client.end()
  const kept = new Set(rows.map((row) => Number(row.n)))
  return numbers.filter((n) => !kept.has(n))
}

/** Saves a text that is large enough for a worker process, whose program is a separate file of the build. */
async function saveLargeText(origin: string): Promise<void> {
  let cookie = ''
  const send = async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const json = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const answer = await fetch(`${origin}/api/${path}`, {
      ...json,
      headers: { origin, cookie, 'content-type': 'application/json', ...headers },
    })
    const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0])
    if (cookies.length > 0) cookie = cookies.join('; ')
    return (await answer.json()) as { csrfToken: string; document?: { body?: string } }
  }
  await send('auth/signup', { email: 'a@example.com', password: 'a large sandwich for lunch' })
  const headers = { 'x-csrf-token': (await send('auth/csrfToken')).csrfToken }
  await send('project', { project: { uid: 'acme', name: 'Acme' } }, headers)
  await send('project/acme/app', { data: { uid: 'blog', name: 'Blog' } }, headers)
  const fields = [{ uid: 'body', name: 'Body', type: 'RICH_TEXT' }]
  await send('project/acme/app/blog/model', { data: { uid: 'article', name: 'Article', fields } }, headers)
  const body = '<p onclick="x">字</p>'.repeat(1_000)
  const saved = await send('project/acme/app/blog/model/article/doc', { document: { body } }, headers)
  expect(saved.document?.body).toBe('<p>字</p>'.repeat(1_000))
}

// The tests run in sequence on the same data directory, because creating a database takes longer than everything else.
describe('an installation', () => {
  let lasting: string
  /** Maximum duration of a restart in ms. */
  let bound: number

  beforeAll(async () => {
    lasting = await mkdtemp(join(tmpdir(), 'imori-process-'))
    await chmod(lasting, 0o755)
  })
  beforeEach(() => {
    dataDir = join(lasting, 'data')
  })
  afterAll(() => rm(lasting, { recursive: true }))

  /** Starts the process for the first time in a test. The very first start creates the database. */
  async function first(): Promise<MainProcess> {
    const main = await start()
    bound ??= restartBound(main)
    return main
  }

  test('prints its URL once, and on SIGTERM exits with code 0 and stops PostgreSQL', async () => {
    const main = await first()
    expect(main.output()).toContain(`Imori is ready: ${main.url}\n`)
    expect(main.output().match(/http:\/\//g)).toHaveLength(1)
    expect(main.output()).not.toContain('"msg"')
    expect((await fetch(`${main.url}/healthz`)).status).toBe(200)
    await saveLargeText(main.url)
    expect(await main.end('SIGTERM')).toBe(0)
    expect(await postmasterPid()).toBeUndefined()
    expect(main.output().match(/Imori is ready/g)).toHaveLength(1)

    const again = await start()
    expect(again.readyAfter, again.output()).toBeDefined()
    expect(await again.end('SIGINT')).toBe(0)
  })

  test('adopts a running PostgreSQL after a kill -9 of Imori', {
    tags: ['full'],
  }, async () => {
    await first()
    const pid = await postmasterPid()
    const restarts: MainProcess[] = []
    for (let round = 0; round < 3; round++) {
      await processes.pop()?.end('SIGKILL')
      restarts.push(await start())
      expect(await postmasterPid()).toBe(pid)
    }
    expect(getFastestStartMs(restarts)).toBeLessThan(bound)
    expect(await processes.pop()?.end()).toBe(0)
    expect(await postmasterPid()).toBeUndefined()
  })

  test('keeps every acknowledged row after a kill -9 of Imori and PostgreSQL', {
    tags: ['full'],
  }, async () => {
    await first()
    const acknowledged: number[] = []
    const restarts: MainProcess[] = []
    for (let round = 0; round < 3; round++) {
      const before = acknowledged.length
      const writing = writeUntilBroken(acknowledged)
      const pid = await postmasterPid()
      await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 50)
      await processes.pop()?.end('SIGKILL')
      process.kill(Number(pid), 'SIGKILL')
      await writing
      restarts.push(await start())
      expect(await missing(acknowledged)).toEqual([])
    }
    expect(getFastestStartMs(restarts)).toBeLessThan(bound)
  })

  test('continues jobs after kills of PostgreSQL, and /readyz returns 503 while PostgreSQL cannot start', {
    tags: ['full'],
  }, async () => {
    const main = await first()
    const client = await connect()
    await client.query(`INSERT INTO job (id, name, payload, priority, max_attempts)
      SELECT lpad(to_hex(n), 24, '0'), 'jobs.cleanUp', '{}', 0, 10 FROM generate_series(1, 3000) AS n`)
    await client.end()
    const done = async () => {
      const asking = await connect()
      const { rows } = await asking.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM job WHERE state = 'done' AND name = 'jobs.cleanUp'`,
      )
      await asking.end()
      return rows[0]?.n ?? 0
    }
    const often = { interval: 20 }
    for (let outage = 0; outage < 5; outage++) {
      const before = await done()
      await expect.poll(done, often).toBeGreaterThan(before + 20)
      process.kill(Number(await postmasterPid()), 'SIGKILL')
      await expect.poll(() => done().catch(() => 0), often).toBeGreaterThan(before + 40)
      expect(main.child.exitCode, main.output()).toBeNull()
    }
    const stuck = await connect()
    await stuck.query(`DELETE FROM job WHERE state = 'waiting' AND name = 'jobs.cleanUp'`)
    // Every job that was running when PostgreSQL was killed is done, and none counts as failed.
    const others = `SELECT state, failures FROM job WHERE name = 'jobs.cleanUp' AND (state <> 'done' OR failures > 0)`
    await expect.poll(async () => (await stuck.query(others)).rows, often).toEqual([])
    await stuck.end()

    // While PostgreSQL cannot be started, the process is alive but not ready, and requests get a response.
    const status = async (path: string) => (await fetch(main.url + path)).status
    expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 200])
    const control = join(dataDir, 'database', 'global', 'pg_control')
    await rename(control, `${control}.away`)
    process.kill(Number(await postmasterPid()), 'SIGKILL')
    await expect.poll(() => status('/readyz'), often).toBe(503)
    const signIn = fetch(`${main.url}/api/auth/login`, {
      method: 'POST',
      headers: { origin: main.url, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'a@example.com', password: 'a large sandwich for lunch' }),
    })
    expect([await status('/healthz'), await status('/readyz'), (await signIn).status]).toEqual([
      200, 503, 503,
    ])
    await rename(`${control}.away`, control)
    await expect.poll(() => status('/readyz'), often).toBe(200)
    expect(await main.end()).toBe(0)
  })

  test('reports that its port is in use, exits with code 1 and stops PostgreSQL', async () => {
    const holder = createServer()
    const port = await freePort()
    await new Promise<void>((resolve) => holder.listen(port, '127.0.0.1', resolve))
    const main = await start({ IMORI_PORT: String(port) })
    holder.close()
    expect(main.readyAfter).toBeUndefined()
    expect(main.output()).toContain(
      `Imori cannot start: Port ${port} is in use. Set IMORI_PORT to another port\n`,
    )
    expect(await main.end()).toBe(1)
    expect(await postmasterPid()).toBeUndefined()
  })

  test('supports the unlock command while the server is running and while it is stopped', {
    tags: ['full'],
  }, async () => {
    const unlock = async (...args: string[]) => {
      const env = { ...process.env, IMORI_DATA: dataDir, LANG: 'en_US.UTF-8', LC_ALL: '', LC_MESSAGES: '' }
      const program = join(dirname(builtServer()), 'unlock.js')
      const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
      const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
      return [code, said]
    }
    // The first account needs no invitation.
    dataDir = join(lasting, 'unlocked')
    const main = await start()
    const signup = { email: 'locked@example.com', password: 'a large sandwich for lunch' }
    const headers = { origin: main.url, 'content-type': 'application/json' }
    await fetch(`${main.url}/api/auth/signup`, { method: 'POST', body: JSON.stringify(signup), headers })
    expect(await unlock('email', signup.email, 'out@example.com')).toEqual([
      0,
      'Done. The change was recorded in the audit log.\n',
    ])
    expect((await fetch(`${main.url}/healthz`)).status).toBe(200)
    expect(await main.end()).toBe(0)
    expect(await unlock('second-factor', 'out@example.com')).toEqual([0, 'There was nothing to remove.\n'])
    expect(await unlock('space', 'nowhere')).toEqual([1, 'There is no space with this UID.\n'])
    expect((await unlock('nonsense'))[0]).toBe(2)
    expect(await postmasterPid()).toBeUndefined()
  })
})

test('Imori reports an invalid setting in one line and exits with code 1', async () => {
  const main = await start({ IMORI_TRUST_PROXY: 'yes' })
  expect(main.output()).toBe('Imori cannot start: IMORI_TRUST_PROXY must be a whole number from 0 to 32\n')
  expect(await main.end()).toBe(1)
})

test('Imori refuses to start if the database runs with synchronous_commit=off', async () => {
  const { connection, drop } = await createTestDatabase()
  const url = new URL(toUrl(connection))
  url.searchParams.set('options', '-c synchronous_commit=off')
  const main = await start({ DATABASE_URL: url.href })
  await drop()
  expect(main.output()).toBe(
    'Imori cannot start: PostgreSQL runs with synchronous_commit=off, which loses saved work: turn it on\n',
  )
  expect(await main.end()).toBe(1)
})

const ordinary = isRoot() ? await passwdUser() : undefined
/** Whether the user `ordinary` may read the program and run this version of Node.js. */
const mayRun = ordinary && (await canPass(root, ordinary)) && (await canPass(process.execPath, ordinary))
test.runIf(mayRun)(
  'Imori starts as an ordinary user, and then as root with the same data',
  { tags: ['full'] },
  async () => {
    await mkdir(dataDir)
    await chown(dataDir, ordinary?.uid ?? 0, ordinary?.gid ?? 0)
    const main = await start({}, ordinary)
    expect(main.output()).toContain('Imori is ready')
    expect(await main.end()).toBe(0)
    const asRoot = await start()
    expect(asRoot.output()).toContain('Imori is ready')
    expect(await asRoot.end()).toBe(0)
  },
)

test.runIf(mayRun)('Imori reports in one line that it cannot read or create secrets.json', async () => {
  const main = await start({}, ordinary)
  expect(main.output()).toMatch(
    /^Imori cannot start: Cannot read or create .*\/secrets.json: EACCES[^\n]*\n$/,
  )
})
