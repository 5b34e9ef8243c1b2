import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Actor } from '#server/access/actor.ts'
import { asSystem } from '#server/access/callers/job.ts'
import { enter } from '#server/access/enter.ts'
import { loadConfig } from '#server/config.ts'
import { type Database, openDatabase } from '#server/db/connection.ts'
import {
  appScope,
  type Db,
  enterSpace,
  inTransaction,
  modelScope,
  type SpaceScope,
  spaceScope,
} from '#server/db/scope.ts'
import { newId } from '#server/lib/ids.ts'
import { openServices } from '#server/open-services.ts'
import type { Services } from '#server/services.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { startInstallation, testSecrets } from '#test/server.ts'
import { enqueueOnce } from './enqueue.ts'
import type { EventConsumer, OutboxEvent } from './event-consumer.ts'
import { documentsSince, newestEvent, recordEvent } from './events.ts'
import { defineJob } from './job.ts'
import { type Outbox, placeEvents, readOutbox, trimEvents } from './outbox.ts'
import { startWorker } from './runner.ts'

let testDatabase: TestDatabase
let database: Database
let db: Db
let opened: { services: Services; close(): Promise<void> }
let scope: SpaceScope
const outboxes: Outbox[] = []

beforeEach(async () => {
  testDatabase = await createTestDatabase()
  database = await openDatabase(testDatabase.connection, () => {}, {
    management: 20,
    delivery: 1,
    jobs: 10,
  })
  db = database.kysely
  const config = loadConfig({ IMORI_LOG_LEVEL: 'silent' })
  opened = openServices({ config, secrets: testSecrets, database })
  const { id } = await db
    .insertInto('space')
    .values({ uid: 'acme', name: 'Acme' })
    .returning('id')
    .executeTakeFirstOrThrow()
  scope = spaceScope(id)
})
afterEach(async () => {
  await Promise.all(outboxes.splice(0).map((outbox) => outbox.stop()))
  await opened.close()
  await database.close()
  await testDatabase.drop()
})

function read(...eventConsumers: EventConsumer[]): Outbox {
  const outbox = readOutbox(db, eventConsumers, opened.services)
  outboxes.push(outbox)
  return outbox
}

const actor: Actor = { kind: 'job', id: 'b'.repeat(24), name: 'test' }

/** Returns an event consumer that stores all events it receives. */
function collector(name: string, types: EventConsumer['types'] = ['document.saved', 'document.published']) {
  const seen: OutboxEvent[] = []
  const consumer: EventConsumer = { name, types, handle: async (events) => void seen.push(...events) }
  return { seen, consumer }
}

const saved = (tx: Db, documentId: string, version: number) =>
  recordEvent(tx, scope, 'document.saved', { version, publishedVersion: null }, { documentId, actor })

/** Waits until the rows of the event consumers exist, so that later events are delivered. */
const waitForCursors = (...names: string[]) =>
  expect
    .poll(() => db.selectFrom('outbox_cursor').select('name').where('name', 'in', names).execute())
    .toHaveLength(names.length)

const cursorsOf = async (name: string) =>
  (await db.selectFrom('outbox_cursor').select('position').where('name', '=', name).execute()).map(
    ({ position }) => position,
  )

/** Returns a promise and the function that resolves it. */
function promise() {
  let resolve = () => {}
  const resolved = new Promise<void>((settle) => {
    resolve = settle
  })
  return { resolved, resolve: () => resolve() }
}

const versionsOf = (events: OutboxEvent[], documentId: string) =>
  events.filter((event) => event.documentId === documentId).map((event) => event.payload.version)

