import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { asSystem } from '#server/access/callers/job.ts'
import type { Operation } from '#server/access/operations/operation.ts'
import type { Db } from '#server/db/scope.ts'
import { operations } from '#server/features/index.ts'
import { appEndpoints } from '#shared/contract/apps.ts'
import { documentEndpoints } from '#shared/contract/documents.ts'
import { externalStorageEndpoints } from '#shared/contract/external-storage.ts'
import {
  createAccount,
  createApp,
  createModel,
  createSpace,
  type TestAccount,
  unique,
} from '#test/factories.ts'
import { startInstallation, type TestInstallation } from '#test/server.ts'
import type { ConsumerContext, EventConsumer, OutboxEvent } from './event-consumer.ts'
import { startWorker, type Worker } from './runner.ts'

/* Event consumers that execute operations of the contract. */

let installation: TestInstallation
let db: Db
let admin: TestAccount
let space: { uid: string; url: string }
let app: { uid: string; url: string }
let model: { uid: string; url: string }
beforeAll(async () => {
  installation = await startInstallation()
  db = installation.database.kysely
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  app = await createApp(admin.client, space)
  model = await createModel(admin.client, app)
})
afterAll(() => installation?.close())

let worker: Worker | undefined
afterEach(async () => {
  await worker?.close(0)
  worker = undefined
})

interface Run {
  ctx: ConsumerContext
  /** Creates a document with the name of the consumer as its title. Returns its `_id`. */
  createDocument(): Promise<string>
  execute: ReturnType<ConsumerContext['executeAs']>
}

/**
 * Delivers one event to a new consumer with this handler, and waits until its cursor has passed the event. Returns the
 * name of the consumer.
 */
async function consume(
  atomic: boolean,
  work: (run: Run) => Promise<void>,
  own: readonly Operation[] = operations,
): Promise<string> {
  const name = unique('test.consumer')
  const uid = unique('new')
  async function handle(events: OutboxEvent[], ctx: ConsumerContext): Promise<void> {
    // Events of apps that were created before may get their positions only now.
    if (!events.some(({ payload }) => payload.uid === uid)) return
    const execute = ctx.executeAs(asSystem({ name }, 'pendingRangesExpired'))
    const params = { p: space.uid, a: app.uid, m: model.uid }
    const body = { document: { title: name } }
    const createDocument = async () =>
      (await execute(documentEndpoints.createDocument, { params, body })).document._id
    await work({ ctx, createDocument, execute })
  }
  const consumer: EventConsumer = { name, types: ['app.created'], atomic, handle }
  worker = startWorker({
    services: installation.deps.services,
    jobsPool: installation.database.jobsPool,
    jobs: [],
    operations: own,
    cronJobs: [],
    eventConsumers: [consumer],
  })
  const cursor = db.selectFrom('outbox_cursor').select('position').where('name', '=', name)
  await expect.poll(() => cursor.execute()).toHaveLength(1)
  await createApp(admin.client, space, uid)
  const event = db
    .selectFrom('event')
    .select('position')
    .where('type', '=', 'app.created')
    .where(sql`payload->>'uid'`, '=', uid)
  await expect
    .poll(async () => {
      const created = await event.executeTakeFirst()
      const { position } = await cursor.executeTakeFirstOrThrow()
      return created?.position != null && position >= Number(created.position)
    })
    .toBe(true)
  return name
}

/** Returns the documents that the consumer has created. */
const documentsOf = async (name: string): Promise<string[]> =>
  (
    await db
      .selectFrom('document')
      .select('id')
      .where(sql`draft::text`, 'like', `%${JSON.stringify(name)}%`)
      .execute()
  ).map(({ id }) => id)
/** Returns the audit entries of the consumer. */
const entriesOf = (name: string) =>
  db
    .selectFrom('audit_entry')
    .select(['act', 'outcome', 'actor_kind', 'object_id', 'details'])
    .where('actor_name', '=', name)
    .orderBy('id')
    .execute()
const codeOf = (work: Promise<unknown>) => work.then(() => null).catch(({ code }) => code)

