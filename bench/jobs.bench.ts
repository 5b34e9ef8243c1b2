import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase } from '#server/db/connection.ts'
import { startEmbeddedPostgres } from '#server/db/embedded-postgres/start.ts'
import { migrate } from '#server/db/migrate.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { migrateQueue } from '#server/jobs/queue-schema.ts'
import { atomicEffect, effectTable } from '../test/jobs-worker.ts'

/*
 * Runs 10,000 small jobs (each writes a row, exactly once) in one worker process. Measures jobs per second. Then checks
 * the written rows of a run in which the worker is killed 20 times with SIGKILL.
 */

const total = Number(process.env.BENCH_JOBS ?? 10_000)
const target = 500
const kills = 20

const dataDir = await mkdtemp(join(tmpdir(), 'imori-bench-jobs-'))
await chmod(dataDir, 0o755)
const postgres = await startEmbeddedPostgres({ dataDir, log: console.warn })
const database = await openDatabase(postgres.connection)
let worker: ChildProcess | undefined
let missed = false
try {
  await migrate(database)
  await migrateQueue(database)
  await database.pool.query(effectTable)
  await throughput(database)
  if (process.env.BENCH_KILLS !== '0') await killing(database)
} finally {
  await stop('SIGTERM')
  await database.close()
  await postgres.stop()
  await rm(dataDir, { recursive: true })
}
process.exitCode = missed ? 1 : 0

async function throughput(database: Database): Promise<void> {
  await fill(database)
  start()
  await until(database, 1)
  const [begun, first] = [performance.now(), await done(database)]
  await until(database, total)
  const rate = Math.round(((total - first) * 1000) / (performance.now() - begun))
  await stop('SIGTERM')
  report(`jobs per second: ${rate} (target ${target})`, rate >= target)
  await check(database)
}

async function killing(database: Database): Promise<void> {
  await database.pool.query('TRUNCATE effect; DELETE FROM job')
  await fill(database)
  for (let n = 0; n < kills; n++) {
    const before = await done(database)
    start()
    await until(database, Math.min(total, before + 1))
    await sleep(Math.random() * 300)
    await stop('SIGKILL')
  }
  console.log(`done before the last start: ${await done(database)}`)
  start()
  await until(database, total)
  await stop('SIGTERM')
  await check(database)
}

async function fill(database: Database): Promise<void> {
  const begun = performance.now()
  await database.kysely.transaction().execute(async (tx) => {
    for (let n = 0; n < total; n++) await enqueue(tx, atomicEffect, { n })
  })
  console.log(
    `added in one transaction: ${Math.round((total * 1000) / (performance.now() - begun))} a second`,
  )
}

async function check(database: Database): Promise<void> {
  const { rows } = await database.pool.query<{ effects: number; jobs: number }>(
    'SELECT count(*)::int AS effects, count(DISTINCT job_id)::int AS jobs FROM effect',
  )
  const { effects, jobs } = rows[0] ?? { effects: 0, jobs: 0 }
  report(`lost: ${total - jobs}, run twice: ${effects - jobs}`, effects === total && jobs === total)
}

function report(line: string, met: boolean): void {
  console.log(`${met ? '✓' : '✗'} ${line}`)
  missed ||= !met
}

async function done({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM job WHERE state = 'done'`)
  return rows[0]?.n ?? 0
}

async function until(database: Database, count: number): Promise<void> {
  while ((await done(database)) < count) await sleep(100)
}

function start(): void {
  const args = ['--import', 'tsx', 'test/jobs-worker.ts', JSON.stringify(postgres.connection)]
  worker = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

async function stop(signal: NodeJS.Signals): Promise<void> {
  if (!worker || worker.exitCode !== null || worker.signalCode !== null) return
  const exit = once(worker, 'exit')
  worker.kill(signal)
  await exit
}
