import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Job } from '#server/jobs/job.ts'
import {
  createAccount,
  createApp,
  createMember,
  createModel,
  createSpace,
  type TestAccount,
} from '#test/factories.ts'
import { findViolations } from '#test/invariants.ts'
import { runNow } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { cleanUpAccountsJob } from './accounts/accounts.jobs.ts'
import { purgeTrashJob } from './documents/documents.jobs.ts'
import { cleanUpJob } from './jobs/jobs.jobs.ts'
import { purgeDeletedJob } from './spaces/spaces.jobs.ts'

let installation: TestInstallation
let owner: TestAccount
beforeAll(async () => {
  installation = await startInstallation()
  owner = await createAccount(installation)
})
afterAll(() => installation?.close())

const run = async (job: Job) => expect(await runNow(installation, job)).toBe('done')

const rows = async (table: string, where = sql`true`) =>
  (await sql`SELECT * FROM ${sql.table(table)} WHERE ${where}`.execute(installation.database.kysely)).rows
const age = (table: string, column: string, days: number) =>
  sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = ${sql.ref(column)} - make_interval(days => ${days})`.execute(
    installation.database.kysely,
  )

it('documents are purged after 30 days in the trash, unless another transaction has locked them', async () => {
  const space = await createSpace(owner.client)
  const app = await createApp(owner.client, space)
  const model = await createModel(owner.client, app, undefined, [
    { uid: 'title', name: 'タイトル', type: 'TEXT', unique: true },
  ])
  const refers = await createModel(owner.client, app, undefined, [
    { uid: 'to', name: '先', type: 'REFERENCE', modelUid: model.uid },
  ])
  const create = async (title: string): Promise<string> =>
    ok(await owner.client.post(`${model.url}/doc`, { document: { title }, type: 'PUBLISH' })).document._id
  const [old, held, fresh, kept] = [
    await create('a'),
    await create('b'),
    await create('c'),
    await create('d'),
  ]
  const { document: referrer } = ok(
    await owner.client.post(`${refers.url}/doc`, { document: { to: old }, type: 'PUBLISH' }),
  )
  for (const id of [old, held, fresh]) ok(await owner.client.delete(`${model.url}/doc/${id}`))
  await sql`UPDATE document SET deleted_at = deleted_at - interval '31 days' WHERE id IN (${old}, ${held})`.execute(
    installation.database.kysely,
  )
  await installation.database.kysely.transaction().execute(async (tx) => {
    await sql`SELECT FROM document WHERE id = ${held} FOR UPDATE`.execute(tx)
    await run(purgeTrashJob)
  })
  const entries = await rows('audit_entry', sql`act = 'document.purge'`)
  expect(entries).toEqual([
    expect.objectContaining({
      actor_kind: 'job',
      actor_name: purgeTrashJob.name,
      details: { items: { count: 1, failed: 0, ids: [old] } },
    }),
  ])
  const left = (await rows('document')).map((row) => (row as { id: string }).id)
  expect(left.sort()).toEqual([held, fresh, kept, referrer._id].sort())
  for (const table of ['document_text', 'document_unique', 'revision'])
    expect([table, await rows(table, sql`document_id = ${old}`)]).toEqual([table, []])
  expect(await rows('revision', sql`document_id = ${held}`)).toHaveLength(2)
  // References to the purged document stay recorded, because the other document still contains them.
  expect(await rows('document_reference', sql`to_id = ${old}`)).toHaveLength(1)
  expect(ok(await owner.client.get(`${refers.url}/doc/${referrer._id}`)).document._id).toBe(referrer._id)
  await run(purgeTrashJob)
  expect(await rows('document', sql`id = ${held}`)).toEqual([])
  expect(await findViolations(installation.database)).toEqual([])
})

it('models, apps and spaces deleted 31 days ago are purged, spaces only after their events are deleted', async () => {
  const make = async () => {
    const space = await createSpace(owner.client)
    const app = await createApp(owner.client, space)
    const model = await createModel(owner.client, app)
    for (const title of ['一', '二'])
      ok(await owner.client.post(`${model.url}/doc`, { document: { title }, type: 'PUBLISH' }))
    ok(await owner.client.post(`${app.url}/customFieldType`, { data: { uid: 'Q&A', name: '質問' } }))
    return { space, app, model }
  }
  const [kept, byModel, byApp, bySpace, lately] = [
    await make(),
    await make(),
    await make(),
    await make(),
    await make(),
  ]
  ok(await owner.client.post(`${bySpace.app.url}/export`, { data: {} }))
  const removed = await createMember(installation, bySpace.space, 'pjt-Member')
  ok(await owner.client.delete(`${bySpace.space.url}/member/${removed.memberId}`))
  for (const url of [byModel.model.url, byApp.app.url, bySpace.space.url]) ok(await owner.client.delete(url))
  for (const table of ['model', 'app', 'space']) await age(table, 'deleted_at', 31)
  for (const url of [lately.space.url]) ok(await owner.client.delete(url))
  const count = async () =>
    Object.fromEntries(
      await Promise.all(
        ['space', 'app', 'custom_type', 'model', 'model_stat', 'document', 'revision'].map(
          async (table) => [table, (await rows(table)).length] as const,
        ),
      ),
    )
  const before = await count()
  await run(purgeDeletedJob)
  // The space itself stays until its outbox events are deleted.
  expect(await count()).toEqual({
    space: before.space,
    app: Number(before.app) - 2,
    custom_type: Number(before.custom_type) - 2,
    model: Number(before.model) - 3,
    model_stat: Number(before.model_stat) - 3,
    document: Number(before.document) - 6,
    revision: Number(before.revision) - 6,
  })
  await sql`DELETE FROM event USING space WHERE space.id = event.space_id AND space.uid = ${bySpace.space.uid}`.execute(
    installation.database.kysely,
  )
  await run(purgeDeletedJob)
  expect((await count()).space).toBe(Number(before.space) - 1)
  expect(await rows('space', sql`uid = ${bySpace.space.uid}`)).toEqual([])
  expect(ok(await owner.client.get(`${kept.model.url}/doc`)).total).toBe(2)
})

it('old sessions, rate-limit counters, events and jobs are deleted, and recent ones stay', async () => {
  const other = await createAccount(installation)
  const db = installation.database.kysely
  await sql`UPDATE session SET last_seen_at = now() - interval '13 hours' WHERE account_id = ${other.id}`.execute(
    db,
  )
  await db
    .insertInto('attempt')
    .values([
      { key: 'signup:old', window_start: new Date(0), count: 1 },
      { key: 'signup:new', window_start: new Date(), count: 1 },
    ])
    .execute()
  await run(cleanUpAccountsJob)
  expect(await rows('session', sql`account_id = ${other.id}`)).toEqual([])
  expect((await owner.client.get('/api/account')).status).not.toBe(401)
  expect((await rows('attempt')).map((row) => (row as { key: string }).key)).toEqual(['signup:new'])

  await sql`UPDATE event SET created_at = now() - interval '31 days', position = id WHERE id = (SELECT min(id) FROM event)`.execute(
    db,
  )
  await sql`UPDATE outbox_cursor SET position = (SELECT max(position) FROM event)`.execute(db)
  await sql`UPDATE job SET finished_at = now() - interval '8 days' WHERE state = 'done'`.execute(db)
  const [events, jobs] = [(await rows('event')).length, (await rows('job')).length]
  expect(jobs).toBeGreaterThan(1)
  await run(cleanUpJob)
  expect([(await rows('event')).length, (await rows('job')).length]).toEqual([events - 1, 1])
})
