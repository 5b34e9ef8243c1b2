import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { spaceScope } from '#server/db/scope.ts'
import { deliverWebhooksJob } from '#server/features/webhooks/webhooks.jobs.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { defineJob } from '#server/jobs/job.ts'
import { createAccount, createMember, createSpace, type TestAccount } from '#test/factories.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'

const job = defineJob({ name: 'test.job', payload: z.object({}), handler: async () => {} })

let installation: TestInstallation
let owner: TestAccount
let member: TestAccount
let admin: TestAccount
let space: { uid: string; url: string }
let id: number
beforeAll(async () => {
  installation = await startInstallation()
  owner = await createAccount(installation)
  admin = await createAccount(installation, { isAdmin: true })
  space = await createSpace(owner.client)
  member = await createMember(installation, space)
  const row = await installation.database.kysely
    .selectFrom('space')
    .select('id')
    .where('uid', '=', space.uid)
    .executeTakeFirstOrThrow()
  id = row.id
})
afterAll(() => installation?.close())

/** Adds a job. No worker runs here, so jobs are not executed. */
async function add(by: { id: string } | null, scoped = true, values: object = {}): Promise<string> {
  const db = installation.database.kysely
  const jobId = await enqueue(
    db,
    job,
    {},
    {
      ...(scoped ? { scope: spaceScope(id) } : {}),
      ...(by ? { requestedBy: by.id } : {}),
    },
  )
  if (Object.keys(values).length > 0)
    await db.updateTable('job').set(values).where('id', '=', jobId).execute()
  return jobId
}

describe('jobs of a space', () => {
  it('show their state and progress, but not their payload', async () => {
    const started = new Date(Date.now() - 10_000)
    const jobId = await add(member, true, { state: 'running', done: 25, total: 100, started_at: started })
    const [shown] = ok(await member.client.get(`${space.url}/job?id=${jobId}`)).jobs
    expect(shown).toEqual({
      _id: jobId,
      name: 'test.job',
      state: 'running',
      progress: { done: 25, total: 100, unit: 'items' },
      secondsLeft: expect.any(Number),
      cancelRequested: false,
      failures: 0,
      error: null,
      createdAt: expect.any(String),
      runAt: expect.any(String),
      startedAt: started.toISOString(),
      finishedAt: null,
      requestedBy: { _id: member.id, name: member.name },
    })
    // A quarter of the job took ten seconds.
    expect(shown.secondsLeft).toBeGreaterThanOrEqual(30)
    expect(shown.secondsLeft).toBeLessThan(60)
  })

  it('that are unlisted are shown only after a failure', async () => {
    const jobId = await add(null, true, { name: deliverWebhooksJob.name })
    const list = async (): Promise<{ ids: string[]; total: number }> => {
      const { jobs, total } = ok(await owner.client.get(`${space.url}/job?limit=100`))
      return { ids: jobs.map((one: { _id: string }) => one._id), total }
    }
    const installationIds = async () =>
      ok(await admin.client.get('/api/admin/jobs?limit=100')).jobs.map((one: { _id: string }) => one._id)
    const before = await list()
    expect(before.ids).not.toContain(jobId)
    expect(await installationIds()).not.toContain(jobId)
    await installation.database.kysely
      .updateTable('job')
      .set({ failures: 1 })
      .where('id', '=', jobId)
      .execute()
    const after = await list()
    expect(after.ids).toContain(jobId)
    expect(after.total).toBe(before.total + 1)
    expect(await installationIds()).toContain(jobId)
  })

  it('are listed newest first to the space’s admin; a pjt-Member sees only jobs that they requested', async () => {
    const [theirs, mine] = [await add(owner), await add(member)]
    const ids = async (account: TestAccount, query = '') =>
      ok(await account.client.get(`${space.url}/job${query}`)).jobs.map((one: { _id: string }) => one._id)
    expect((await ids(owner)).slice(0, 2)).toEqual([mine, theirs])
    const own = await ids(member)
    expect(own).toContain(mine)
    expect(own).not.toContain(theirs)
    expect(await ids(owner, '?state=waiting&limit=1')).toEqual([mine])
    expect(await ids(owner, '?state=waiting&skip=1&limit=1')).toEqual([theirs])
    expect(await ids(owner, '?name=other.job')).toEqual([])
    expect((await owner.client.get(`${space.url}/job?state=sleeping`)).status).toBe(400)
    expect((await owner.client.get(`${space.url}/job?limit=101`)).status).toBe(400)
  })

  it('of a kind without a rights check can be cancelled by requester and admin, not by another pjt-Member', async () => {
    const [theirs, mine] = [await add(owner), await add(member)]
    expect((await member.client.post(`${space.url}/job/${theirs}/cancel`)).status).toBe(404)
    expect(ok(await member.client.get(`${space.url}/job?id=${theirs}`)).jobs).toEqual([])
    expect(ok(await member.client.post(`${space.url}/job/${mine}/cancel`)).job.state).toBe('cancelled')
    expect(ok(await owner.client.post(`${space.url}/job/${theirs}/cancel`)).job).toMatchObject({
      state: 'cancelled',
      finishedAt: expect.any(String),
    })
    const running = await add(member, true, { state: 'running' })
    expect(ok(await owner.client.post(`${space.url}/job/${running}/cancel`)).job).toMatchObject({
      state: 'running',
      cancelRequested: true,
    })
    const done = await add(member, true, { state: 'done' })
    expect(ok(await owner.client.post(`${space.url}/job/${done}/cancel`)).job).toMatchObject({
      state: 'done',
      cancelRequested: false,
    })
  })

  it('can be retried only by members who can see them, and are counted only for these members', async () => {
    const theirs = await add(owner, true, { state: 'failed', failures: 10 })
    const mine = await add(member, true, { state: 'failed', failures: 10 })
    const before = ok(await member.client.get(`${space.url}/job?limit=1`))
    expect(before.total).toBe(Object.values<number>(before.counts).reduce((sum, count) => sum + count, 0))
    expect((await member.client.post(`${space.url}/job/${theirs}/retry`)).status).toBe(404)
    expect(ok(await member.client.post(`${space.url}/job/${mine}/retry`)).job).toMatchObject({
      state: 'waiting',
      failures: 0,
    })
    const { counts } = ok(await member.client.get(`${space.url}/job?state=failed`))
    expect(counts.failed).toBe(before.counts.failed - 1)
    expect(counts.waiting).toBe(before.counts.waiting + 1)
    expect(ok(await owner.client.get(`${space.url}/job`)).counts.failed).toBeGreaterThan(counts.failed)
    // Another job with the same key is waiting.
    const twice = await add(member, true, { state: 'failed', key: 'same' })
    await add(member, true, { key: 'same' })
    expect(ok(await member.client.post(`${space.url}/job/${twice}/retry`)).job.state).toBe('failed')
  })
})

