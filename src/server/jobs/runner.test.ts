import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Db, enterSpace, type SpaceScope, spaceScope } from '#server/db/scope.ts'
import { cancelJob, retryJob } from '#server/features/jobs/jobs.repository.ts'
import { newId } from '#server/lib/ids.ts'
import { AppError } from '#shared/errors.ts'
import { createAccount, createSpace, unique } from '#test/factories.ts'
import { startInstallation, type TestInstallation } from '#test/server.ts'
import { enqueue } from './enqueue.ts'
import { type CronJob, defaultRetries, defineAtomicJob, defineJob, type Job, type JobContext } from './job.ts'
import { startWorker, type Worker } from './runner.ts'

let installation: TestInstallation
let db: Db
const workers: Worker[] = []
beforeAll(async () => {
  installation = await startInstallation()
  db = installation.database.kysely
})
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close(0)))
})
afterAll(() => installation?.close())

/** `atOnce`: number of concurrent jobs. */
function work(jobs: Job[], cronJobs: CronJob[] = [], atOnce = 4): Worker {
  const { deps, database } = installation
  const { services } = deps
  const { jobsPool } = database
  const worker = startWorker({
    jobsPool,
    services: { ...services, config: { ...services.config, jobs: atOnce } },
    jobs,
    cronJobs,
    eventConsumers: [],
  })
  workers.push(worker)
  return worker
}

const rowOf = (id: string) => db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
async function become(id: string, state: string) {
  await expect.poll(async () => (await rowOf(id)).state).toBe(state)
  return rowOf(id)
}

const nothing = z.object({})

function jobOf(
  handler: (ctx: JobContext<object>) => Promise<void>,
  options: Partial<Parameters<typeof defineJob>[0]> = {},
) {
  return defineJob({ name: unique('test.job'), payload: nothing, handler, ...options })
}

