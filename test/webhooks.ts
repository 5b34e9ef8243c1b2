import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { vi } from 'vitest'
import { webhookConsumer } from '#server/features/webhooks/webhooks.consumer.ts'
import { deliverWebhooksJob } from '#server/features/webhooks/webhooks.jobs.ts'
import { startWorker, type Worker } from '#server/jobs/runner.ts'
import { createAccount, createApp, createSpace, type TestAccount } from './factories.ts'
import { ok, startInstallation, type TestInstallation } from './server.ts'

/* Helpers for tests of webhooks with a real receiver. A real worker reads the outbox and sends the requests. */

export interface Received {
  path: string
  method: string
  headers: Record<string, string>
  body: string
}

type Answer = (request: Received, response: ServerResponse) => void

/** A receiver on the loopback interface that stores the requests that it gets. */
export interface Receiver {
  origin: string
  received: Received[]
  /** Handlers by path. Requests to other paths get status 200. */
  answers: Map<string, Answer>
  at(path: string): Received[]
  /** Returns the parsed bodies of the requests to a path. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on it instead of typing it
  bodies(path?: string): any[]
  /** Cuts all connections. */
  cut(): void
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const answers = new Map<string, Answer>()
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { url: path = '', method = '' } = request
    const headers = request.headers as Record<string, string>
    const one = { path, method, headers, body: Buffer.concat(chunks).toString() }
    received.push(one)
    const answer = answers.get(path)
    if (answer) answer(one, response)
    else response.end('ok')
  }
  const server: Server = createServer((request, response) => void receive(request, response).catch(() => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const at = (path: string) => received.filter((one) => one.path === path)
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answers,
    at,
    bodies: (path = '/hook') => at(path).map(({ body }) => JSON.parse(body)),
    cut: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export interface Hooks {
  installation: TestInstallation
  receiver: Receiver
  admin: TestAccount
  /** Cuts requests in progress, and deletes all webhooks, received requests and handlers. */
  clear(): Promise<void>
  close(): Promise<void>
}

/**
 * A trigger that delays every retry by an hour, so that no test races the real delay. Tests update the time to make a
 * retry due.
 */
const retryInAnHour = `
  CREATE FUNCTION retry_in_an_hour() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    NEW.next_at = now() + interval '1 hour';
    RETURN NEW;
  END $$;
  CREATE TRIGGER retry_in_an_hour BEFORE UPDATE ON webhook_message FOR EACH ROW
    WHEN (NEW.state = 'waiting' AND NEW.attempts > OLD.attempts) EXECUTE FUNCTION retry_in_an_hour()`

/** Starts an installation with its own database, whose worker sends to the receiver. */
export async function startHooks(): Promise<Hooks> {
  const receiver = await startReceiver()
  const installation = await startInstallation({
    IMORI_WEBHOOK_ORIGINS: receiver.origin,
    IMORI_LOG_LEVEL: 'error',
  })
  const { deps, database } = installation
  await database.pool.query(retryInAnHour)
  const admin = await createAccount(installation, { verified: true })
  const worker: Worker = startWorker({
    services: deps.services,
    jobsPool: database.jobsPool,
    jobs: [deliverWebhooksJob],
    cronJobs: [],
    eventConsumers: [webhookConsumer],
  })
  const cursor = database.kysely
    .selectFrom('outbox_cursor')
    .select('name')
    .where('name', '=', webhookConsumer.name)
  await vi.waitUntil(() => cursor.executeTakeFirst(), { timeout: 60_000 })
  return {
    installation,
    receiver,
    admin,
    async clear() {
      // Each webhook has its own statement, because the event consumer locks several rows in its own order.
      for (const { id } of await database.kysely.selectFrom('webhook').select('id').execute())
        await database.kysely.updateTable('webhook').set({ enabled: false }).where('id', '=', id).execute()
      await vi.waitUntil(
        async () => {
          receiver.cut()
          const running = await database.kysely
            .selectFrom('job')
            .select('id')
            .where('name', '=', deliverWebhooksJob.name)
            .where('state', '=', 'running')
            .executeTakeFirst()
          return running === undefined
        },
        { timeout: 60_000 },
      )
      await database.kysely.deleteFrom('webhook').execute()
      receiver.received.length = 0
      receiver.answers.clear()
    },
    async close() {
      await worker.close(0)
      await receiver.close()
      await installation.close()
    },
  }
}

/**
 * Creates a space with an app of articles that refer to authors. Returns helpers to write documents and to read
 * webhooks.
 */
export async function newSpace({ installation, receiver, admin: { client } }: Hooks) {
  const { kysely } = installation.database
  const space = await createSpace(client)
  const app = await createApp(client, space)
  const title = { uid: 'title', name: 'title', type: 'TEXT' }
  const by = { uid: 'by', name: 'by', type: 'REFERENCE', modelUid: 'author' }
  ok(await client.post(`${app.url}/model`, { data: { uid: 'author', name: '著者', fields: [title] } }))
  ok(await client.post(`${app.url}/model`, { data: { uid: 'article', name: '記事', fields: [title, by] } }))
  const urlOf = (id: string) => `${space.url}/webhook/${id}`
  /** Changes a webhook, which enqueues its delivery job. */
  const wake = async (id: string) => ok(await client.patch(urlOf(id), { data: { name: 'もう一度' } }))
  return {
    space,
    app,
    async write(values: object, { id = '', type = 'SAVE', model = 'article' } = {}): Promise<string> {
      const url = `${app.url}/model/${model}/doc`
      const sent = id
        ? await client.put(`${url}/${id}`, { doc: values, type })
        : await client.post(url, { document: values, type })
      return ok(sent).document._id
    },
    async hook(data: object = {}): Promise<{ _id: string; signingSecret: string; url: string }> {
      const given = {
        name: 'サイト',
        url: `${receiver.origin}/hook`,
        events: ['document.published'],
        ...data,
      }
      const { webhook } = ok(await client.post(`${space.url}/webhook`, { data: given }))
      return { ...webhook, url: urlOf(webhook._id) }
    },
    // biome-ignore lint/suspicious/noExplicitAny: a test asserts on it instead of typing it
    one: async (id: string): Promise<any> => ok(await client.get(urlOf(id))).webhook,
    /** Returns the log, oldest entry first. */
    // biome-ignore lint/suspicious/noExplicitAny: a test asserts on it instead of typing it
    log: async (id: string, query = ''): Promise<any[]> =>
      ok(await client.get(`${urlOf(id)}/delivery${query}`)).deliveries.toReversed(),
    /** Ends the pause of a webhook, as if its time had passed. */
    async endPause(id: string) {
      await kysely
        .updateTable('webhook')
        .set({ paused_until: new Date(0) })
        .where('id', '=', id)
        .execute()
      await wake(id)
    },
    /** Makes the waiting messages of a webhook due, and ends its pause. */
    async hurry(id: string) {
      await kysely
        .updateTable('webhook_message')
        .set({ next_at: new Date(0) })
        .where('webhook_id', '=', id)
        .where('state', '=', 'waiting')
        .execute()
      await kysely
        .updateTable('webhook')
        .set({ paused_until: new Date(0) })
        .where('id', '=', id)
        .where('paused_until', 'is not', null)
        .execute()
      await wake(id)
    },
  }
}
