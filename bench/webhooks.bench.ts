import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createSession } from '#server/access/sessions.ts'
import { loadConfig } from '#server/config.ts'
import { openDatabase } from '#server/db/connection.ts'
import { startEmbeddedPostgres } from '#server/db/embedded-postgres/start.ts'
import { migrate } from '#server/db/migrate.ts'
import { spaceScope } from '#server/db/scope.ts'
import { webhookConsumer } from '#server/features/webhooks/webhooks.consumer.ts'
import { deliverWebhooksJob } from '#server/features/webhooks/webhooks.jobs.ts'
import { cookieName } from '#server/http/browsers/cookie-jar.ts'
import { recordEvents } from '#server/jobs/events.ts'
import { migrateQueue } from '#server/jobs/queue-schema.ts'
import { startWorker } from '#server/jobs/runner.ts'
import { newId } from '#server/lib/ids.ts'
import { openServices } from '#server/open-services.ts'
import { buildServer } from '#server/server.ts'
import { close, startCommand } from './measuring.ts'
import { machine, median, moveToBackEnd, onLoadCore } from './options.ts'

/*
 * Measures the webhooks of one space, sent by the process that also handles requests: events per second to 20 webhooks,
 * with one event per request and with several. Also measures the duration of saves while other receivers behave badly,
 * compared with no webhooks in alternating blocks, and how late a good receiver gets its events meanwhile.
 */

const webhooks = 20
const eventsPerRun = { single: 1000, batched: 20_000 }
const blocks = 7
const savesPerBlock = 60
const badPaths = ['hang', 'drip', 'fail', 'endless']

const folder = mkdtempSync(join(tmpdir(), 'imori-webhooks-'))
mkdirSync(folder, { recursive: true })
const secrets = {
  sessionKey: 'only for this bench '.repeat(3),
  encryptionKeys: [Buffer.alloc(32, 7).toString('base64')],
}
const [, port] = await startCommand(
  onLoadCore([process.execPath, '--import', 'tsx', 'bench/webhook-receiver.ts']),
  {},
  /^\d+$/,
)
const origin = `http://127.0.0.1:${port}`
moveToBackEnd()
const postgres = await startEmbeddedPostgres({ dataDir: folder, log: console.warn })
const database = await openDatabase(postgres.connection, console.warn)
await migrate(database)
await migrateQueue(database)
const db = database.kysely
const config = loadConfig({
  IMORI_LOG_LEVEL: 'error',
  IMORI_DATA: folder,
  IMORI_SIGNUP: 'open',
  IMORI_WEBHOOK_ORIGINS: origin,
})
const opened = openServices({ config, secrets, database })
const server = await buildServer({ services: opened.services, database })
const admin = newId()
const email = 'admin@example.com'
await db.insertInto('account').values({ id: admin, email, email_key: email, name: '管理者' }).execute()
const cookie = `${cookieName(config, 'sid')}=${await createSession(db, secrets, admin)}`
const { csrfToken } = await call('GET', '/api/auth/csrfToken')
const worker = startWorker({
  services: opened.services,
  jobsPool: database.jobsPool,
  jobs: [deliverWebhooksJob],
  cronJobs: [],
  eventConsumers: [webhookConsumer],
})