describe('a job', () => {
  it('runs with its parsed payload, and does not run after a rollback', async () => {
    const seen: unknown[] = []
    const job = defineJob({
      name: unique('test.job'),
      payload: z.object({ n: z.number(), unit: z.string().default('pieces') }),
      handler: async ({ payload, actor, scope }) => void seen.push([payload, actor.kind, scope]),
    })
    work([job])
    await db
      .transaction()
      .execute(async (tx) => {
        await enqueue(tx, job, { n: 1 })
        throw new Error('rolled back')
      })
      .catch(() => {})
    const id = await enqueue(db, job, { n: 2 })
    const row = await become(id, 'done')
    expect(seen).toEqual([[{ n: 2, unit: 'pieces' }, 'job', null]])
    expect(row.finished_at).toBeInstanceOf(Date)
    expect(await db.selectFrom('job').select('id').where('name', '=', job.name).execute()).toHaveLength(1)
    await expect(enqueue(db, job, { n: 'three' as never })).rejects.toThrow(z.ZodError)
  })

  it('waits until it is due, and is enqueued once per key while it waits', async () => {
    let runs = 0
    const job = jobOf(async () => void runs++)
    work([job])
    const later = new Date(Date.now() + 3_600_000)
    const first = await enqueue(db, job, {}, { key: 'same', runAt: later })
    expect(await enqueue(db, job, {}, { key: 'same' })).toBe(first)
    const other = await enqueue(db, job, {}, { key: 'other' })
    await become(other, 'done')
    expect([runs, (await rowOf(first)).state]).toEqual([1, 'waiting'])
    await db.updateTable('job').set({ run_at: new Date() }).where('id', '=', first).execute()
    await become(first, 'done')
    expect(await enqueue(db, job, {}, { key: 'same', runAt: later })).not.toBe(first)
  })

  it('that throws is retried later, then fails with an error without personal data', async () => {
    const job = jobOf(
      async () => {
        throw new Error('duplicate key value (email)=(hanako@example.com)')
      },
      { retries: { attempts: 2 } },
    )
    work([job])
    const id = await enqueue(db, job, {})
    await expect.poll(async () => (await rowOf(id)).failures).toBe(1)
    const waiting = await rowOf(id)
    expect(waiting.state).toBe('waiting')
    expect(waiting.run_at.getTime() - (waiting.started_at?.getTime() ?? 0)).toBeGreaterThanOrEqual(8_000)
    await db.updateTable('job').set({ run_at: new Date() }).where('id', '=', id).execute()
    const failed = await become(id, 'failed')
    expect(failed.error).toEqual({ code: 'InternalServerError', message: 'InternalServerError' })
    expect(failed.failures).toBe(2)
    const { rows } = await sql<{
      text: string
    }>`SELECT to_jsonb(j)::text AS text FROM graphile_worker.jobs j`.execute(db)
    expect(JSON.stringify([failed, rows])).not.toContain('hanako')
  })

  it('is retried by its own policy', async () => {
    const errors = [new Error('again'), new Error('again'), new AppError('NotFound'), new Error('final')]
    const job = jobOf(
      async () => {
        throw errors.shift()
      },
      {
        retries: {
          attempts: 5,
          delay: (failures) => failures * 3_600_000,
          sameFailures: 3,
          isFinal: (error) => error instanceof Error && error.message === 'final',
        },
      },
    )
    work([job])
    const id = await enqueue(db, job, {})
    for (const failures of [1, 2, 3]) {
      await expect.poll(async () => (await rowOf(id)).failures).toBe(failures)
      const { state, run_at, started_at } = await rowOf(id)
      const delay = run_at.getTime() - (started_at?.getTime() ?? 0)
      expect([state, delay >= 0.8 * failures * 3_600_000]).toEqual(['waiting', true])
      await db.updateTable('job').set({ run_at: new Date() }).where('id', '=', id).execute()
    }
    expect(await become(id, 'failed')).toMatchObject({ failures: 4 })
  })

  it('is not retried automatically after the error NotFound, but can be retried manually', async () => {
    let ready = false
    const job = jobOf(async () => {
      if (!ready) throw new AppError('NotFound')
    })
    work([job])
    const id = await enqueue(db, job, {})
    expect(await become(id, 'failed')).toMatchObject({ failures: 1, error: { code: 'NotFound' } })
    ready = true
    await retryJob(db, id)
    expect(await become(id, 'done')).toMatchObject({ failures: 0, error: null })
  })

  it('reports its progress and stops when it is cancelled', async () => {
    let stoppedAt = 0
    const job = jobOf(async ({ progress }) => {
      for (let done = 0; done < 10_000; done++) {
        stoppedAt = done
        await progress(done, 10_000)
        await sleep(5)
      }
    })
    work([job])
    const id = await enqueue(db, job, {})
    await expect.poll(async () => (await rowOf(id)).done).toBeGreaterThan(10)
    expect((await rowOf(id)).total).toBe(10_000)
    await cancelJob(db, id)
    expect(await become(id, 'cancelled')).toMatchObject({ cancel_requested: true, failures: 0 })
    expect(stoppedAt).toBeLessThan(10_000)
    expect((await rowOf(id)).done).toBeGreaterThan(10)
  })

  it('does not run if it is cancelled while it waits', async () => {
    let runs = 0
    const job = jobOf(async () => void runs++)
    const cancelled = await enqueue(db, job, {})
    await cancelJob(db, cancelled)
    work([job])
    await become(await enqueue(db, job, {}), 'done')
    expect([runs, (await rowOf(cancelled)).state]).toEqual([1, 'cancelled'])
  })

  it('runs again in another worker after a shutdown, which does not count as a failure', async () => {
    const began: string[] = []
    const job = jobOf(async ({ signal }) => {
      began.push(began.length === 0 ? 'first' : 'second')
      while (began.length === 1 && !signal.aborted) await sleep(20)
    })
    const first = work([job])
    const id = await enqueue(db, job, {})
    await expect.poll(() => began).toEqual(['first'])
    await first.close(0)
    expect(await rowOf(id)).toMatchObject({ state: 'waiting', failures: 0 })
    work([job])
    expect(await become(id, 'done')).toMatchObject({ failures: 0 })
    expect(began).toEqual(['first', 'second'])
  })

  it('does not run at the same time as another job with the same concurrency key', async () => {
    let running = 0
    let most = 0
    const job = defineJob({
      name: unique('test.job'),
      payload: z.object({ space: z.string() }),
      concurrencyKey: ({ space }) => `space ${space}`,
      handler: async () => {
        most = Math.max(most, ++running)
        await sleep(20)
        running--
      },
    })
    work([job])
    const ids: string[] = []
    for (let n = 0; n < 6; n++) ids.push(await enqueue(db, job, { space: 'acme' }))
    for (const id of ids) await become(id, 'done')
    expect(most).toBe(1)
  })

  it('leaves no effect of a failed run if it is atomic', async () => {
    let runs = 0
    const name = unique('atomic')
    const job = defineAtomicJob({
      name: unique('test.job'),
      payload: nothing,
      handler: async ({ db: tx }) => {
        await tx.insertInto('attempt').values({ key: name, window_start: new Date(), count: 1 }).execute()
        if (++runs === 1) throw new Error('after the effect')
      },
    })
    work([job])
    const id = await enqueue(db, job, {})
    await expect.poll(async () => (await rowOf(id)).failures).toBe(1)
    const effects = () => db.selectFrom('attempt').selectAll().where('key', '=', name).execute()
    expect(await effects()).toEqual([])
    await db.updateTable('job').set({ run_at: new Date() }).where('id', '=', id).execute()
    await become(id, 'done')
    expect([runs, (await effects()).length]).toEqual([2, 1])
  })

  describe('a long job', () => {
    /** Defines a long job that runs until `end` is called, and lists the names of the running jobs. */
    function openEnded(kind: { isLong?: boolean; isNetwork?: boolean } = { isLong: true }) {
      const atWork = new Set<string>()
      const ended = new Set<string>()
      const job = defineJob({
        name: unique('test.job'),
        payload: z.object({ name: z.string() }),
        ...kind,
        handler: async ({ payload: { name }, signal }) => {
          atWork.add(name)
          while (!ended.has(name) && !signal.aborted) await sleep(10)
          atWork.delete(name)
        },
      })
      const end = async (id: string, name: string) => {
        ended.add(name)
        await become(id, 'done')
      }
      return { job, atWork: () => [...atWork].sort(), end }
    }
    async function newScope() {
      const { uid } = await createSpace((await createAccount(installation)).client)
      const { id } = await db
        .selectFrom('space')
        .select('id')
        .where('uid', '=', uid)
        .executeTakeFirstOrThrow()
      return spaceScope(id)
    }

    it('leaves one slot to short jobs, even if more long jobs than slots are waiting', async () => {
      const long = openEnded()
      const short = jobOf(async () => {})
      const scopes = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(newScope))
      const add = (scope: SpaceScope, name: string) => enqueue(db, long.job, { name }, { scope })
      for (const [n, scope] of scopes.slice(0, 4).entries()) await add(scope, `before ${n}`)
      work([long.job, short])
      for (const [n, scope] of scopes.slice(4).entries()) await add(scope, `after ${n}`)
      await expect.poll(() => long.atWork().length).toBe(3)
      await become(await enqueue(db, short, {}), 'done')
      await sleep(200)
      expect(long.atWork()).toHaveLength(3)
      await become(await enqueue(db, short, {}), 'done')
    })

    it('runs concurrently with at most one other long job of its space, and with a job of another space', async () => {
      const long = openEnded()
      const [many, one] = [await newScope(), await newScope()]
      const ids = new Map<string, string>()
      const add = async (scope: SpaceScope, name: string) =>
        ids.set(name, await enqueue(db, long.job, { name }, { scope }))
      for (let n = 0; n < 5; n++) await add(many, `many ${n}`)
      work([long.job])
      await expect.poll(long.atWork).toEqual(['many 0', 'many 1'])
      await sleep(200)
      expect(long.atWork()).toEqual(['many 0', 'many 1'])
      await add(one, 'one')
      await expect.poll(long.atWork).toEqual(['many 0', 'many 1', 'one'])
      await long.end(ids.get('many 0') ?? '', 'many 0')
      await expect.poll(long.atWork).toEqual(['many 1', 'many 2', 'one'])
    })

    it('runs concurrently with at most one other long job of its account, across spaces', async () => {
      const long = openEnded()
      const [requestedBy, other] = [newId(), newId()]
      const ids = new Map<string, string>()
      const add = async (account: string, name: string) => {
        const asked = { scope: await newScope(), requestedBy: account }
        ids.set(name, await enqueue(db, long.job, { name }, asked))
      }
      for (let n = 0; n < 4; n++) await add(requestedBy, `many ${n}`)
      await add(other, 'one')
      work([long.job])
      await expect.poll(long.atWork).toEqual(['many 0', 'many 1', 'one'])
      await long.end(ids.get('one') ?? '', 'one')
      await add(other, 'two')
      await expect.poll(long.atWork).toEqual(['many 0', 'many 1', 'two'])
      await long.end(ids.get('many 0') ?? '', 'many 0')
      await expect.poll(long.atWork).toEqual(['many 1', 'many 2', 'two'])
    })

    it('is not delayed by network jobs, which have their own slots', async () => {
      const network = openEnded({ isNetwork: true })
      const short = openEnded({})
      const long = openEnded()
      for (let n = 0; n < 5; n++) await enqueue(db, network.job, { name: `network ${n}` })
      work([network.job, short.job, long.job], [], 2)
      await expect.poll(() => network.atWork().length).toBe(5)
      await enqueue(db, long.job, { name: 'long' })
      const ids = await Promise.all(['a', 'b', 'c'].map((name) => enqueue(db, short.job, { name })))
      await expect.poll(() => [...long.atWork(), ...short.atWork()].length).toBe(2)
      // The other slots of the worker are only for network jobs.
      await enqueue(db, network.job, { name: 'network 5' })
      await expect.poll(() => network.atWork().length).toBe(6)
      expect([...long.atWork(), ...short.atWork()]).toHaveLength(2)
      await Promise.all(ids.map((id, n) => short.end(id, 'abc'[n] ?? '')))
    })

    it('runs before jobs that waited longer if its priority value is smaller', async () => {
      const long = openEnded()
      const scopes = [await newScope(), await newScope()] as const
      const first = await enqueue(db, long.job, { name: 'first' }, { scope: scopes[0] })
      work([long.job], [], 2)
      await expect.poll(long.atWork).toEqual(['first'])
      await enqueue(db, long.job, { name: 'late' }, { scope: scopes[1] })
      await enqueue(db, long.job, { name: 'urgent' }, { scope: scopes[1], priority: -1 })
      await long.end(first, 'first')
      await expect.poll(long.atWork).toEqual(['urgent'])
    })

    it('alternates with long jobs of another space if there is one slot for long jobs', async () => {
      const long = openEnded()
      const short = jobOf(async () => {})
      const [many, one] = [await newScope(), await newScope()]
      const first = await enqueue(db, long.job, { name: 'many 0' }, { scope: many })
      for (let n = 1; n < 4; n++) await enqueue(db, long.job, { name: `many ${n}` }, { scope: many })
      const other = await enqueue(db, long.job, { name: 'one' }, { scope: one })
      work([long.job, short], [], 2)
      await expect.poll(long.atWork).toEqual(['many 0'])
      await become(await enqueue(db, short, {}), 'done')
      await long.end(first, 'many 0')
      await expect.poll(long.atWork).toEqual(['one'])
      await long.end(other, 'one')
      await expect.poll(long.atWork).toEqual(['many 1'])
    })

    it('keeps its queue flags when it is retried', async () => {
      const job = defineJob({
        name: unique('test.job'),
        payload: nothing,
        isLong: true,
        handler: async () => {
          throw new AppError('NotFound')
        },
      })
      const scope = await newScope()
      const requestedBy = newId()
      const id = await enqueue(db, job, {}, { scope, requestedBy })
      const flags = async () =>
        (
          await sql<{ flags: unknown }>`SELECT flags FROM graphile_worker._private_jobs
            WHERE payload ->> 'id' = ${id}`.execute(db)
        ).rows
      const owners = [`long of space ${scope.spaceId}`, `long of account ${requestedBy}`]
      const expected = [{ flags: Object.fromEntries(['long', ...owners].map((flag) => [flag, true])) }]
      expect(await flags()).toEqual(expected)
      const worker = work([job])
      await become(id, 'failed')
      await worker.close(0)
      await retryJob(db, id)
      expect(await flags()).toEqual(expected)
    })
  })

  describe('a job whose process ended', () => {
    /**
     * Puts the row into the state in which a process killed during the job leaves it. `done`: the reported progress.
     */
    const leaveRunning = (id: string, done: number | null) =>
      db
        .updateTable('job')
        .set({ state: 'running', worker: 'a process that was killed', run: id, done })
        .where('id', '=', id)
        .execute()

    it('is stopped with JobInterrupted if the process ended twice at the same progress', async () => {
      let runs = 0
      const job = jobOf(async () => void runs++)
      const id = await enqueue(db, job, {})
      await leaveRunning(id, 7)
      await db.updateTable('job').set({ interruptions: 1, reached: 7 }).where('id', '=', id).execute()
      work([job])
      expect(await become(id, 'stopped')).toMatchObject({ error: { code: 'JobInterrupted' }, failures: 0 })
      expect(runs).toBe(0)
      await retryJob(db, id)
      expect(await become(id, 'done')).toMatchObject({ interruptions: 0, error: null })
      expect(runs).toBe(1)
    })

    it('runs again if its process ended once, or a second time after more progress', async () => {
      const job = jobOf(async () => {})
      const once = await enqueue(db, job, {})
      await leaveRunning(once, null)
      const further = await enqueue(db, job, {})
      await leaveRunning(further, 8)
      await db.updateTable('job').set({ interruptions: 1, reached: 7 }).where('id', '=', further).execute()
      work([job])
      expect(await become(once, 'done')).toMatchObject({ interruptions: 1, reached: 0 })
      expect(await become(further, 'done')).toMatchObject({ interruptions: 1, reached: 8 })
    })

    it('does not run at the same time as another such job in the same worker', async () => {
      let running = 0
      let most = 0
      const job = jobOf(async () => {
        most = Math.max(most, ++running)
        await sleep(100)
        running--
      })
      const ids: string[] = []
      for (let n = 0; n < 2; n++) ids.push(await enqueue(db, job, {}))
      for (const id of ids) await leaveRunning(id, null)
      work([job])
      for (const id of ids) await become(id, 'done')
      expect(most).toBe(1)
    })
  })

  describe('a job that keeps failing', () => {
    /** Lets the job fail `times` times in all, without delays. Returns its row. */
    async function again(id: string, times: number) {
      for (let failures = 1; failures <= times; failures++) {
        await expect.poll(async () => (await rowOf(id)).failures).toBe(failures)
        if (failures < times && (await rowOf(id)).state === 'waiting')
          await db.updateTable('job').set({ run_at: new Date() }).where('id', '=', id).execute()
      }
      return rowOf(id)
    }

    it('stops after three identical failures and reports the culprit', async () => {
      let runs = 0
      const job = jobOf(async ({ at }) => {
        at('article/6b04d2950ce30b07fba54e49')
        throw new Error(`unsupported Unicode escape sequence, request ${++runs}`)
      })
      work([job])
      const row = await again(await enqueue(db, job, {}), 3)
      expect(row).toMatchObject({
        state: 'stopped',
        error: { code: 'InternalServerError', culprit: 'article/6b04d2950ce30b07fba54e49', times: 3 },
      })
      expect(row.finished_at).toBeInstanceOf(Date)
      expect(runs).toBe(3)
    })

    it('is retried after different failures, and after failures with an external cause', async () => {
      let runs = 0
      const different = jobOf(async ({ at }) => {
        at(`article/${'abc'[runs++ % 3]}`)
        throw new Error('unsupported Unicode escape sequence')
      })
      const away = jobOf(async () => {
        throw new AppError('StorageUnavailable')
      })
      work([different, away])
      for (const job of [different, away])
        expect(await again(await enqueue(db, job, {}), 4)).toMatchObject({ failures: 4, state: 'waiting' })
    })
  })
})