describe('jobs at /api/admin/jobs', () => {
  it('cannot be listed, retried or cancelled by a visitor or by the admin of a space', async () => {
    const jobId = await add(null, false)
    for (const [method, path] of [
      ['get', ''],
      ['post', `/${jobId}/retry`],
      ['post', `/${jobId}/cancel`],
    ] as const) {
      expect((await owner.client[method](`/api/admin/jobs${path}`)).status).toBe(403)
      expect((await installation.visitor()[method](`/api/admin/jobs${path}`)).status).toBe(401)
    }
    expect(ok(await owner.client.get(`${space.url}/job?id=${jobId}`))).toMatchObject({
      jobs: [],
      total: 0,
    })
    expect((await owner.client.post(`${space.url}/job/${jobId}/cancel`)).status).toBe(404)
  })

  it('are listed with their space and counted by state', async () => {
    const error = JSON.stringify({ code: 'StorageFull', message: 'StorageFull' })
    const failed = await add(owner, true, { state: 'failed', failures: 10, error })
    const { jobs, total, counts } = ok(await admin.client.get('/api/admin/jobs?state=failed'))
    expect(jobs[0]).toMatchObject({
      _id: failed,
      error: { code: 'StorageFull' },
      space: { uid: space.uid, name: expect.any(String) },
      requestedBy: { _id: owner.id },
    })
    expect(counts.failed).toBe(total)
    const own = await add(null, false)
    expect(ok(await admin.client.get('/api/admin/jobs?limit=1')).jobs).toMatchObject([
      { _id: own, space: null, requestedBy: null },
    ])
  })

  it('can be retried and cancelled by an admin of the installation', async () => {
    const failed = await add(owner, true, { state: 'failed', failures: 10, finished_at: new Date() })
    const url = `/api/admin/jobs/${failed}`
    expect(ok(await admin.client.post(`${url}/retry`)).job).toMatchObject({
      state: 'waiting',
      failures: 0,
      finishedAt: null,
    })
    const entries = await installation.database.pool.query(
      `SELECT FROM graphile_worker._private_jobs WHERE payload->>'id' = $1`,
      [failed],
    )
    expect(entries.rowCount).toBe(2)
    expect(ok(await admin.client.post(`${url}/cancel`)).job.state).toBe('cancelled')
    const done = await add(owner, true, { state: 'done' })
    expect(ok(await admin.client.post(`/api/admin/jobs/${done}/retry`)).job.state).toBe('done')
    for (const unknown of ['0'.repeat(24), 'x'])
      expect((await admin.client.post(`/api/admin/jobs/${unknown}/retry`)).status).toBe(404)
  })
})
