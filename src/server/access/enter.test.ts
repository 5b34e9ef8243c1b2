import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Db, inTransaction, spaceScope } from '#server/db/scope.ts'
import { writeExportJob } from '#server/features/app-exports/app-exports.jobs.ts'
import { directoryCaller } from '#server/features/scim/directory-caller.ts'
import { newId } from '#server/lib/ids.ts'
import { AppError } from '#shared/errors.ts'
import { createAccount, createApp, createMember, createSpace, type TestAccount } from '#test/factories.ts'
import { runQueued } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import type { Caller } from './caller.ts'
import { asSystem, onBehalf } from './callers/job.ts'
import type { ServerContext } from './context.ts'
import { enter } from './enter.ts'
import type { KnownPlace } from './membership.ts'

let installation: TestInstallation
let admin: TestAccount
let server: ServerContext
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  server = { db: installation.database.kysely, services: installation.deps.services }
})
afterAll(() => installation?.close())

let space: { uid: string; url: string }
let app: { uid: string; url: string }
let keeper: TestAccount & { memberId: string }
let place: KnownPlace & { appId: number }
beforeEach(async () => {
  space = await createSpace(admin.client)
  app = await createApp(admin.client, space)
  keeper = await createMember(installation, space, 'pjt-Member', {
    admin: admin.client,
    url: app.url,
    role: 'app-Admin',
  })
  const { rows } = await installation.database.pool.query(
    `SELECT app.space_id, app.id FROM app JOIN space ON space.id = app.space_id
     WHERE space.uid = $1 AND app.uid = $2 AND space.deleted_at IS NULL`,
    [space.uid, app.uid],
  )
  place = { scope: spaceScope(rows[0].space_id), appId: rows[0].id }
})

const actor = () => ({ kind: 'job' as const, id: newId(), name: 'test.job' })
const system = () => asSystem({ name: 'test.job' }, 'pendingRangesExpired')
/** Calls `enter` and returns the code of the error that it throws. null: it succeeds. */
async function refusal(caller: Caller, where: Parameters<typeof enter>[2] = place): Promise<string | null> {
  return enter(server, caller, where, 'app.manage', async () => null).catch(({ code }) => code)
}
const demote = () =>
  admin.client.patch(`${app.url}/member/${keeper.memberId}`, { roleId: 'app-Editor' }).then(ok)

describe('enter for a job on behalf of an account', () => {
  it('grants the app role of the requester and keeps the job as the actor', async () => {
    const asked = { ...actor(), askedBy: keeper.id }
    const seen = await enter(server, onBehalf(asked), place, 'app.manage', async (ctx) => ({
      role: ctx.grants.appRole,
      uid: ctx.app.uid,
      rights: ctx.grants.rights.has('member.manage'),
      actor: ctx.actor,
    }))
    expect(seen).toEqual({ role: 'app-Admin', uid: app.uid, rights: false, actor: asked })
  })

  it('refuses a job whose requester lost the right, was removed or does not exist', async () => {
    const caller = onBehalf(actor(), keeper.id)
    expect(await refusal(caller)).toBeNull()
    await demote()
    expect(await refusal(caller)).toBe('RequesterMayNot')
    ok(await admin.client.delete(`${space.url}/member/${keeper.memberId}`))
    expect(await refusal(caller)).toBe('RequesterMayNot')
    expect(await refusal(onBehalf(actor()))).toBe('RequesterMayNot')
    expect(await refusal(onBehalf(actor(), newId()))).toBe('RequesterMayNot')
  })

  it('throws NotFound for an app that was deleted', async () => {
    ok(await admin.client.delete(app.url))
    expect(await refusal(onBehalf(actor(), keeper.id))).toBe('NotFound')
    expect(await refusal(onBehalf(actor(), newId()))).toBe('NotFound')
    expect(await refusal(system())).toBe('NotFound')
  })

  it('fails an export job with RequesterMayNot when the requester loses the right before the job runs', async () => {
    const { export: asked } = ok(await keeper.client.post(`${app.url}/export`, { data: {} }))
    await demote()
    const { rows } = await installation.database.pool.query('SELECT job_id FROM app_export WHERE id = $1', [
      asked._id,
    ])
    const row = await runQueued(installation, writeExportJob, rows[0].job_id)
    expect(row).toMatchObject({ state: 'failed', error: { code: 'RequesterMayNot' } })
    const { export: told } = ok(await admin.client.get(`${app.url}/export?start=false`))
    expect(told).toMatchObject({ state: 'failed', stopped: { code: 'RequesterMayNot' } })
  })

  it('shows the job only its own space', async () => {
    const other = await createSpace(admin.client)
    const uids = await enter(server, onBehalf(actor(), keeper.id), place, null, async ({ db }) =>
      (await db.selectFrom('space').select('uid').execute()).map(({ uid }) => uid),
    )
    expect(uids).toEqual([space.uid])
    expect(uids).not.toContain(other.uid)
  })
})

