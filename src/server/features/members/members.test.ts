import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  addMember,
  createAccount,
  createApp,
  createMember,
  createSpace,
  type TestAccount,
} from '#test/factories.ts'
import { lengthOf } from '#test/full-length.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { expectWaiting, whileHeld } from '#test/while-held.ts'

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
  it('see each other’s last visit and identities only if they manage members', async () => {
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
        emailVerified: false,
        createdAt: expect.any(String),
        roleId: 'pjt-Member',
        lastSeenAt: null,
        provisioned: false,
        identities: null,
      },
    ])
    const seen = ok(await admin.client.get(`${space.url}/members?role=pjt-Member`)).members
    expect(seen).toEqual([expect.objectContaining({ lastSeenAt: expect.any(String), identities: [] })])
  })

  it('see the email addresses of others only if they manage members or the space shows addresses', async () => {
    const app = await createApp(admin.client, space)
    const one = await createMember(installation, space)
    const other = await createMember(installation, space)
    for (const { client } of [one, other]) ok(await client.post(`${app.url}/members/join`))
    const lists = [`${space.url}/members`, `${app.url}/members`]
    const emails = async ({ client }: TestAccount, query = '') => {
      const answers = await Promise.all(lists.map((url) => client.get(`${url}${query}`)))
      return answers.map((answer) => ok(answer).members.map(({ email }: { email: unknown }) => email))
    }
    const all = [admin.email, one.email, other.email]
    const own = [null, one.email, null]
    expect(await emails(admin)).toEqual([all, all])
    for (const query of ['', '?select=email', '?limit=3'])
      expect(await emails(one, query)).toEqual([own, own])
    // The search of a member who sees no addresses matches no addresses, not even their own.
    for (const search of [other.email, other.email.split('@')[1] ?? '', one.email])
      expect(await emails(one, `?search=${search}`)).toEqual([[], []])
    const { kysely } = installation.database
    await kysely.updateTable('account').set({ name: 'ヤモリ' }).where('id', '=', other.id).execute()
    expect(await emails(one, `?search=${encodeURIComponent('やもり')}`)).toEqual([[null], [null]])
    ok(await admin.client.patch(`${app.url}/member/${one.memberId}`, { roleId: 'app-Admin' }))
    // As a manager of the app, the member sees the addresses of its members.
    expect(await emails(one)).toEqual([own, all])

    const settings = `${space.url}/security`
    expect(ok(await admin.client.get(settings)).security.addressesVisible).toBe(false)
    ok(await admin.client.put(settings, { data: { addressesVisible: true } }))
    expect(await emails(other)).toEqual([all, all])
    expect(await emails(other, `?search=${one.email}`)).toEqual([[one.email], [one.email]])
    ok(await admin.client.put(settings, { data: { addressesVisible: false } }))
    expect((await emails(other))[0]).toEqual([null, null, other.email])
  })

  it('are listed in pages, and found by name, address and role', async () => {
    const db = installation.database.kysely
    const people: TestAccount[] = []
    for (let count = 0; count < 3; count++) people.push(await createMember(installation, space))
    const [first, second] = people as [TestAccount, TestAccount]
    await db.updateTable('account').set({ name: 'イモリ 太郎' }).where('id', '=', first.id).execute()
    await db.updateTable('account').set({ name: '100%_Ｄｏｇ' }).where('id', '=', second.id).execute()
    const list = async (query: string) => {
      const { members, ...page } = ok(await admin.client.get(`${space.url}/members?${query}`))
      return { ...page, ids: members.map((member: { accountId: string }) => member.accountId) }
    }
    const all = [admin, ...people].map(({ id }) => id)
    expect(await list('limit=2')).toEqual({ total: 4, skip: 0, limit: 2, ids: all.slice(0, 2) })
    expect(await list('limit=2&skip=2')).toEqual({ total: 4, skip: 2, limit: 2, ids: all.slice(2) })
    expect((await list('skip=9')).total).toBe(4)
    // The search ignores kind of kana, width and case, and treats pattern characters literally.
    for (const search of ['いもり', 'ｲﾓﾘ', first.email.toUpperCase()])
      expect(await list(`search=${encodeURIComponent(search)}`)).toMatchObject({ total: 1, ids: [first.id] })
    for (const search of ['0%_', 'dog'])
      expect((await list(`search=${encodeURIComponent(search)}`)).ids).toEqual([second.id])
    expect((await list('search=%25%25')).ids).toEqual([])
    expect((await list('role=pjt-Admin')).ids).toEqual([admin.id])
    expect(await list(`account=${second.id}`)).toMatchObject({ total: 1, ids: [second.id] })
    expect(ok(await admin.client.get(`${space.url}/members?select=_id,%20name&limit=1`)).members).toEqual([
      { _id: expect.any(String), name: admin.name },
    ])
    for (const select of ['nonsense', '_id,nonsense', 'toString', ''])
      expect((await admin.client.get(`${space.url}/members?select=${select}`)).body).toMatchObject({
        issues: [{ path: 'select', code: 'InvalidValue' }],
      })
    for (const query of ['limit=0', 'limit=1001', 'skip=-1', 'search=%00', 'nothing=1'])
      expect((await admin.client.get(`${space.url}/members?${query}`)).status).toBe(400)
  })

  it('can leave, except the last admin with all rights', async () => {
    const colleague = await createMember(installation, space)
    const leave = (account: TestAccount) => account.client.post(`${space.url}/members/leave`)
    ok(await leave(colleague))
    expect((await leave(colleague)).status).toBe(404)
    expect((await leave(admin)).body.code).toBe('OtherAdminMembersNotExist')
    await createMember(installation, space, 'pjt-Admin')
    ok(await leave(admin))
  })

  it('can get another role, which applies from the next request', async () => {
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

  it('lose access to the space and its apps when they are removed', async () => {
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
    // Returning to the space does not restore membership of the app.
    await addMember(installation, space, editor)
    expect(ok(await editor.client.get(`${app.url}/currentRole`)).currentRole).toEqual({
      uid: null,
      rights: [],
      elsewhere: [],
      models: {},
    })
  })

  it('who are admins can remove themselves, except the last admin', async () => {
    const own = await memberOf(admin)
    const alone = await admin.client.delete(`${space.url}/member/${own._id}`)
    expect([alone.status, alone.body.code]).toEqual([409, 'OtherAdminMembersNotExist'])
    await createMember(installation, space, 'pjt-Admin')
    ok(await admin.client.delete(`${space.url}/member/${own._id}`))
    expect((await admin.client.get(space.url)).status).toBe(404)
  })

  it('include an admin even after admins demote and remove each other concurrently', async () => {
    for (let round = 0; round < lengthOf(12, 200); round++) {
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

  it('get 403 if they are demoted while their request waits', async () => {
    const second = await createMember(installation, space, 'pjt-Admin')
    const third = await createMember(installation, space, 'pjt-Admin')
    const { id } = await installation.database.kysely
      .selectFrom('space')
      .select('id')
      .where('uid', '=', space.uid)
      .executeTakeFirstOrThrow()
    // `second` passes the first check as an admin, then waits for the lock. Meanwhile, the transaction with the lock
    // demotes `second`.
    const answer = await whileHeld(
      installation,
      ['SELECT FROM space WHERE id = $1 FOR UPDATE', [id]],
      () => second.client.delete(`${space.url}/member/${third.memberId}`),
      (holder) =>
        holder.query(`UPDATE space_member SET role = 'pjt-Member' WHERE id = $1`, [second.memberId]),
    )
    expect(answer.status).toBe(403)
    expect(await admins()).toHaveLength(2)
  })

  it('cannot be changed or removed through another space: the response is the same 404 as for an unknown member', async () => {
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
      elsewhere: ['document.read', 'document.write.own', 'document.publish.own'],
      models: {},
    })
    const joins = await installation.database.kysely
      .selectFrom('event')
      .select('payload')
      .where('type', '=', 'member.joinedApp')
      .where('actor_id', '=', colleague.id)
      .execute()
    expect(joins).toHaveLength(1)
  })

  it('do not join if they are removed from the space in the meantime', async () => {
    const app = await createApp(admin.client, space)
    const colleague = await createMember(installation, space)
    const joining = await installation.database.kysely.transaction().execute(async (tx) => {
      await tx.deleteFrom('space_member').where('id', '=', colleague.memberId).execute()
      const answer = colleague.client.post(`${app.url}/members/join`)
      // The request to join has found its user's membership and waits for this removal.
      await expectWaiting(installation.database.pool, 1)
      return { answer }
    })
    const answer = await joining.answer
    expect([answer.status, answer.body.code]).toEqual([404, 'NotFound'])
  })

  it('keep their role if they call join although they are already members', async () => {
    const app = await createApp(admin.client, space)
    const reader = await createMember(installation, space, 'pjt-Member', {
      ...app,
      admin: admin.client,
      role: 'app-Subscriber',
    })
    expect(ok(await reader.client.post(`${app.url}/members/join`)).member.roleId).toBe('app-Subscriber')
  })

  it('rejoin with the role that they had when they left, if it is still stored', async () => {
    const app = await createApp(admin.client, space)
    const path = `${app.url}/members`
    const colleague = await createMember(installation, space)
    const { member } = ok(await colleague.client.post(`${path}/join`))
    ok(await admin.client.patch(`${app.url}/member/${member._id}`, { roleId: 'app-Subscriber' }))
    for (let round = 0; round < 2; round++) {
      ok(await colleague.client.post(`${path}/leave`))
      expect(ok(await colleague.client.post(`${path}/join`)).member.roleId).toBe('app-Subscriber')
    }
    // An admin who demotes a member who has just left gets an error. Otherwise the admin would not notice that the
    // stored role is kept.
    const hasty = await createMember(installation, space)
    const { member: left } = ok(await hasty.client.post(`${path}/join`))
    ok(await hasty.client.post(`${path}/leave`))
    const demotion = { roleId: 'app-Subscriber' }
    expect((await admin.client.patch(`${app.url}/member/${left._id}`, demotion)).status).toBe(404)
    // If an admin adds the member with another role, the member later rejoins with that role.
    ok(await colleague.client.post(`${path}/leave`))
    ok(await admin.client.post(path, { memberId: colleague.memberId, roleId: 'app-Author' }))
    ok(await colleague.client.post(`${path}/leave`))
    expect(ok(await colleague.client.post(`${path}/join`)).member.roleId).toBe('app-Author')
  })

  it('rejoin with the default role after another member removed them', async () => {
    const app = await createApp(admin.client, space)
    const join = { ...app, admin: admin.client }
    const chief = await createMember(installation, space, 'pjt-Member', { ...join, role: 'app-Admin' })
    const [joining, leaving] = [`${app.url}/members/join`, `${app.url}/members/leave`]
    // The member left on their own once, so their role was stored.
    ok(await chief.client.post(leaving))
    expect(ok(await chief.client.post(joining)).member.roleId).toBe('app-Admin')
    ok(await admin.client.delete(`${app.url}/member/${chief.memberId}`))
    expect(ok(await chief.client.post(joining)).member.roleId).toBe('app-Editor')
    // Removing oneself counts as leaving.
    const other = await createMember(installation, space, 'pjt-Member', { ...join, role: 'app-Admin' })
    ok(await other.client.delete(`${app.url}/member/${other.memberId}`))
    expect(ok(await other.client.post(joining)).member.roleId).toBe('app-Admin')
  })

  it('who left are listed for managers of the app, with the role for their return', async () => {
    const app = await createApp(admin.client, space)
    const join = { ...app, admin: admin.client }
    const left = async (role: string) => {
      const member = await createMember(installation, space, 'pjt-Member', { ...join, role })
      ok(await member.client.post(`${app.url}/members/leave`))
      return member
    }
    const [chief, author, editor] = [
      await left('app-Admin'),
      await left('app-Author'),
      await left('app-Editor'),
    ]
    ok(await author.client.post(`${app.url}/members/join`))
    const list = async (query = '') => {
      const { members, ...page } = ok(await admin.client.get(`${app.url}/leftMembers${query}`))
      return {
        ...page,
        members: members.map(({ _id, roleId }: { _id: string; roleId: string }) => [_id, roleId]),
      }
    }
    const whole = [
      [editor.memberId, 'app-Editor'],
      [chief.memberId, 'app-Admin'],
    ]
    expect(await list()).toEqual({ members: whole, total: 2, skip: 0, limit: 100 })
    expect(await list('?skip=1&limit=1')).toEqual({ members: [whole[1]], total: 2, skip: 1, limit: 1 })
    expect(await list('?skip=5')).toMatchObject({ members: [], total: 2 })
    expect((await author.client.get(`${app.url}/leftMembers`)).status).toBe(403)
    const [first] = ok(await admin.client.get(`${app.url}/leftMembers`)).members
    expect(first).toMatchObject({ email: editor.email, leftAt: expect.any(String) })
    expect(first).not.toHaveProperty('createdAt')
    // A new default role does not change the stored roles.
    const accessSettings = { visibility: 'open', defaultRole: 'app-Subscriber' }
    ok(await admin.client.patch(app.url, { accessSettings }))
    expect(await list()).toMatchObject({ members: whole })
    ok(await admin.client.delete(`${app.url}/member/${chief.memberId}`))
    expect(await list()).toMatchObject({ members: [whole[0]], total: 1 })
  })

  it('rejoin with the default role after an admin deleted their stored role', async () => {
    const app = await createApp(admin.client, space)
    const join = { ...app, admin: admin.client, role: 'app-Admin' }
    const chief = await createMember(installation, space, 'pjt-Member', join)
    const roleOnReturn = async () => ok(await chief.client.post(`${app.url}/members/join`)).member.roleId
    ok(await chief.client.post(`${app.url}/members/leave`))
    ok(await admin.client.delete(`${app.url}/member/${chief.memberId}`))
    expect((await admin.client.delete(`${app.url}/member/${chief.memberId}`)).status).toBe(404)
    expect(await roleOnReturn()).toBe('app-Editor')
  })

  it('rejoin with the default role if they leave while an admin removes them', async () => {
    const app = await createApp(admin.client, space)
    const join = { ...app, admin: admin.client, role: 'app-Admin' }
    for (let round = 0; round < lengthOf(3, 100); round++) {
      const { client, memberId } = await createMember(installation, space, 'pjt-Member', join)
      const [left, removed] = await Promise.all([
        client.post(`${app.url}/members/leave`),
        admin.client.delete(`${app.url}/member/${memberId}`),
      ])
      expect([left.status, removed.status]).toEqual([200, 200])
      expect(ok(await client.post(`${app.url}/members/join`)).member.roleId).toBe('app-Editor')
    }
  })

  it('keep a stored role that has more rights than the manager who adds or removes them', async () => {
    const app = await createApp(admin.client, space)
    const join = { ...app, admin: admin.client }
    const role = { uid: 'keepers', name: '管理', target: 'app', rights: ['document.read', 'app.manage'] }
    ok(await admin.client.post(`${app.url}/role`, { data: role }))
    const keeper = await createMember(installation, space, 'pjt-Member', { ...join, role: 'keepers' })
    const chief = await createMember(installation, space, 'pjt-Member', { ...join, role: 'app-Admin' })
    ok(await chief.client.post(`${app.url}/members/leave`))
    const reader = { roleId: 'app-Subscriber' }
    const { memberId } = chief
    for (const attempt of [
      keeper.client.post(`${app.url}/members`, { memberId, ...reader }),
      keeper.client.delete(`${app.url}/member/${memberId}`),
    ])
      expect((await attempt).body.code).toBe('InvalidRoleChange')
    expect(ok(await chief.client.post(`${app.url}/members/join`)).member.roleId).toBe('app-Admin')
    // A manager can add a member whose stored role is within the manager's rights. An admin with all rights can add any
    // member.
    const guest = await createMember(installation, space, 'pjt-Member', { ...join, role: 'app-Subscriber' })
    ok(await guest.client.post(`${app.url}/members/leave`))
    ok(await keeper.client.post(`${app.url}/members`, { memberId: guest.memberId, ...reader }))
    ok(await chief.client.post(`${app.url}/members/leave`))
    ok(await admin.client.post(`${app.url}/members`, { memberId, ...reader }))
  })

  it('can leave twice without an error', async () => {
    const app = await createApp(admin.client, space)
    const colleague = await createMember(installation, space)
    ok(await colleague.client.post(`${app.url}/members/join`))
    ok(await colleague.client.post(`${app.url}/members/leave`))
    ok(await colleague.client.post(`${app.url}/members/leave`))
    expect((await colleague.client.get(`${app.url}/members`)).status).toBe(403)
  })

  it('are added by their verified email address', async () => {
    const app = await createApp(admin.client, space)
    const account = await createAccount(installation, { verified: true })
    const colleague = { ...account, memberId: await addMember(installation, space, account) }
    const add = (email: string, roleId = 'app-Author') =>
      admin.client.post(`${app.url}/members`, { email, roleId })
    expect(ok(await add(` ${colleague.email.toUpperCase()} `)).member).toEqual({
      _id: colleague.memberId,
      accountId: colleague.id,
      name: colleague.name,
      icon: null,
      email: colleague.email,
      emailVerified: true,
      createdAt: expect.any(String),
      lastSeenAt: expect.any(String),
      provisioned: false,
      identities: [],
      roleId: 'app-Author',
    })
    const again = await add(colleague.email, 'app-Admin')
    expect([again.status, again.body.code]).toEqual([409, 'InvitedAccountAlreadyExists'])
    expect((await add('no address')).status).toBe(400)
  })

  it('are not added by an unverified email address, but by their `_id`', async () => {
    const app = await createApp(admin.client, space)
    const mallory = await createMember(installation, space)
    const add = (body: object) => admin.client.post(`${app.url}/members`, { roleId: 'app-Admin', ...body })
    const refused = await add({ email: mallory.email })
    expect([refused.status, refused.body.code, refused.body.member]).toEqual([
      409,
      'MemberEmailIsNotVerified',
      { _id: mallory.memberId, name: mallory.name },
    ])
    expect(ok(await mallory.client.get(`${app.url}/currentRole`)).currentRole.uid).toBeNull()
    const { members } = ok(await admin.client.get(`${space.url}/members?account=${mallory.id}`))
    expect(members).toMatchObject([{ email: mallory.email, emailVerified: false }])
    expect(ok(await add({ memberId: mallory.memberId })).member.roleId).toBe('app-Admin')
    expect((await add({ memberId: '0'.repeat(24) })).status).toBe(404)
    for (const body of [{}, { memberId: mallory.memberId, email: mallory.email }])
      expect((await add(body)).body.code).toBe('ValidationFailed')
  })

  it('can get another role from an admin of the app, but cannot change their own role', async () => {
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

  it('are hidden from members with only the role pjt-Member if the app is private', async () => {
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