describe.each([
  ['atomic', true],
  ['repeatable', false],
])('an operation that an %s event consumer executes', (_kind, atomic) => {
  it('takes effect with the audit entry of the system, and leaves the space', async () => {
    const ids: string[] = []
    const places: unknown[] = []
    const name = await consume(atomic, async ({ ctx, createDocument }) => {
      ids.push(await createDocument())
      const { rows } = await sql`SELECT current_user = session_user AS "isHome",
        coalesce(current_setting('imori.space_id', true), '') AS space`.execute(ctx.db)
      places.push(...rows)
    })
    expect(ids).toHaveLength(1)
    expect(await documentsOf(name)).toEqual(ids)
    expect(await entriesOf(name)).toMatchObject([
      {
        act: 'document.create',
        outcome: 'done',
        actor_kind: 'system',
        object_id: ids[0],
        details: { systemReason: 'pendingRangesExpired' },
      },
    ])
    expect(places).toEqual([{ isHome: true, space: '' }])
  })

  it('receives the signal of the consumer', async () => {
    const signals: unknown[] = []
    const watched = operations.map((operation): Operation => {
      if (operation.endpoint !== documentEndpoints.createDocument) return operation
      return {
        ...operation,
        handle(ctx, input, request) {
          signals.push(request.signal)
          return operation.handle(ctx, input, request)
        },
      }
    })
    await consume(
      atomic,
      async ({ ctx, createDocument }) => {
        await createDocument()
        signals.push(ctx.signal)
      },
      watched,
    )
    expect(signals).toHaveLength(2)
    expect(signals[0]).toBe(signals[1])
  })

  it('keeps the checks, and has no effect if it is refused', async () => {
    const codes: unknown[] = []
    const name = await consume(atomic, async ({ createDocument, execute }) => {
      const params = { p: space.uid, a: app.uid }
      codes.push(await codeOf(execute(appEndpoints.getApp, { params: { ...params, a: 'unknown' } })))
      const data = { uid: app.uid, name: 'x' }
      codes.push(await codeOf(execute(appEndpoints.createApp, { params, body: { data } })))
      await createDocument()
    })
    expect(codes).toEqual(['NotFound', 'AppUidIsAlreadyInUse'])
    expect((await entriesOf(name)).map(({ act }) => act)).toEqual(['document.create'])
  })

  it('is refused if it is not implemented', async () => {
    const errors: unknown[] = []
    await consume(
      atomic,
      async ({ createDocument }) => {
        await createDocument().catch((error) => errors.push(error))
      },
      operations.filter(({ endpoint }) => endpoint !== documentEndpoints.createDocument),
    )
    expect(errors).toEqual([
      new TypeError(`${documentEndpoints.createDocument.route} is not implemented here`),
    ])
  })
})

describe('an event consumer that fails after an operation', () => {
  /** Fails once after the operation. Returns the documents that exist after the failure, and at the end. */
  async function failOnce(atomic: boolean) {
    const before: number[] = []
    const name = await consume(atomic, async ({ createDocument, ctx }) => {
      const { consumer } = ctx.services.log.bindings()
      before.push((await documentsOf(consumer)).length)
      await createDocument()
      if (before.length === 1) throw new Error('not now')
    })
    return { before, documents: (await documentsOf(name)).length, entries: (await entriesOf(name)).length }
  }

  it('has one effect and one audit entry if it is atomic', async () => {
    expect(await failOnce(true)).toEqual({ before: [0, 0], documents: 1, entries: 1 })
  })

  it('has an effect and an audit entry per delivery if it is repeatable', async () => {
    expect(await failOnce(false)).toEqual({ before: [0, 1], documents: 2, entries: 2 })
  })
})

describe('an operation that opens its own transactions', () => {
  const read = async (atomic: boolean) => {
    const results: unknown[] = []
    await consume(atomic, async ({ execute, createDocument }) => {
      const reading = execute(externalStorageEndpoints.getExternalStorage, { params: { p: space.uid } })
      results.push(await reading.then(() => 'done').catch((error: Error) => error.message))
      await createDocument()
    })
    return results
  }

  it('is refused in an atomic event consumer', async () => {
    expect(await read(true)).toEqual([expect.stringContaining('opens its own transactions')])
  })

  it('is executed in a repeatable event consumer', async () => {
    expect(await read(false)).toEqual(['done'])
  })
})
