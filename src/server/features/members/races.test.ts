/** @module-tag full */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  createAccount,
  createApp,
  createMember,
  createSpace,
  type TestAccount,
  unique,
} from '#test/factories.ts'
import { lengthOf } from '#test/full-length.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'

const rounds = lengthOf(12, 200)

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
})
afterAll(() => installation?.close())

/**
 * Counts references to roles that do not exist. The references are in members, in stored roles of members who left an
 * app, in default roles of apps, and in open invitations with a limited number of uses.
 */
async function nameless(): Promise<number> {
  const gone = (target: 'project' | 'app', role: string, app: string) => sql`NOT EXISTS (SELECT FROM role
    WHERE role.target = ${sql.lit(target)} AND role.uid = ${sql.ref(role)} AND (role.space_id IS NULL
      OR (role.space_id = held.space_id AND role.app_id IS NOT DISTINCT FROM ${sql.raw(app)})))`
  const { rows } = await sql<{ count: number }>`
    SELECT (SELECT count(*) FROM space_member AS held WHERE ${gone('project', 'held.role', 'NULL')})
      + (SELECT count(*) FROM app_member AS held WHERE ${gone('app', 'held.role', 'held.app_id')})
      + (SELECT count(*) FROM left_app AS held WHERE ${gone('app', 'held.role', 'held.app_id')})
      + (SELECT count(*) FROM app AS held WHERE ${gone('app', 'held.default_role', 'held.id')})
      + (SELECT count(*) FROM invitation AS held WHERE revoked_at IS NULL AND uses < maximum_uses
          AND ${gone('project', 'held.role', 'NULL')}) AS count`.execute(installation.database.kysely)
  return Number(rows[0]?.count)
}

const role = async (place: { url: string }, rights: string[]) =>
  ok(await admin.client.post(`${place.url}/role`, { data: { name: unique('役'), rights } })).role
    .uid as string

it('one of two admins remains if they remove or demote each other or leave concurrently', async () => {
  const own = await createSpace(admin.client)
  const second = await createMember(installation, own, 'pjt-Admin')
  const db = installation.database.kysely
  const rows = await db
    .selectFrom('space_member')
    .innerJoin('space', 'space.id', 'space_member.space_id')
    .select(['space_member.space_id', 'space_member.id', 'space_member.account_id', 'space_member.role'])
    .where('space.uid', '=', own.uid)
    .execute()
  const mine = rows.find((row) => row.account_id === admin.id)?.id
  for (let round = 0; round < rounds; round++) {
    const against = (client: TestAccount['client'], id: string | undefined) =>
      [
        () => client.delete(`${own.url}/member/${id}`),
        () => client.put(`${own.url}/member/${id}`, { roleId: 'pjt-Member' }),
        () => client.post(`${own.url}/members/leave`),
      ][round % 3]?.()
    const answers = await Promise.all([against(admin.client, second.memberId), against(second.client, mine)])
    expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(1)
    const left = await db
      .selectFrom('space_member')
      .select('id')
      .where('space_id', '=', rows[0]?.space_id ?? 0)
      .where('role', '=', 'pjt-Admin')
      .execute()
    expect(left).toHaveLength(1)
    await db
      .insertInto('space_member')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['space_id', 'id']).doUpdateSet({ role: 'pjt-Admin' }))
      .execute()
  }
})

it('deleting a role while it is being assigned leaves no reference to the deleted role', async () => {
  const app = await createApp(admin.client, space)
  const colleague = await createMember(installation, space)
  const stranger = await createAccount(installation)
  const url = `${space.url}/member/${colleague.memberId}`
  for (let round = 0; round < rounds; round++) {
    const [inSpace, inApp] = [await role(space, ['space.view']), await role(app, ['document.read'])]
    const access = (defaultRole: string) =>
      admin.client.patch(app.url, { accessSettings: { visibility: 'open', defaultRole } })
    ok(await access(inApp))
    const { invitation } = ok(
      await admin.client.post(`${space.url}/invitation`, { invitation: { roleId: inSpace, maximumUses: 1 } }),
    )
    const code = new URL(invitation.url).searchParams.get('code')
    await Promise.all([
      admin.client.put(url, { roleId: inSpace }),
      stranger.client.post('/api/invitation/accept', { code }),
      admin.client.delete(`${space.url}/invitation/${invitation._id}`),
      admin.client.delete(`${space.url}/role/${inSpace}`),
      colleague.client.post(`${app.url}/members/join`),
      access('app-Editor'),
      admin.client.delete(`${app.url}/role/${inApp}`),
    ])
    await Promise.all([
      colleague.client.post(`${app.url}/members/leave`),
      admin.client.delete(`${app.url}/role/${inApp}`),
    ])
    expect(await nameless()).toBe(0)
    ok(await admin.client.put(url, { roleId: 'pjt-Member' }))
    await stranger.client.post(`${space.url}/members/leave`)
  }
})

it('joining an app while it is deleted succeeds or returns 404, and leaves no access', async () => {
  const colleague = await createMember(installation, space)
  for (let round = 0; round < lengthOf(6, 200); round++) {
    const app = await createApp(admin.client, space)
    const [joined, deleted] = await Promise.all([
      colleague.client.post(`${app.url}/members/join`),
      admin.client.delete(app.url),
    ])
    expect([200, 404]).toContain(joined.status)
    expect(deleted.status).toBe(200)
    expect((await colleague.client.get(`${app.url}/members`)).status).toBe(404)
  }
  expect(await nameless()).toBe(0)
})
