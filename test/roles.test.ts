import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type MainProcess, startMain } from './process.ts'

let dataDir: string
const processes: MainProcess[] = []

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'imori-roles-'))
  await chmod(dataDir, 0o755)
})
afterEach(async () => {
  for (const main of processes.splice(0).reverse()) await main.end()
  await rm(dataDir, { recursive: true })
})

async function start(...args: string[]): Promise<MainProcess> {
  const main = await startMain({ IMORI_DATA: dataDir }, {}, args)
  processes.push(main)
  return main
}

async function query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({
    host: join(dataDir, 'database'),
    user: 'imori',
    database: 'imori',
    ssl: false,
  })
  await client.connect()
  const { rows } = await client.query<Row>(sql, values)
  await client.end()
  return rows
}

const addJob = (id: string) =>
  query(
    `INSERT INTO job (id, name, payload, priority, max_attempts) VALUES ($1, 'jobs.cleanUp', '{}', 0, 1)`,
    [id],
  )
const stateOf = async (id: string) =>
  (await query<{ state: string }>('SELECT state FROM job WHERE id = $1', [id]))[0]?.state
const answers = async ({ url }: MainProcess) =>
  fetch(`${url}/healthz`).then(
    (response) => response.status,
    () => 'nobody',
  )

test('a web process responds to requests, a worker runs jobs, and a process without a role does both', {
  tags: ['full'],
}, async () => {
  const web = await start('--role', 'web')
  expect(await answers(web)).toBe(200)
  const [first, second] = ['a'.repeat(24), 'b'.repeat(24)]
  await addJob(first)
  const worker = await start('--role', 'worker')
  expect(worker.output()).toContain('Imori is ready: running jobs')
  expect(await answers(worker)).toBe('nobody')
  await expect.poll(() => stateOf(first)).toBe('done')
  expect(await worker.end()).toBe(0)
  await addJob(second)
  expect(await web.end()).toBe(0)
  const both = await start()
  expect(await answers(both)).toBe(200)
  await expect.poll(() => stateOf(second)).toBe('done')

  // After PostgreSQL is killed and restarted, jobs continue without intervention.
  const pidFile = join(dataDir, 'database/postmaster.pid')
  process.kill(Number((await readFile(pidFile, 'utf8')).split('\n')[0]), 'SIGKILL')
  const third = 'c'.repeat(24)
  await expect
    .poll(() =>
      addJob(third).then(
        () => 'added',
        () => 'refused',
      ),
    )
    .toBe('added')
  await expect.poll(() => stateOf(third).catch(() => '')).toBe('done')
  expect(await answers(both)).toBe(200)
  expect(await both.end()).toBe(0)
})

test('Imori refuses to start with an unknown role or argument, and prints the reason', async () => {
  for (const [args, reason] of [
    [['--role', 'boss'], 'IMORI_ROLE must be all, web or worker'],
    [['--rolle', 'web'], "Unknown option '--rolle'"],
  ] as const) {
    const main = await start(...args)
    expect(main.readyAfter).toBeUndefined()
    expect(await main.end()).toBe(1)
    expect(main.output()).toContain(`Imori cannot start: ${reason}`)
  }
})