describe('the outbox', () => {
  it('delivers the events of 16 concurrent writers to two consumers, in commit order per document', async () => {
    const [a, b] = [collector('a'), collector('b')]
    const outbox = read(a.consumer, b.consumer)
    await waitForCursors('a', 'b')
    // Transactions lock and increment these rows, as they do with documents. Each transaction writes one to four rows.
    await database.pool.query('CREATE TABLE counted (id text PRIMARY KEY, version int NOT NULL DEFAULT 0)')
    const documents = Array.from({ length: 8 }, newId)
    await database.pool.query('INSERT INTO counted SELECT unnest($1::text[])', [documents])
    const writer = async (number: number) => {
      for (let n = 0; n < 12; n++) {
        await db.transaction().execute(async (tx) => {
          // The writers wait for each other, which could exceed the timeout on a slow machine.
          await sql`SET LOCAL statement_timeout = 0`.execute(tx)
          const first = Math.floor(Math.random() * documents.length)
          const last = Math.min(documents.length, first + 1 + (number % 4))
          for (const id of documents.slice(first, last)) {
            const { rows } = await sql<{ version: number }>`
              UPDATE counted SET version = version + 1 WHERE id = ${id} RETURNING version`.execute(tx)
            await saved(tx, id, Number(rows[0]?.version))
            if (n % 5 === 0) await sleep(Math.random() * 5)
          }
        })
        outbox.wake()
      }
    }
    await Promise.all(Array.from({ length: 16 }, (_, number) => writer(number)))
    outbox.wake()
    const { rows } = await database.pool.query<{ id: string; version: number }>('SELECT * FROM counted')
    const total = rows.reduce((sum, row) => sum + row.version, 0)
    for (const { seen } of [a, b]) {
      await expect.poll(() => seen.length).toBe(total)
      for (const { id, version } of rows)
        expect(versionsOf(seen, id)).toEqual(Array.from({ length: version }, (_, n) => n + 1))
    }
    expect(a.seen).toEqual(b.seen)
  })

  it('delivers the event of a slow transaction after an event that committed earlier', async () => {
    const { seen, consumer } = collector('patient')
    const outbox = read(consumer)
    await waitForCursors('patient')
    const [slow, quick] = [newId(), newId()]
    let commit = () => {}
    const mayCommit = new Promise<void>((resolve) => {
      commit = resolve
    })
    let written = () => {}
    const isWritten = new Promise<void>((resolve) => {
      written = resolve
    })
    const committing = db.transaction().execute(async (tx) => {
      await saved(tx, slow, 1)
      written()
      await mayCommit
    })
    await isWritten
    await saved(db, quick, 1)
    outbox.wake()
    // Other events do not wait for the slow transaction.
    await expect.poll(() => seen.map((event) => event.documentId)).toEqual([quick])
    commit()
    await committing
    outbox.wake()
    await expect.poll(() => seen.map((event) => event.documentId)).toEqual([quick, slow])
  })

  it('repeats the delivery to an event consumer that failed, and delivers to other consumers', async () => {
    const other = collector('other')
    const seen: number[][] = []
    let failures = 2
    const failing: EventConsumer = {
      name: 'failing',
      types: ['document.saved'],
      handle: async (events) => {
        seen.push(events.map((event) => Number(event.payload.version)))
        if (failures-- > 0) throw new Error('not now')
      },
    }
    const outbox = read(failing, other.consumer)
    await waitForCursors('failing', 'other')
    const id = newId()
    await saved(db, id, 1)
    outbox.wake()
    await expect.poll(() => other.seen.length).toBe(1)
    await expect.poll(() => seen).toEqual([[1], [1], [1]])
    await saved(db, id, 2)
    outbox.wake()
    await expect.poll(() => seen.at(-1)).toEqual([2])
  })

  it('adds each job once if events are delivered again, even if the jobs have ended', async () => {
    const job = defineJob({ name: 'test.send', payload: z.object({ n: z.int() }), handler: async () => {} })
    const added: string[] = []
    const consumerIn = (process: string, interruption: () => Promise<void>): EventConsumer => ({
      name: 'sender',
      types: ['document.saved'],
      async handle(events, ctx) {
        const addJobs = async () => {
          for (const event of events) {
            const n = Number(event.payload.version)
            const caller = asSystem({ name: 'sender' }, 'pendingRangesExpired')
            const isNew = await enter(ctx, caller, { scope: spaceScope(event.spaceId) }, null, (inside) =>
              ctx.enqueueOnce(inside.db, event, job, { n }, { scope: inside.scope }),
            )
            added.push(`${process} ${n} ${isNew}`)
          }
        }
        await addJobs()
        await interruption()
        await addJobs()
      },
    })
    const frozen = promise()
    const first = read(consumerIn('first', () => frozen.resolved))
    await waitForCursors('sender')
    await db.transaction().execute(async (tx) => {
      for (const version of [1, 2]) await saved(tx, newId(), version)
    })
    first.wake()
    await expect.poll(() => added).toEqual(['first 1 true', 'first 2 true'])
    await db.deleteFrom('job').execute()

    // The process of the first reader no longer responds, so another process takes over before the cursor moves.
    const [position] = await cursorsOf('sender')
    read(consumerIn('second', async () => {}))
    await expect.poll(async () => (await cursorsOf('sender'))[0]).toBe(Number(position) + 2)
    expect(added.slice(2)).toEqual(Array(2).fill(['second 1 false', 'second 2 false']).flat())
    expect(await db.selectFrom('event_job').selectAll().execute()).toEqual([])

    frozen.resolve()
    await expect.poll(() => added.slice(6)).toEqual(['first 1 false', 'first 2 false'])
    expect(await db.selectFrom('job').select('id').execute()).toEqual([])
  })

  it('adds no job in a space for an event of another space', async () => {
    const job = defineJob({ name: 'test.send', payload: z.object({}), handler: async () => {} })
    const reader = read(collector('reader').consumer)
    await waitForCursors('reader')
    await reader.stop()
    await saved(db, newId(), 1)
    await placeEvents(db)
    const event = await db.selectFrom('event').select('position').executeTakeFirstOrThrow()
    const cause = { consumer: 'reader', event: { position: Number(event.position) } }
    const addIn = (space: SpaceScope) =>
      inTransaction(db, async (tx) => {
        await enterSpace(tx, space)
        return enqueueOnce(tx, cause, job, {}, { scope: space })
      })
    const other = await db
      .insertInto('space')
      .values({ uid: 'other', name: 'Other' })
      .returning('id')
      .executeTakeFirstOrThrow()
    expect([await addIn(spaceScope(other.id)), await addIn(scope), await addIn(scope)]).toEqual([
      false,
      true,
      false,
    ])
  })

  it('delivers each event once to an atomic consumer that fails or is read by two processes', async () => {
    await database.pool.query('CREATE TABLE effect (position bigint NOT NULL)')
    const effects = async () =>
      (await database.pool.query('SELECT position FROM effect ORDER BY position')).rows.length
    let failures = 2
    const consumer: EventConsumer = {
      name: 'counter',
      types: ['document.saved'],
      atomic: true,
      async handle(events, ctx) {
        for (const { position } of events) await sql`INSERT INTO effect VALUES (${position})`.execute(ctx.db)
        // The cursor moves although the consumer has handled an error inside a space.
        const place = { scope: spaceScope(0) }
        await enter(
          ctx,
          asSystem({ name: 'counter' }, 'pendingRangesExpired'),
          place,
          null,
          async () => {},
        ).catch(() => {})
        if (failures-- > 0) throw new Error('not now')
      },
    }
    const readers = [read(consumer), read(consumer)]
    await waitForCursors('counter')
    for (let version = 1; version <= 40; version++) {
      await saved(db, newId(), version)
      for (const reader of readers) reader.wake()
    }
    const newest = db.selectFrom('event').select((select) => select.fn.max('position').as('position'))
    await expect
      .poll(async () => {
        const last = (await newest.executeTakeFirst())?.position
        return (await cursorsOf('counter'))[0] === last && effects()
      })
      .toBe(40)
  })

  it('reports the actor of each event to consumers, which can enter the space', async () => {
    const seen: unknown[] = []
    const consumer: EventConsumer = {
      name: 'entering',
      types: ['document.saved'],
      async handle(events, ctx) {
        for (const { spaceId, actorKind, actorId, actorName } of events) {
          const place = { scope: spaceScope(spaceId) }
          const caller = asSystem({ name: 'entering' }, 'pendingRangesExpired')
          const uid = await enter(ctx, caller, place, null, async ({ space }) => space.uid)
          seen.push([actorKind, actorId, actorName, uid, ctx.services.log.bindings().consumer])
        }
      },
    }
    const outbox = read(consumer)
    await waitForCursors('entering')
    await saved(db, newId(), 1)
    const visitor: Actor = { kind: 'visitor', name: 'contact' }
    const payload = { version: 1, publishedVersion: null }
    await recordEvent(db, scope, 'document.saved', payload, { documentId: newId(), actor: visitor })
    outbox.wake()
    await expect
      .poll(() => seen)
      .toEqual([
        ['job', null, 'test', 'acme', 'entering'],
        ['visitor', null, 'contact', 'acme', 'entering'],
      ])
  })

  it('starts a new consumer after existing events, and a known consumer at its stored position', async () => {
    const id = newId()
    await saved(db, id, 1)
    await placeEvents(db)
    const first = collector('reader')
    const before = read(first.consumer)
    await waitForCursors('reader')
    await saved(db, id, 2)
    before.wake()
    await expect.poll(() => versionsOf(first.seen, id)).toEqual([2])
    await before.stop()
    await saved(db, id, 3)
    const again = collector('reader')
    read(again.consumer)
    await expect.poll(() => versionsOf(again.seen, id)).toEqual([3])
  })

  it('deletes old events that all event consumers have processed, ignoring consumers that no longer exist', async () => {
    const id = newId()
    for (const version of [1, 2, 3, 4]) await saved(db, id, version)
    await db
      .updateTable('event')
      .set({ created_at: new Date(0) })
      .execute()
    await placeEvents(db)
    const positions = await db.selectFrom('event').select('position').orderBy('position').execute()
    const at = (index: number) => Number(positions[index]?.position)
    await db.deleteFrom('outbox_cursor').execute()
    await db
      .insertInto('outbox_cursor')
      .values([
        { name: 'ahead', position: at(3) },
        { name: 'behind', position: at(1) },
        { name: 'gone', position: 0, updated_at: new Date(0) }, // an event consumer that no longer exists in the code
      ])
      .execute()
    await saved(db, id, 5)
    expect(await trimEvents(db, 30)).toBe(2)
    await db.deleteFrom('outbox_cursor').where('name', '=', 'behind').execute()
    expect(await trimEvents(db, 30)).toBe(2)
    expect(await trimEvents(db, 30)).toBe(0)
    expect(await db.selectFrom('event').select('position').execute()).toEqual([{ position: null }])
  })
})

