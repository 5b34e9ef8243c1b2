/** @module-tag full */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Database, openDatabase } from '#server/db/connection.ts'
import { retryJob } from '#server/features/jobs/jobs.repository.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { atomicEffect, effectTable, repeatableEffect, runEffects } from '#test/jobs-worker.ts'
import { root } from '#test/process.ts'
import { enqueue } from './enqueue.ts'
import type { Worker } from './runner.ts'

let testDatabase: TestDatabase
let database: Database
let child: ChildProcess | undefined
let last: Worker | undefined
beforeEach(async () => {
  testDatabase = await createTestDatabase()
  database = await openDatabase(testDatabase.connection)
})
afterEach(async () => {
  await kill()
  await last?.close()
  await database.close()
  await testDatabase.drop()
})

function start(): void {
  const args = ['--import', 'tsx', 'test/jobs-worker.ts', JSON.stringify(testDatabase.connection)]
  child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}

async function kill(): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

it('workers killed with SIGKILL lose no job and do not repeat the effect of an atomic job', async () => {
  const db = database.kysely
  await database.pool.query(effectTable)
  // Each worker gets new jobs, because the previous worker may already have finished all of its jobs.
  const enqueueSome = () =>
    db.transaction().execute(async (tx) => {
      for (let n = 0; n < 120; n++) await enqueue(tx, n % 4 ? atomicEffect : repeatableEffect, { n })
    })
  const done = async () => {
    const rows = await db.selectFrom('job').select('id').where('state', '=', 'done').execute()
    return rows.length
  }
  for (let kills = 0; kills < 3; kills++) {
    const before = await done()
    await enqueueSome()
    start()
    // The worker has started. It is killed at a random moment after that.
    await expect.poll(done, { interval: 5 }).toBeGreaterThan(before)
    await sleep(Math.random() * 50)
    await kill()
  }
  last = runEffects(database, '4')
  await expect
    .poll(async () => {
      // Jobs whose process was killed twice at the same progress are stopped.
      for (const { id } of await db.selectFrom('job').select('id').where('state', '=', 'stopped').execute())
        await retryJob(db, id)
      return done()
    })
    .toBe(360)
  const { rows } = await sql<{ kind: string; effects: number; jobs: number }>`
    SELECT kind, count(*)::int AS effects, count(DISTINCT job_id)::int AS jobs FROM effect GROUP BY kind ORDER BY kind`.execute(
    db,
  )
  expect(rows[0]).toEqual({ kind: 'atomic', effects: 270, jobs: 270 })
  expect(rows[1]).toMatchObject({ kind: 'repeatable', jobs: 90 })
  await expect
    .poll(async () => (await database.pool.query('SELECT FROM graphile_worker.jobs')).rowCount)
    .toBe(0)
})