describe('enter for the system', () => {
  it("requires no membership, and afterwards resets the database role in the caller's transaction", async () => {
    const held = await enter(server, system(), place, 'app.manage', async ({ grants }) => grants.memberId)
    expect(held).toBeNull()
    const roles = await inTransaction(server.db, async (tx) => {
      const role = async () =>
        (
          await tx
            .selectNoFrom((select) => select.fn<string>('current_setting', [select.val('role')]).as('role'))
            .executeTakeFirst()
        )?.role
      const own = { ...server, db: tx }
      const inside = await enter(own, system(), place, null, role)
      const after = await role()
      await enter(own, system(), place, null, async () => {
        throw new Error('handled by the caller')
      }).catch(() => {})
      return { inside, after, afterError: await role() }
    })
    expect(roles).toEqual({ inside: 'imori_member', after: 'none', afterError: 'none' })
  })
})

describe('enter in an open transaction', () => {
  it('undoes only the writes of work that throws, also after a failed statement', async () => {
    const rename = (db: Db, name: string) =>
      db.updateTable('space').set({ name }).where('uid', '=', space.uid).execute()
    const fail = async (db: Db) => {
      await sql`SELECT 1 / 0`.execute(db)
    }
    const refuse = async () => {
      throw new AppError('VersionConflict')
    }
    await inTransaction(server.db, async (db) => {
      const own = { ...server, db }
      await enter(own, system(), place, null, (ctx) => rename(ctx.db, 'kept'))
      for (const end of [fail, refuse]) {
        const entering = enter(own, system(), place, null, async (ctx) => {
          await rename(ctx.db, 'undone')
          await end(ctx.db)
        })
        await expect(entering).rejects.toThrow()
      }
    })
    expect(ok(await admin.client.get(space.url)).project.name).toBe('kept')
  })
})

describe('enter in a transaction that is inside a space', () => {
  const nothing = async () => {}
  it('throws, both nested and at the same time', async () => {
    const nested = enter(server, system(), place, null, (ctx) => enter(ctx, system(), place, null, nothing))
    await expect(nested).rejects.toThrow(TypeError)
    const outcomes = await inTransaction(server.db, (db) => {
      const own = { ...server, db }
      return Promise.allSettled([1, 2].map(() => enter(own, system(), place, null, nothing)))
    })
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })
})

describe('enter for a directory', () => {
  it('accepts the token in its own space, and rejects it in another space', async () => {
    const { token } = ok(await admin.client.post(`${space.url}/scim`, { data: {} })).scim
    const other = await createSpace(admin.client)
    const origin = { ip: '203.0.113.9', agent: null }
    const enters = (uid: string, given: string) =>
      enter(server, directoryCaller(given, origin), { space: uid }, 'member.manage', async (ctx) => [
        ctx.space.uid,
        ctx.actor.kind,
        ctx.origin,
      ]).catch(({ code }) => code)
    expect(await enters(space.uid, token)).toEqual([space.uid, 'token', origin])
    expect(await enters(other.uid, token)).toBe('Unauthorized')
    expect(await enters(space.uid, `${token}x`)).toBe('Unauthorized')
    const inApp = { space: space.uid, app: app.uid }
    expect(await refusal(directoryCaller(token, origin), inApp)).toBe('Forbidden')
  })
})
