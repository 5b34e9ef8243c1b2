import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWorker, type Worker } from '#server/jobs/runner.ts'
import { createAccount, createApp, createModel, createSpace } from '#test/factories.ts'
import { findViolations } from '#test/invariants.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { removeValuesJob } from './models.jobs.ts'

let installation: TestInstallation
let worker: Worker | undefined
beforeAll(async () => {
  installation = await startInstallation()
})
afterAll(async () => {
  await worker?.close(0)
  await installation?.close()
})

/** Copies a document with all its rows, until the model has so many. */
async function multiply(documents: number): Promise<void> {
  const copy = (table: string, key: string) => `
    INSERT INTO ${table} SELECT (jsonb_populate_record(t, jsonb_build_object('${key}', substr(md5(n::text), 1, 24)))).*
    FROM ${table} t, generate_series(2, ${documents}) n`
  const { pool } = installation.database
  for (const [table, key] of [
    ['document', 'id'],
    ['revision', 'document_id'],
    ['document_text', 'document_id'],
  ] as const)
    await pool.query(copy(table, key))
  await pool.query(`
    INSERT INTO event (space_id, type, app_id, model_id, document_id, actor_id, payload)
    SELECT space_id, type, app_id, model_id, substr(md5(n::text), 1, 24), actor_id, payload
    FROM event, generate_series(2, ${documents}) n WHERE document_id IS NOT NULL`)
  await pool.query('UPDATE model_stat SET documents = $1, published = $1', [documents])
}

it('a field leaves a large model at once, its values leave the documents while people save', async () => {
  const owner = await createAccount(installation)
  const space = await createSpace(owner.client)
  const model = await createModel(owner.client, await createApp(owner.client, space), 'article', [
    { uid: 'title', name: 'タイトル', type: 'TEXT' },
    { uid: 'body', name: '本文', type: 'TEXT' },
  ])
  const [title, body] = model.fields as [(typeof model.fields)[0], (typeof model.fields)[0]]
  const document = { title: '池', body: 'いもりがいる' }
  const first = ok(await owner.client.post(`${model.url}/doc`, { document, type: 'PUBLISH' })).document
  await multiply(2_100)

  const fields = [{ ...title, name: 'タイトル', type: 'TEXT' }]
  const refused = await owner.client.put(model.url, { data: { fields } })
  expect([refused.status, refused.body.losses]).toEqual([
    400,
    [{ field: 'body', documents: 2_100, reason: 'removed' }],
  ])
  ok(await owner.client.put(model.url, { data: { fields }, acceptLoss: true }))
  const [job] = ok(await owner.client.get(`${space.url}/job?name=models.removeValues`)).jobs
  expect(job).toMatchObject({ state: 'waiting', requestedBy: { _id: owner.id } })
  const url = `${model.url}/doc/${first._id}`
  // Nobody sees the value any more, whoever asks before it is gone.
  const shown = ok(await owner.client.get(url)).document
  expect([shown.title, shown.body, shown._sys.status]).toEqual(['池', undefined, 'published'])

  const { deps, database } = installation
  worker = startWorker({
    ...deps,
    jobsPool: database.jobsPool,
    log: pino({ level: 'silent' }),
    jobs: [removeValuesJob],
    schedules: [],
    subscribers: [],
  })
  const look = async () => ok(await owner.client.get(`${space.url}/job?id=${job._id}`)).jobs[0]
  for (let n = 0; (await look()).state !== 'done'; n++) {
    const saved = await owner.client.put(url, { doc: { title: `池 ${n}` }, type: 'PUBLISH' })
    expect([saved.status, saved.body.code]).toEqual([200, undefined])
  }
  expect((await look()).progress).toEqual({ done: 2_100, total: 2_100 })
  const left = await database.pool.query('SELECT FROM document WHERE draft ? $1 OR pub ? $1', [body._id])
  expect(left.rowCount).toBe(0)
  expect(await findViolations(database)).toEqual([])
})