// biome-ignore lint/suspicious/noExplicitAny: responses of many endpoints
async function call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: unknown): Promise<any> {
  const answer = await server.inject({
    method,
    url,
    headers: { cookie, ...(method === 'GET' ? {} : { 'x-csrf-token': csrfToken }) },
    ...(body === undefined ? {} : { payload: body as object }),
  })
  if (answer.statusCode !== 200) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.body}`)
  return answer.json()
}

const space = '/api/project/team'
const model = `${space}/app/site/model/article`

async function fill(): Promise<string[]> {
  await call('POST', '/api/project', { project: { uid: 'team', name: 'チーム' } })
  await call('POST', `${space}/app`, { data: { uid: 'site', name: 'サイト' } })
  const fields = [{ uid: 'title', name: 'タイトル', type: 'TEXT' }]
  await call('POST', `${space}/app/site/model`, { data: { uid: 'article', name: '記事', fields } })
  const ids: string[] = []
  for (let n = 0; n < 100; n++)
    ids.push((await call('POST', `${model}/doc`, { document: { title: `記事 ${n}` } })).document._id)
  return ids
}

/** Creates webhooks. Returns a function that deletes them. */
async function hooks(path: string, data: object, count = webhooks): Promise<() => Promise<void>> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const given = { name: `${n}`, url: `${origin}/${path}/${n}`, events: ['document.saved'], ...data }
    ids.push((await call('POST', `${space}/webhook`, { data: given })).webhook._id)
  }
  return async () => {
    for (const id of ids) await call('DELETE', `${space}/webhook/${id}`)
  }
}

/**
 * Returns the number of events received under `/path/`, and the longest time in ms between an event and its arrival.
 * `outOfOrder`: number of all received events that arrived out of order.
 */
async function receivedAt(path: string): Promise<{ events: number; longestMs: number; outOfOrder: number }> {
  const { received, outOfOrder } = (await (await fetch(`${origin}/received`)).json()) as {
    received: Record<string, { events: number; longestMs: number }>
    outOfOrder: number
  }
  const found = Object.entries(received).flatMap(([url, one]) => (url.startsWith(`/${path}/`) ? one : []))
  return {
    events: found.reduce((sum, { events }) => sum + events, 0),
    longestMs: Math.max(0, ...found.map(({ longestMs }) => longestMs)),
    outOfOrder,
  }
}

/** Waits until the event consumer has read all events, so that new webhooks get no earlier ones. */
async function caughtUp(): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ behind: boolean }>`
      SELECT position < (SELECT max(position) FROM event) AS behind FROM outbox_cursor WHERE name = ${webhookConsumer.name}`.execute(
      db,
    )
    if (rows[0]?.behind === false) return
    await sleep(50)
  }
}

/** Writes events as the saves of a busy space would, without the saves. Waits until all webhooks have received them. */
async function throughput(path: string, ids: string[], events: number, data: object): Promise<void> {
  const remove = await hooks(path, data)
  const { id: spaceId } = await db.selectFrom('space').select('id').executeTakeFirstOrThrow()
  const place = await db.selectFrom('model').select(['id', 'app_id']).executeTakeFirstOrThrow()
  await caughtUp()
  const event = { type: 'document.saved' as const, payload: { version: 1, publishedVersion: null } }
  const actor = { kind: 'job' as const, id: admin, name: 'bench' }
  const begun = performance.now()
  // Events of one document are sent one after the other, so the documents alternate.
  const rounds = Math.min(10, events / ids.length)
  await db.transaction().execute(async (tx) => {
    for (let round = 0; round < rounds; round++)
      for (const documentId of ids)
        await recordEvents(
          tx,
          spaceScope(spaceId),
          Array.from({ length: events / ids.length / rounds }, () => event),
          { appId: place.app_id, modelId: place.id, documentId, actor },
        )
  })
  const wanted = events * webhooks
  while ((await receivedAt(path)).events < wanted) await sleep(50)
  const seconds = (performance.now() - begun) / 1000
  const { events: all, outOfOrder } = await receivedAt(path)
  console.log(
    `${path}: ${Math.round(events / seconds)} events a second to ${webhooks} webhooks` +
      ` (${Math.round(all / seconds)} a second in all), lost 0, twice ${all - wanted}, out of order ${outOfOrder}`,
  )
  await remove()
}

const at95 = (taken: number[]) => taken.toSorted((a, b) => a - b)[Math.floor(taken.length * 0.95)] ?? 0

/** Saves a document repeatedly. Returns the durations in ms. */
async function saves(id: string): Promise<number[]> {
  const taken: number[] = []
  for (let n = 0; n < savesPerBlock; n++) {
    const begun = performance.now()
    await call('PUT', `${model}/doc/${id}`, { doc: { title: `${n} ${Math.random()}` }, type: 'SAVE' })
    taken.push(performance.now() - begun)
  }
  return taken
}

/**
 * Measures saves without webhooks, with five good receivers, and with four bad receivers and a good one, which must not
 * wait for them.
 */
async function besideBadReceivers(id: string): Promise<void> {
  const taken: Record<'none' | 'good' | 'bad', number[]> = { none: [], good: [], bad: [] }
  const ratios: { none: number; good: number }[] = []
  let received = 0
  async function block(paths: string[]): Promise<number[]> {
    const removals = await Promise.all(paths.map((path) => hooks(path, {}, 1)))
    await saves(id)
    const durations = await saves(id)
    received += 2 * savesPerBlock
    while (paths.length > 0 && (await receivedAt('ok/beside')).events < received) await sleep(50)
    for (const remove of removals) await remove()
    return durations
  }
  for (let n = 0; n < blocks; n++) {
    const none = await block([])
    received -= 2 * savesPerBlock
    const good = await block([...badPaths.map((path) => `ok/${path}`), 'ok/beside'])
    const bad = await block([...badPaths, 'ok/beside'])
    taken.none.push(...none)
    taken.good.push(...good)
    taken.bad.push(...bad)
    ratios.push({ none: at95(bad) / at95(none), good: at95(bad) / at95(good) })
  }
  const { events, longestMs, outOfOrder } = await receivedAt('ok/beside')
  const p95 = (kind: keyof typeof taken) => `${at95(taken[kind]).toFixed(1)} ms`
  console.log(
    `p95 of saves beside receivers that ${badPaths.join(', ')}: ${p95('bad')}, beside as many good ones` +
      ` ${p95('good')}, without webhooks ${p95('none')}; medians of the ratios per block` +
      ` ${median(ratios.map(({ good }) => good)).toFixed(2)} and ${median(ratios.map(({ none }) => none)).toFixed(2)}`,
  )
  console.log(
    `a good receiver beside them: ${events} events, the latest after ${longestMs} ms, out of order ${outOfOrder}`,
  )
}

try {
  const ids = await fill()
  console.log(`${machine()}, load ${loadavg()[0]?.toFixed(1)}`)
  await throughput('ok/single', ids, eventsPerRun.single, {})
  await throughput('ok/batched', ids, eventsPerRun.batched, { batchSeconds: 1 })
  await besideBadReceivers(ids[0] ?? '')
  const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM webhook_message`.execute(db)
  console.log(`messages left behind by deleted webhooks: ${rows[0]?.n}`)
} finally {
  await worker.close(0)
  await server.close()
  await opened.close()
  await database.close()
  await postgres.stop()
  await close()
  rmSync(folder, { recursive: true })
}