it('the documents written since an event include imported documents', async () => {
  const [before, written, first, second, other] = Array.from({ length: 5 }, newId)
  const model = modelScope(appScope(scope, 1), 2)
  const versions = { version: 1, publishedVersion: null }
  const subject = { appId: 1, modelId: 2, actor }
  const imported = (ids: (string | undefined)[], modelId: number) =>
    recordEvent(
      db,
      scope,
      'documents.imported',
      { documents: ids.map((id) => ({ id: String(id), ...versions })) },
      { ...subject, modelId },
    )
  await imported([before], 2)
  const event = await newestEvent(db, scope)
  expect(await documentsSince(db, model, event)).toEqual([])
  await imported([first, second], 2)
  await imported([other], 3)
  await recordEvent(db, scope, 'app.imported', { documents: 2 }, { appId: 1, actor })
  for (const documentId of [written, first])
    await recordEvent(db, scope, 'document.saved', versions, { ...subject, documentId: String(documentId) })
  expect((await documentsSince(db, model, event)).sort()).toEqual([written, first, second].sort())
})

it('the outbox is read by the first of two workers, and by the second after the first has closed', async () => {
  const installation = await startInstallation()
  const { deps, database: own } = installation
  const seen: string[] = []
  const workerOf = (name: string) =>
    startWorker({
      services: deps.services,
      jobsPool: own.jobsPool,
      jobs: [],
      cronJobs: [],
      eventConsumers: [
        {
          name: 'watcher',
          types: ['space.created'],
          handle: async (events) => void seen.push(...events.map((event) => `${name} ${event.payload.uid}`)),
        },
      ],
    })
  const create = async (uid: string) => {
    const row = await own.kysely
      .insertInto('space')
      .values({ uid, name: uid })
      .returning('id')
      .executeTakeFirstOrThrow()
    await recordEvent(own.kysely, spaceScope(row.id), 'space.created', { uid }, { actor })
  }
  const first = workerOf('first')
  let second: ReturnType<typeof startWorker> | undefined
  try {
    const cursor = own.kysely.selectFrom('outbox_cursor').select('name').where('name', '=', 'watcher')
    await expect.poll(() => cursor.execute()).toHaveLength(1)
    second = workerOf('second')
    await create('one')
    await expect.poll(() => seen).toEqual(['first one'])
    await first.close(0)
    await create('two')
    await expect.poll(() => seen).toEqual(['first one', 'second two'])
  } finally {
    await first.close(0)
    await second?.close(0)
    await installation.close()
  }
})
