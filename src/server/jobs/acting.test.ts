import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { asSystem } from '#server/access/callers/job.ts'
import { enter } from '#server/access/enter.ts'
import { type Db, type SpaceScope, spaceScope } from '#server/db/scope.ts'
import { jobs } from '#server/features/index.ts'
import type { SystemReason } from '#shared/audit.ts'
import { appEndpoints } from '#shared/contract/apps.ts'
import type { AuditEntry } from '#shared/contract/audit-log.ts'
import { AppError } from '#shared/errors.ts'
import {
  createAccount,
  createApp,
  createMember,
  createSpace,
  type TestAccount,
  unique,
} from '#test/factories.ts'
import { mailsOf } from '#test/kept-mails.ts'
import { runQueued } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { enqueue } from './enqueue.ts'
import { defineAtomicJob, defineJob, type Job, type JobContext } from './job.ts'

/* Jobs that execute operations of the contract for their requester. */

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let scope: SpaceScope
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation, { verified: true })
  space = await createSpace(admin.client)
  const { id } = await installation.database.kysely
    .selectFrom('space')
    .select('id')
    .where('uid', '=', space.uid)
    .executeTakeFirstOrThrow()
  scope = spaceScope(id)
})
afterAll(() => installation?.close())

const payload = z.object({ a: z.string() })
/** Defines a job that deletes an app, by the operation of the contract. */
const deletion = (whenRequesterLeft: 'fail' | SystemReason = 'fail') =>
  defineJob({
    name: unique('test.job'),
    payload,
    audit: 'failures',
    isListed: false,
    whenRequesterLeft,
    handler: async ({ execute, payload: { a } }) => {
      await execute(appEndpoints.deleteApp, { params: { p: space.uid, a } })
    },
  })
/** Creates an app, and an account that may delete it. */
async function prepare() {
  const app = await createApp(admin.client, space)
  const keeper = await createMember(installation, space, 'pjt-Member', {
    admin: admin.client,
    url: app.url,
    role: 'app-Admin',
  })
  return { app, keeper }
}
const ask = (job: Job, a: string, requestedBy: string) =>
  enqueue(installation.database.kysely, job, { a }, { scope, requestedBy })
const newest = async (): Promise<AuditEntry[]> =>
  ok(await admin.client.get(`${space.url}/auditLog?limit=2`)).auditLogs
const isThere = async (app: { url: string }) => (await admin.client.get(app.url)).status === 200
const jobRows = (id: string) =>
  installation.database.kysely.selectFrom('job').select('state').where('id', '=', id).execute()

describe('a job that executes an operation', () => {
  it('has the rights of its requester, and writes the entry of the operation instead of one of its own', async () => {
    const { app, keeper } = await prepare()
    const job = deletion()
    const id = await ask(job, app.uid, keeper.id)
    await runQueued(installation, job, id).catch(() => {})
    expect(await isThere(app)).toBe(false)
    expect(await jobRows(id)).toEqual([])
    expect((await newest())[0]).toMatchObject({
      act: 'app.delete',
      actor: { kind: 'job', name: job.name, _id: keeper.id },
      object: { kind: 'app', _id: app.uid },
    })
  })

  it('fails if its requester has left the space, and mails the admins of the space', async () => {
    const { app, keeper } = await prepare()
    const job = deletion()
    const id = await ask(job, app.uid, keeper.id)
    ok(await admin.client.delete(`${space.url}/member/${keeper.memberId}`))
    const row = await runQueued(installation, job, id)
    expect(row).toMatchObject({ state: 'failed', error: { code: 'RequesterMayNot' } })
    expect(await isThere(app)).toBe(true)
    expect((await newest())[0]).toMatchObject({ act: 'job.run', outcome: 'RequesterMayNot' })
    const [mail] = await mailsOf(installation, admin.email)
    expect(mail?.subject).toContain('実行できなかった処理')
    expect(mail?.text).toContain(`/${space.uid}/-/jobs`)
  })

  it('continues as the installation itself if its definition names the reason', async () => {
    const { app, keeper } = await prepare()
    const job = deletion('requesterLeft')
    const id = await ask(job, app.uid, keeper.id)
    ok(await admin.client.patch(`${app.url}/member/${keeper.memberId}`, { roleId: 'app-Editor' }))
    await runQueued(installation, job, id).catch(() => {})
    expect(await isThere(app)).toBe(false)
    expect((await newest())[0]).toMatchObject({
      act: 'app.delete',
      actor: { kind: 'system', name: job.name, _id: keeper.id },
      details: { systemReason: 'requesterLeft' },
    })
  })

  it('has no effect and no entry of the operation if the atomic job fails afterwards', async () => {
    const { app, keeper } = await prepare()
    const job = defineAtomicJob({
      name: unique('test.job'),
      payload,
      retries: { attempts: 1 },
      handler: async ({ execute, payload: { a } }) => {
        await execute(appEndpoints.deleteApp, { params: { p: space.uid, a } })
        throw new Error('later')
      },
    })
    const row = await runQueued(installation, job, await ask(job, app.uid, keeper.id))
    expect(row.state).toBe('failed')
    expect(await isThere(app)).toBe(true)
    expect((await newest()).map(({ act }) => act)).not.toContain('app.delete')
  })
})

