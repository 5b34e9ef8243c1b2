import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type SpaceScope, spaceScope } from '#server/db/scope.ts'
import { cleanUpAssetsJob } from '#server/features/assets/assets.jobs.ts'
import { purgeTrashJob } from '#server/features/documents/documents.jobs.ts'
import { purgeDeletedJob } from '#server/features/spaces/spaces.jobs.ts'
import { fillAppJob } from '#server/features/templates/templates.jobs.ts'
import { startWorker, type Worker } from '#server/jobs/runner.ts'
import type { UsageDay } from '#shared/contract/usage.ts'
import {
  createAccount,
  createApp,
  createMember,
  createModel,
  createSpace,
  type TestAccount,
} from '#test/factories.ts'
import { runNow, runWaiting } from '#test/run-now.ts'
import { formOf, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { usageConsumer } from './usage.consumer.ts'
import { cleanUpUsageJob } from './usage.jobs.ts'
import { readUsage } from './usage.service.ts'

let installation: TestInstallation
let admin: TestAccount
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
})
afterAll(() => installation?.close())

let worker: Worker | undefined
afterEach(async () => {
  await worker?.close(0)
  worker = undefined
})

let space: { uid: string; url: string }
let scope: SpaceScope
beforeEach(async () => {
  space = await createSpace(admin.client)
  const { rows } = await query('SELECT id FROM space WHERE uid = $1', [space.uid])
  scope = spaceScope(rows[0].id)
})

const query = (text: string, values: unknown[] = []) => installation.database.pool.query(text, values)
const today = () => new Date().toISOString().slice(0, 10)

/** Starts the event consumer, and waits until it has processed all events. */
async function consume(): Promise<void> {
  const { deps, database } = installation
  worker ??= startWorker({
    services: deps.services,
    jobsPool: database.jobsPool,
    jobs: [],
    cronJobs: [],
    eventConsumers: [usageConsumer],
  })
  await expect
    .poll(async () => {
      const { rows } = await query(
        `SELECT FROM event WHERE position IS NULL
         OR position > (SELECT position FROM outbox_cursor WHERE name = 'usage')`,
      )
      return rows.length
    })
    .toBe(0)
}

/** Returns the sum of the changes and calls of these days, and the stock of the last one. */
function sumOf(days: UsageDay[]) {
  const sum = (count: (day: UsageDay) => number) => days.reduce((total, day) => total + count(day), 0)
  const last = days.at(-1)
  return {
    documents: [
      sum((day) => day.documents.created),
      sum((day) => day.documents.deleted),
      last?.documents.stored,
    ],
    assets: [sum((day) => day.assets.created), sum((day) => day.assets.deleted), last?.assets.stored],
    bytes: [sum((day) => day.bytes.added), sum((day) => day.bytes.removed), last?.bytes.stored],
  }
}

/** Returns the number of stored documents and assets, and the size of the files. */
async function stored() {
  const { rows } = await query(
    `SELECT (SELECT count(*) FROM document WHERE space_id = $1) AS documents,
      (SELECT count(*) FROM asset WHERE space_id = $1) AS assets,
      (SELECT coalesce(sum(size), 0)::bigint FROM asset WHERE space_id = $1) AS bytes`,
    [scope.spaceId],
  )
  return rows[0]
}

