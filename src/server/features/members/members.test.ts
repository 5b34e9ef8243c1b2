import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { appRoles, projectRoles } from '#shared/permissions.ts'
import {
  addMember,
  createAccount,
  createApp,
  createMember,
  createSpace,
  type TestAccount,
} from '#test/factories.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
})
afterAll(() => installation?.close())
beforeEach(async () => {
  space = await createSpace(admin.client)
})

const memberOf = async (account: TestAccount) => {
  const { members } = ok(await account.client.get(`${space.url}/members`))
  return members.find((member: { accountId: string }) => member.accountId === account.id)
}
const admins = async () =>
  ok(await admin.client.get(`${space.url}/members`)).members.filter(
    (member: { roleId: string }) => member.roleId === 'pjt-Admin',
  )

describe('members of a space', () => {
  it('see each other, without anything secret', async () => {
    const colleague = await createMember(installation, space)
    const { members } = ok(await colleague.client.get(`${space.url}/members`))
    expect(members).toEqual([
      expect.objectContaining({ accountId: admin.id, roleId: 'pjt-Admin' }),
      {
        _id: colleague.memberId,
        accountId: colleague.id,
        name: colleague.name,
        icon: null,
        email: colleague.email,
        createdAt: expect.any(String),
        roleId: 'pjt-Member',
      },
    ])
  })

  it('get other roles, which count from the next request on', async () => {
    const colleague = await createMember(installation, space)
    expect((await colleague.client.put(space.url, { project: { name: 'x' } })).status).toBe(403)
    const url = `${space.url}/member/${colleague.memberId}`
    expect(ok(await admin.client.put(url, { roleId: 'pjt-Admin' })).member.roleId).toBe('pjt-Admin')
    ok(await colleague.client.put(space.url, { project: { name: 'x' } }))
    ok(await admin.client.put(url, { roleId: 'pjt-Member' }))
    expect((await colleague.client.put(space.url, { project: { name: 'y' } })).status).toBe(403)
    expect((await admin.client.put(url, { roleId: 'app-Admin' })).status).toBe(400)
  })

  it('cannot change their own role', async () => {
    await createMember(installation, space, 'pjt-Admin')
    const own = await memberOf(admin)
    for (const roleId of ['pjt-Member', 'pjt-Admin']) {
      const answer = await admin.client.put(`${space.url}/member/${own._id}`, { roleId })
      expect([answer.status, answer.body.code]).toEqual([409, 'ChangingOwnRole'])
    }
  })

  it('lose everything the moment they are taken out', async () => {
    const app = await createApp(admin.client, space)
    const editor = await createMember(installation, space, 'pjt-Member', {
      ...app,
      admin: admin.client,
      role: 'app-Editor',
    })
    ok(await editor.client.get(`${app.url}/members`))
    expect(ok(await admin.client.delete(`${space.url}/member/${editor.memberId}`))).toEqual({ success: true })
    expect((await editor.client.get(space.url)).status).toBe(404)
    expect((await editor.client.get(`${app.url}/members`)).status).toBe(404)
    expect(ok(await admin.client.get(`${app.url}/members`)).members).toHaveLength(1)
    // Coming back to the space does not bring back the app.
    await addMember(installation, space, editor)
    expect(ok(await editor.client.get(`${app.url}/currentRole`)).currentRole).toEqual({
      uid: null,
      rights: [],
    })
  })

  it('may leave, but not the last admin', async () => {
    const own = await memberOf(admin)
    const alone = await admin.client.delete(`${space.url}/member/${own._id}`)
    expect([alone.status, alone.body.code]).toEqual([409, 'OtherAdminMembersNotExist'])
    await createMember(installation, space, 'pjt-Admin')
    ok(await admin.client.delete(`${space.url}/member/${own._id}`))
    expect((await admin.client.get(space.url)).status).toBe(404)
  })

  it('keep an admin, whoever demotes and removes whom at the same moment', async () => {
    for (let round = 0; round < 12; round++) {
      space = await createSpace(admin.client)
      const second = await createMember(installation, space, 'pjt-Admin')
      const own = await memberOf(admin)
      const [one, other] = [`${space.url}/member/${own._id}`, `${space.url}/member/${second.memberId}`]
      const answers = await Promise.all([
        admin.client.put(other, { roleId: 'pjt-Member' }),
        second.client.put(one, { roleId: 'pjt-Member' }),
        admin.client.delete(other),
        second.client.delete(one),
        second.client.delete(other),
      ])
      for (const answer of answers) expect([200, 403, 404, 409]).toContain(answer.status)
      const rows = await installation.database.kysely
        .selectFrom('space_member')
        .innerJoin('space', 'space.id', 'space_member.space_id')
        .select('space_member.role')
        .where('space.uid', '=', space.uid)
        .where('space_member.role', '=', 'pjt-Admin')
        .execute()
      expect(rows.length).toBeGreaterThan(0)
    }
  })

  it('act no more once they are demoted, even with a request that was let in before', async () => {
    const second = await createMember(installation, space, 'pjt-Admin')
    const third = await createMember(installation, space, 'pjt-Admin')
    const { id } = await installation.database.kysely
      .selectFrom('space')
      .select('id')
      .where('uid', '=', space.uid)
      .executeTakeFirstOrThrow()
    const holder = await installation.database.pool.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT FROM space WHERE id = $1 FOR UPDATE', [id])
    // `second` passes the first check as an admin and waits; meanwhile it is demoted by who holds the lock.
    const waiting = second.client.delete(`${space.url}/member/${third.memberId}`)
    await expect
      .poll(async () => {
        const { rows } = await installation.database.pool.query(
          `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
        )
        return rows.length
      })
      .toBe(1)
    await holder.query(`UPDATE space_member SET role = 'pjt-Member' WHERE id = $1`, [second.memberId])
    await holder.query('COMMIT')
    holder.release()
    expect((await waiting).status).toBe(403)
    expect(await admins()).toHaveLength(2)
  })

  it('of another space and unknown ones are the same 404', async () => {
    const stranger = await createAccount(installation)
    const elsewhere = await createSpace(stranger.client)
    const { members } = ok(await stranger.client.get(`${elsewhere.url}/members`))
    const unknown = await admin.client.delete(`${space.url}/member/${'0'.repeat(24)}`)
    expect(unknown.status).toBe(404)
    for (const id of [members[0]._id, 'x', '%00', stranger.id])
      for (const answer of [
        await admin.client.delete(`${space.url}/member/${id}`),
        await admin.client.put(`${space.url}/member/${id}`, { roleId: 'pjt-Member' }),
      ])
        expect([answer.status, answer.text]).toEqual([404, unknown.text])
    ok(await stranger.client.get(elsewhere.url))
  })
})

describe('members of an app', () => {
  it('join an open app with its default role, once', async () => {
    const app = await createApp(admin.client, space)
    ok(
      await admin.client.patch(app.url, {
        accessSettings: { visibility: 'open', defaultRole: 'app-Author' },
      }),
    )
    const colleague = await createMember(installation, space)
    expect((await colleague.client.get(`${app.url}/members`)).status).toBe(403)
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => colleague.client.post(`${app.url}/members/join`)),
    )
    for (const answer of answers)
      expect(ok(answer).member).toMatchObject({ _id: colleague.memberId, roleId: 'app-Author' })
    expect(ok(await colleague.client.get(`${app.url}/members`)).members).toHaveLength(2)
    expect(ok(await colleague.client.get(`${app.url}/currentRole`)).currentRole).toEqual({
      uid: 'app-Author',
      rights: ['document.read', 'document.write.own', 'document.publish.own'],
    })
    const joins = await installation.database.kysely
      .selectFrom('event')
      .select('payload')
      .where('type', '=', 'member.joinedApp')
      .where('actor_id', '=', colleague.id)
      .execute()
    expect(joins).toHaveLength(1)
  })

  it('join nothing when they are taken out of the space meanwhile', async () => {
    const app = await createApp(admin.client, space)
    const colleague = await createMember(installation, space)
    const joining = await installation.database.kysely.transaction().execute(async (tx) => {
      await tx.deleteFrom('space_member').where('id', '=', colleague.memberId).execute()
      const answer = colleague.client.post(`${app.url}/members/join`)
      // Long enough that the request has found its membership and waits for this removal.
      await new Promise((resolve) => setTimeout(resolve, 300))
      return { answer }
    })
    const answer = await joining.answer
    expect([answer.status, answer.body.code]).toEqual([404, 'NotFound'])
  })

  it('keep their role when they join again', async () => {
    const app = await createApp(admin.client, space)
    const reader = await createMember(installation, space, 'pjt-Member', {
      ...app,
      admin: admin.client,
      role: 'app-Subscriber',
    })
    expect(ok(await reader.client.post(`${app.url}/members/join`)).member.roleId).toBe('app-Subscriber')
  })

  it('shake off no role by leaving: joining again gives back the one they left with', async () => {
    const app = await createApp(admin.client, space)
    const path = `${app.url}/members`
    const colleague = await createMember(installation, space)
    const { member } = ok(await colleague.client.post(`${path}/join`))
    ok(await admin.client.patch(`${app.url}/member/${member._id}`, { roleId: 'app-Subscriber' }))
    for (let round = 0; round < 2; round++) {
      ok(await colleague.client.post(`${path}/leave`))
      expect(ok(await colleague.client.post(`${path}/join`)).member.roleId).toBe('app-Subscriber')
    }
    // Neither by leaving while an admin takes the role away: the admin is told.
    const hasty = await createMember(installation, space)
    const { member: left } = ok(await hasty.client.post(`${path}/join`))
    ok(await hasty.client.post(`${path}/leave`))
    const demotion = { roleId: 'app-Subscriber' }
    expect((await admin.client.patch(`${app.url}/member/${left._id}`, demotion)).status).toBe(404)
    // An admin gives any role.
    ok(await colleague.client.post(`${path}/leave`))
    ok(await admin.client.post(path, { email: colleague.email, roleId: 'app-Author' }))
    ok(await colleague.client.post(`${path}/leave`))
    expect(ok(await colleague.client.post(`${path}/join`)).member.roleId).toBe('app-Author')
  })

  it('leave, and leaving twice is no error', async () => {
    const app = await createApp(admin.client, space)
    const colleague = await createMember(installation, space)
    ok(await colleague.client.post(`${app.url}/members/join`))
    ok(await colleague.client.post(`${app.url}/members/leave`))
    ok(await colleague.client.post(`${app.url}/members/leave`))
    expect((await colleague.client.get(`${app.url}/members`)).status).toBe(403)
  })

  it('are taken in by their address, and only from the space', async () => {
    const app = await createApp(admin.client, space)
    const colleague = await createMember(installation, space)
    const add = (email: string, roleId = 'app-Author') =>
      admin.client.post(`${app.url}/members`, { email, roleId })
    expect(ok(await add(` ${colleague.email.toUpperCase()} `)).member).toEqual({
      _id: colleague.memberId,
      accountId: colleague.id,
      name: colleague.name,
      icon: null,
      email: colleague.email,
      createdAt: expect.any(String),
      roleId: 'app-Author',
    })
    const again = await add(colleague.email, 'app-Admin')
    expect([again.status, again.body.code]).toEqual([409, 'InvitedAccountAlreadyExists'])
    const stranger = await createAccount(installation)
    const [foreign, unknown] = [await add(stranger.email), await add('nobody@example.com')]
    expect([foreign.status, foreign.text]).toEqual([400, unknown.text])
    expect(foreign.body.issues).toEqual([{ path: 'email', code: 'InvalidValue' }])
    expect((await add('no address')).status).toBe(400)
  })

  it('get other roles from an app admin, but nobody their own', async () => {
    const app = await createApp(admin.client, space)
    const join = { ...app, admin: admin.client }
    const lead = await createMember(installation, space, 'pjt-Member', { ...join, role: 'app-Admin' })
    const writer = await createMember(installation, space, 'pjt-Member', { ...join, role: 'app-Author' })
    const change = (id: string, roleId: string) => lead.client.patch(`${app.url}/member/${id}`, { roleId })
    expect(ok(await change(writer.memberId, 'app-Editor')).member.roleId).toBe('app-Editor')
    const own = await change(lead.memberId, 'app-Subscriber')
    expect([own.status, own.body.code]).toEqual([409, 'ChangingOwnRole'])
    const outside = await createMember(installation, space)
    expect((await change(outside.memberId, 'app-Editor')).status).toBe(404)
    expect((await change(writer.memberId, 'pjt-Admin')).status).toBe(400)
    expect(
      (await writer.client.patch(`${app.url}/member/${lead.memberId}`, { roleId: 'app-Author' })).status,
    ).toBe(403)
  })

  it('of a private app are hidden from who is not in it', async () => {
    const app = await createApp(admin.client, space)
    ok(
      await admin.client.patch(app.url, {
        accessSettings: { visibility: 'private', defaultRole: 'app-Editor' },
      }),
    )
    const colleague = await createMember(installation, space)
    const unknown = await colleague.client.get(`${space.url}/app/nothing/members`)
    for (const answer of [
      await colleague.client.get(`${app.url}/members`),
      await colleague.client.post(`${app.url}/members/join`),
      await colleague.client.post(`${app.url}/members/leave`),
      await colleague.client.get(`${app.url}/currentRole`),
    ])
      expect([answer.status, answer.text]).toEqual([404, unknown.text])
  })
})

describe('roles', () => {
  it('are listed with their rights', async () => {
    const app = await createApp(admin.client, space)
    const { roles } = ok(await admin.client.get(`${space.url}/role`))
    expect(roles.map((role: { uid: string }) => role.uid)).toEqual(['pjt-Admin', 'pjt-Member'])
    const appRoles = ok(await admin.client.get(`${app.url}/role`)).roles
    expect(appRoles).toHaveLength(5)
    expect(appRoles[4]).toEqual({
      uid: 'app-Subscriber',
      name: '',
      target: 'app',
      builtIn: true,
      rights: ['document.read'],
    })
  })

  it('that are built in are rows, and say what permissions.ts says', async () => {
    const rows = await installation.database.kysely
      .selectFrom('role')
      .select(['target', 'uid', 'rights'])
      .where('space_id', 'is', null)
      .orderBy('target', 'desc')
      .orderBy('position')
      .execute()
    const written = [
      ...Object.entries(projectRoles).map(([uid, rights]) => ({ target: 'project', uid, rights })),
      ...Object.entries(appRoles).map(([uid, rights]) => ({ target: 'app', uid, rights })),
    ]
    expect(rows).toEqual(written)
  })

  it('of a space are honoured by the next request, and so is a change of their rights', async () => {
    const own = await createSpace(admin.client)
    const app = await createApp(admin.client, own)
    ok(
      await admin.client.patch(app.url, {
        accessSettings: { visibility: 'private', defaultRole: 'app-Editor' },
      }),
    )
    const colleague = await createMember(installation, own)
    const db = installation.database.kysely
    const { id: spaceId } = await db
      .selectFrom('space')
      .select('id')
      .where('uid', '=', own.uid)
      .executeTakeFirstOrThrow()
    const role = { space_id: spaceId, target: 'project', uid: 'keeper' } as const
    await db
      .insertInto('role')
      .values({ ...role, rights: ['space.view', 'token.manage', 'of.tomorrow'] })
      .execute()

    const tokens = () => colleague.client.get(`${own.url}/cdnToken`)
    expect((await tokens()).status).toBe(403)
    ok(await admin.client.put(`${own.url}/member/${colleague.memberId}`, { roleId: 'keeper' }))
    ok(await tokens())
    expect(ok(await colleague.client.get(`${own.url}/currentRole`)).currentRole).toEqual({
      uid: 'keeper',
      rights: ['space.view', 'token.manage'],
    })
    expect(ok(await colleague.client.get(`${own.url}/role`)).roles.at(-1)).toEqual({
      uid: 'keeper',
      name: '',
      target: 'project',
      builtIn: false,
      rights: ['space.view', 'token.manage'],
    })

    // A right on apps in a space's role is held in every app, as the admin holds it.
    expect((await colleague.client.get(`${app.url}/model`)).status).toBe(404)
    const give = (rights: string[]) =>
      db.updateTable('role').set({ rights }).where('space_id', '=', spaceId).execute()
    await give(['space.view', 'document.read'])
    ok(await colleague.client.get(`${app.url}/model`))
    expect((await colleague.client.patch(app.url, { data: { name: 'x' } })).status).toBe(403)
    expect((await tokens()).status).toBe(403)

    // Who could manage members besides is told by rights, not by names.
    const me = ok(await admin.client.get(`${own.url}/members`)).members.find(
      (member: { accountId: string }) => member.accountId === admin.id,
    )
    const leave = () => admin.client.delete(`${own.url}/member/${me._id}`)
    expect((await leave()).body.code).toBe('OtherAdminMembersNotExist')
    await give(['space.view', 'member.manage'])
    ok(await leave())
    ok(await colleague.client.get(`${own.url}/members`))
  })

  it('of another space, or for apps, are none that a member can be given', async () => {
    const own = await createSpace(admin.client)
    const other = await createSpace(admin.client)
    const colleague = await createMember(installation, own)
    const db = installation.database.kysely
    const { id } = await db
      .selectFrom('space')
      .select('id')
      .where('uid', '=', other.uid)
      .executeTakeFirstOrThrow()
    const row = { space_id: id, target: 'project', uid: 'theirs', rights: ['member.manage'] } as const
    await db
      .insertInto('role')
      .values({ ...row, rights: [...row.rights] })
      .execute()
    for (const roleId of ['theirs', 'app-Admin', 'nobody', '']) {
      const answer = await admin.client.put(`${own.url}/member/${colleague.memberId}`, { roleId })
      expect([answer.status, answer.body.issues]).toEqual([400, [{ path: 'roleId', code: 'InvalidValue' }]])
    }
    expect(ok(await admin.client.get(`${own.url}/role`)).roles).toHaveLength(2)
    // Should a row name it all the same, it gives nothing.
    await db
      .updateTable('space_member')
      .set({ role: 'theirs' })
      .where('id', '=', colleague.memberId)
      .execute()
    expect((await colleague.client.get(`${own.url}/members`)).status).toBe(403)
  })
})