it('a cron job that was missed while no worker ran runs when a worker starts', async () => {
  let runs = 0
  const job = jobOf(async () => void runs++)
  // Half a day away, so that the job is not due while the test runs.
  const cronJob = { job, payload: {}, at: `0 ${(new Date().getUTCHours() + 12) % 24} * * *` }
  const first = work([job], [cronJob])
  const known = () =>
    sql<{
      n: number
    }>`SELECT 1 AS n FROM graphile_worker._private_known_crontabs WHERE identifier = ${job.name}`.execute(db)
  await expect.poll(async () => (await known()).rows.length).toBe(1)
  await first.close(0)
  expect(runs).toBe(0)
  await sql`UPDATE graphile_worker._private_known_crontabs SET known_since = now() - interval '3 days',
    last_execution = now() - interval '25 hours' WHERE identifier = ${job.name}`.execute(db)
  work([job], [cronJob])
  await expect.poll(() => runs).toBe(1)
})

describe('the database role of members', () => {
  it('adds and sees only jobs of the entered space, and cannot cancel other jobs', async () => {
    const seen: unknown[] = []
    const job = jobOf(async ({ scope }) => void seen.push(scope))
    const owner = await createAccount(installation)
    const scopes = []
    for (let n = 0; n < 2; n++) {
      const { uid } = await createSpace(owner.client)
      const row = await db.selectFrom('space').select('id').where('uid', '=', uid).executeTakeFirstOrThrow()
      scopes.push(spaceScope(row.id))
    }
    const [mine, theirs] = scopes as [(typeof scopes)[0], (typeof scopes)[0]]
    const inside = <T>(run: (tx: Db) => Promise<T>) =>
      db.transaction().execute(async (tx) => {
        await enterSpace(tx, mine)
        return run(tx)
      })
    const foreign = await enqueue(db, job, {}, { scope: theirs })
    const installations = await enqueue(db, job, {})
    const own = await inside((tx) => enqueue(tx, job, {}, { scope: mine, requestedBy: owner.id }))
    const visible = await inside((tx) => tx.selectFrom('job').select('id').execute())
    expect(visible).toEqual([{ id: own }])
    for (const id of [foreign, installations]) await inside((tx) => cancelJob(tx, id))
    for (const scope of [{ scope: theirs }, {}])
      await expect(inside((tx) => enqueue(tx, job, {}, scope))).rejects.toThrow(/row-level security/)
    for (const statement of [
      sql`UPDATE job SET payload = '{}'`,
      sql`DELETE FROM job`,
      sql`SELECT * FROM graphile_worker.jobs`,
      sql`SELECT graphile_worker.add_job('x')`,
      sql`SELECT * FROM outbox_cursor`,
      sql`SELECT * FROM event_job`,
    ])
      await expect(inside((tx) => statement.execute(tx))).rejects.toThrow(/permission denied/)
    work([job])
    for (const id of [foreign, installations, own]) await become(id, 'done')
    expect(seen).toEqual(expect.arrayContaining([mine, theirs, null]))
  })
})

it('a job of a deleted space is cancelled without running', async () => {
  let runs = 0
  const job = jobOf(async () => void runs++)
  const owner = await createAccount(installation)
  const { uid, url } = await createSpace(owner.client)
  const { id } = await db.selectFrom('space').select('id').where('uid', '=', uid).executeTakeFirstOrThrow()
  const asked = await enqueue(db, job, {}, { scope: spaceScope(id) })
  await owner.client.delete(url)
  work([job])
  await become(asked, 'cancelled')
  expect(runs).toBe(0)
})

it('the default delay grows with each failure up to one hour', () => {
  expect([1, 2, 3, 20].map(defaultRetries.delay)).toEqual([10_000, 30_000, 90_000, 3_600_000])
})