describe('row-level security', () => {
  /** Runs a job with this handler, of the space or of the installation. Returns its error code, or null. */
  async function run(
    handler: (ctx: JobContext<unknown>) => Promise<void>,
    options: { scope?: SpaceScope; acrossSpaces?: string } = {},
  ): Promise<string | null> {
    const { acrossSpaces = null, ...own } = options
    const job = defineJob({
      name: unique('test.job'),
      payload: z.object({}),
      retries: { attempts: 1 },
      acrossSpaces,
      handler,
    })
    const id = await enqueue(installation.database.kysely, job, {}, own)
    return (await runQueued(installation, job, id)).error?.code ?? null
  }
  const uids = async (db: Db) =>
    (await db.selectFrom('space').select('uid').orderBy('id').execute()).map(({ uid }) => uid)
  const renameAll = async (db: Db) =>
    Number((await db.updateTable('space').set({ name: '変えた' }).executeTakeFirst()).numUpdatedRows)

  it('shows a job of a space only that space, also in atomic jobs and after `enter`', async () => {
    const other = await createSpace(admin.client)
    const seen: unknown[] = []
    await run(
      async ({ db }) => {
        const role = sql<string>`current_user`.as('role')
        seen.push((await db.selectNoFrom(role).executeTakeFirstOrThrow()).role, await uids(db))
        seen.push(await renameAll(db))
      },
      { scope },
    )
    expect(seen).toEqual(['imori_worker', [space.uid], 1])
    expect(ok(await admin.client.get(other.url)).project.name).not.toBe('変えた')
    const atomic = defineAtomicJob({
      name: unique('test.job'),
      payload: z.object({}),
      handler: async ({ db, services, actor }) => {
        await enter({ db, services }, asSystem(actor, 'requesterLeft'), { scope }, null, async () => {})
        seen.push(await uids(db))
      },
    })
    await runQueued(installation, atomic, await enqueue(installation.database.kysely, atomic, {}, { scope }))
    expect(seen.at(-1)).toEqual([space.uid])
  })

  it('refuses statements on rows of spaces in a job of the installation, except in each space', async () => {
    expect(await run(async ({ db }) => void (await uids(db)))).toBe('InternalServerError')
    const seen: string[][] = []
    expect(
      await run(async ({ eachSpace }) => {
        await eachSpace(async (db) => void seen.push(await uids(db)))
      }),
    ).toBeNull()
    const all = await uids(installation.database.kysely)
    expect(seen).toEqual(all.map((uid) => [uid]))
    expect(await run(async ({ db }) => void seen.push(await uids(db)), { acrossSpaces: 'a test' })).toBeNull()
    expect(seen.at(-1)).toEqual(all)
  })

  it('keeps the error of one space from the other spaces, and then fails', async () => {
    const seen: number[] = []
    const code = await run(({ eachSpace }) =>
      eachSpace(async (_db, { spaceId }) => {
        seen.push(spaceId)
        if (seen.length === 1) throw new AppError('NotFound')
      }),
    )
    expect([code, seen.length]).toEqual(['NotFound', (await uids(installation.database.kysely)).length])
  })

  it('does not apply to the following jobs of the installation only', () => {
    const names = jobs.filter(({ acrossSpaces }) => acrossSpaces !== null).map(({ name }) => name)
    expect(names.sort()).toEqual([
      'appExports.cleanUp',
      'auditLog.seal',
      'fieldIndexes.make',
      'jobs.cleanUp',
      'moves.cleanUp',
      'templates.cleanUp',
    ])
  })
})