describe('the usage of a space', () => {
  it('counts documents and assets until they are deleted permanently', async () => {
    const { client } = admin
    const from = today()
    const usage = async () => {
      await consume()
      const { usage } = ok(await client.get(`${space.url}/usage?from=${from}&to=${today()}`))
      const sum = sumOf(usage)
      const { documents, assets, bytes } = await stored()
      expect([sum.documents[2], sum.assets[2], sum.bytes[2]]).toEqual([documents, assets, bytes])
      return sum
    }
    expect(await usage()).toEqual({ documents: [0, 0, 0], assets: [0, 0, 0], bytes: [0, 0, 0] })

    const app = await createApp(client, space)
    const model = await createModel(client, app)
    const create = async (type?: string): Promise<string> =>
      ok(await client.post(`${model.url}/doc`, { document: { title: '題' }, ...(type ? { type } : {}) }))
        .document._id
    const [first, second] = [await create(), await create('PUBLISH')]
    ok(await client.put(`${model.url}/doc/${first}`, { doc: { title: '別' }, type: 'PUBLISH' }))
    for (const id of [first, second]) ok(await client.delete(`${model.url}/doc/${id}`))
    ok(await client.post(`${model.url}/doc/bulkRestore`, { documentIds: [first] }))
    const upload = async (bytes: string) => {
      const form = formOf({ name: 'a.txt', type: 'text/plain', bytes })
      return ok(await client.post(`${space.url}/assets`, form)).results[0].asset._id as string
    }
    const [file, gone] = [await upload('12345'), await upload('123')]
    const longer = formOf({ name: 'a.txt', type: 'text/plain', bytes: '1234567' })
    ok(await client.put(`${space.url}/assets/${file}:refresh`, longer))
    ok(await client.delete(`${space.url}/asset/${gone}`))
    const before = { documents: [2, 0, 2], assets: [2, 0, 2], bytes: [15, 5, 10] }
    expect(await usage()).toEqual(before)

    await query(`UPDATE document SET deleted_at = now() - interval '31 days' WHERE id = $1`, [second])
    await query(`UPDATE asset SET deleted_at = now() - interval '31 days' WHERE id = $1`, [gone])
    for (const job of [purgeTrashJob, cleanUpAssetsJob]) expect(await runNow(installation, job)).toBe('done')
    expect(await usage()).toEqual({ documents: [2, 1, 1], assets: [2, 1, 1], bytes: [15, 8, 7] })

    // Imports have one event for many documents, and their own event for each asset.
    const { app: filled } = ok(await client.post(`${space.url}/app`, { appTemplateId: 'blog' }))
    await runWaiting(installation, fillAppJob)
    const imported = await usage()
    expect(imported.documents[0]).toBeGreaterThan(2)
    expect(imported.assets[0]).toBeGreaterThan(2)

    ok(await client.delete(model.url))
    ok(await client.delete(`${space.url}/app/${filled.uid}`))
    expect(await usage()).toEqual(imported)
    for (const table of ['model', 'app'])
      await query(`UPDATE ${table} SET deleted_at = deleted_at - interval '31 days' WHERE space_id = $1`, [
        scope.spaceId,
      ])
    expect(await runNow(installation, purgeDeletedJob)).toBe('done')
    const [created] = imported.documents
    expect((await usage()).documents).toEqual([created, created, 0])
  })

  it('is counted for later events after an event of an older version', async () => {
    const from = today()
    await query(
      `INSERT INTO event (space_id, type, payload) VALUES ($1, 'documents.imported', '{"count": 2}'),
        ($1, 'documents.purged', '{"ids": []}'), ($1, 'document.created', '{"version": 1, "publishedVersion": null}')`,
      [scope.spaceId],
    )
    await consume()
    const days = await readUsage(installation.database.kysely, scope, from, today())
    expect(sumOf(days).documents).toEqual([1, 0, 1])
  })

  it('contains the successful calls of the delivery API by kind of token', async () => {
    const { client } = admin
    const app = await createApp(client, space)
    await createModel(client, app, 'article')
    const tokenOf = async (kind: 'cdn' | 'api') =>
      ok(await client.post(`${space.url}/${kind}Token`, { data: { name: 'site' } }))[`${kind}Token`].token
    const tokens = { cdn: await tokenOf('cdn'), api: await tokenOf('api') }
    const read = async (kind: 'cdn' | 'api', path: string, token = tokens[kind]) =>
      (
        await installation
          .visitor()
          .get(`/${space.uid}.${kind}/v1/${app.uid}/${path}`, { authorization: `Bearer ${token}` })
      ).status
    const from = today()
    expect(await read('cdn', 'article')).toBe(200)
    expect(await read('cdn', 'article?limit=1')).toBe(200)
    expect(await read('api', 'article')).toBe(200)
    expect(await read('cdn', 'nothing')).toBe(404)
    expect(await read('cdn', 'article?limit=x')).toBe(400)
    expect(await read('cdn', 'article', 'unknown')).toBe(401)
    await expect
      .poll(async () => {
        const days = await readUsage(installation.database.kysely, scope, from, today())
        return [
          days.reduce((sum, { calls }) => sum + calls.cdn, 0),
          days.reduce((sum, { calls }) => sum + calls.api, 0),
        ]
      })
      .toEqual([2, 1])
  })

  it('contains each day of the range with the stock at its end', async () => {
    const day = (day: string, created: number, deleted: number) =>
      query(
        `INSERT INTO usage_day (space_id, day, documents_created, documents_deleted, cdn_calls) VALUES ($1, $2, $3, $4, 9)`,
        [scope.spaceId, day, created, deleted],
      )
    await day('2026-01-30', 10, 0)
    await day('2026-02-01', 5, 2)
    await day('2026-02-03', 1, 4)
    await query(
      `INSERT INTO usage_stock (space_id, documents) VALUES ($1, 10)
       ON CONFLICT (space_id) DO UPDATE SET documents = 10`,
      [scope.spaceId],
    )
    const usage: UsageDay[] = ok(
      await admin.client.get(`${space.url}/usage?from=2026-01-31&to=2026-02-02`),
    ).usage
    expect(usage.map(({ day, documents, calls }) => [day, ...Object.values(documents), calls.cdn])).toEqual([
      ['2026-01-31', 0, 0, 10, 0],
      ['2026-02-01', 5, 2, 13, 9],
      ['2026-02-02', 0, 0, 13, 0],
    ])
    expect(Object.keys(usage[0] ?? {}).sort()).toEqual(['assets', 'bytes', 'calls', 'day', 'documents'])
  })

  it('rejects ranges that are reversed, longer than 400 days or not days', async () => {
    const refused = async (range: string) => {
      const { status, body } = await admin.client.get(`${space.url}/usage?${range}`)
      return [status, ...(body.issues ?? []).map(({ path }: { path: string }) => path)]
    }
    expect(await refused('from=2026-02-02&to=2026-02-01')).toEqual([400, 'to'])
    expect(await refused('from=2026-01-01&to=2027-02-05')).toEqual([400, 'to'])
    expect(await refused('from=2026-02-30&to=2026-03-01')).toEqual([400, 'from'])
    expect((await refused('from=2026-01-01'))[0]).toBe(400)
    expect((await refused('from=2026-01-01&to=2027-02-04'))[0]).toBe(200)
    const member = await createMember(installation, space, 'pjt-Member')
    const path = `${space.url}/usage?from=2026-01-01&to=2026-01-01`
    expect((await member.client.get(path)).status).toBe(403)
  })

  it('is deleted after 400 days, without a change of the stock', async () => {
    await query(
      `INSERT INTO usage_day (space_id, day, documents_created)
       SELECT $1, (now() AT TIME ZONE 'UTC')::date - age, 1 FROM unnest(ARRAY[399, 402]) AS age`,
      [scope.spaceId],
    )
    expect(await runNow(installation, cleanUpUsageJob)).toBe('done')
    const { rows } = await query('SELECT day FROM usage_day WHERE space_id = $1', [scope.spaceId])
    expect(rows).toHaveLength(1)
  })
})
