import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountActor } from '#server/access/actor.ts'
import { enterSpace, inTransaction, spaceScope } from '#server/db/scope.ts'
import { createAccount, createApp, createMember, createSpace, type TestAccount } from '#test/factories.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { applyGroups, roleByGroups } from './group-roles.service.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let url: string
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  url = `${space.url}/groupRoles`
  const rights = ['space.view', 'asset.read']
  for (const uid of ['writers', 'readers'])
    ok(await admin.client.post(`${space.url}/role`, { data: { uid, name: uid, target: 'project', rights } }))
})
afterAll(() => installation?.close())

const save = (groups: [string, string][], defaultRoleId = 'pjt-Member', more: object = {}) =>
  admin.client.put(url, {
    data: { groups: groups.map(([name, roleId]) => ({ name, roleId })), defaultRoleId, ...more },
  })
async function inside<T>(work: (ctx: Parameters<typeof applyGroups>[0]) => Promise<T>): Promise<T> {
  const db = installation.database.kysely
  const { id } = await db
    .selectFrom('space')
    .select('id')
    .where('uid', '=', space.uid)
    .executeTakeFirstOrThrow()
  const actor = accountActor({ id: admin.id, name: '名簿', language: 'ja', isAdmin: false } as never)
  return inTransaction(db, async (tx) => {
    const scope = spaceScope(id)
    await enterSpace(tx, scope)
    return work({ db: tx, scope, actor, ip: '203.0.113.9' })
  })
}
const apply = (account: { id: string }, ...groups: string[]) =>
  inside((ctx) => applyGroups(ctx, account.id, groups))
const roleOf = async ({ id }: { id: string }) =>
  ok(await admin.client.get(`${space.url}/members?limit=1000`)).members.find(
    (member: { accountId: string }) => member.accountId === id,
  )?.roleId

describe('group mappings', () => {
  it('keep their order, and do not change if the input is invalid', async () => {
    expect(ok(await admin.client.get(url)).groupRoles).toEqual({
      groups: [],
      appGroups: [],
      defaultRoleId: 'pjt-Member',
      version: 0,
    })
    const saved = ok(
      await save([
        [' 編集部 ', 'writers'],
        ['全社員', 'readers'],
      ]),
    )
    const groups = [
      { name: '編集部', roleId: 'writers' },
      { name: '全社員', roleId: 'readers' },
    ]
    expect(saved.groupRoles).toEqual({ groups, appGroups: [], defaultRoleId: 'pjt-Member', version: 1 })
    const wrong = [
      [
        save([
          ['か\u3099', 'writers'],
          ['が', 'readers'],
        ]),
        'data.groups.1.name',
      ],
      [save([['x', 'no-such-role']]), 'data.groups.0.roleId'],
      [save([['x', 'app-Editor']]), 'data.groups.0.roleId'],
      [save([['  ', 'readers']]), 'data.groups.0.name'],
      [save([], 'no-such-role'), 'data.defaultRoleId'],
    ] as const
    for (const [sent, path] of wrong) {
      const { status, body } = await sent
      expect([status, body.issues?.[0]?.path]).toEqual([400, path])
    }
    expect((await save([], 'readers', { version: 0 })).body.code).toBe('VersionConflict')
    expect(ok(await admin.client.get(url)).groupRoles).toEqual(saved.groupRoles)
  })

  it('are rejected if a new mapping or the default role assigns rights that the caller lacks', async () => {
    const rights = ['space.view', 'security.manage']
    const data = { uid: 'guards', name: '守衛', target: 'project', rights }
    ok(await admin.client.post(`${space.url}/role`, { data }))
    const guard = await createMember(installation, space, 'guards')
    ok(await save([['役員', 'pjt-Admin']]))
    const send = (groups: object[], defaultRoleId = 'pjt-Member') =>
      guard.client.put(url, { data: { groups, defaultRoleId } })
    const kept = { name: '役員', roleId: 'pjt-Admin' }
    for (const refused of [
      send([{ name: '私', roleId: 'pjt-Admin' }]),
      send([{ name: '私', roleId: 'guards' }, kept]),
      send([kept], 'pjt-Admin'),
    ])
      expect((await refused).body.code).toBe('InvalidRoleChange')
    ok(await send([kept, { name: '私', roleId: 'guards' }]))
  })

  it('cannot be changed if a role that the caller may not assign would begin or cease to apply', async () => {
    const viewers = { uid: 'viewers', name: '閲覧', target: 'project', rights: ['space.view'] }
    ok(await admin.client.post(`${space.url}/role`, { data: viewers }))
    const guard = await createMember(installation, space, 'guards')
    const before: [string, string][] = [
      ['契約社員', 'guards'],
      ['情報システム', 'pjt-Admin'],
    ]
    ok(await save(before))
    const send = (groups: [string, string][]) =>
      guard.client.put(url, {
        data: { groups: groups.map(([name, roleId]) => ({ name, roleId })), defaultRoleId: 'pjt-Member' },
      })
    const refused: [string, string][][] = [
      // Replaces the group of the first mapping. The members of the former group may then match the second mapping.
      [
        ['誰もいない', 'guards'],
        ['情報システム', 'pjt-Admin'],
      ],
      [['情報システム', 'pjt-Admin']],
      [
        ['情報システム', 'pjt-Admin'],
        ['契約社員', 'guards'],
      ],
      [
        ['誰もいない', 'guards'],
        ['契約社員', 'guards'],
        ['情報システム', 'pjt-Admin'],
      ],
      [
        ['契約社員', 'guards'],
        ['情報システム', 'guards'],
      ],
      [['契約社員', 'guards']],
    ]
    for (const groups of refused) expect((await send(groups)).body.code).toBe('InvalidRoleChange')
    ok(
      await send([
        ['契約社員', 'viewers'],
        ['情報システム', 'pjt-Admin'],
        ['全社員', 'guards'],
      ]),
    )
    // Without a mapping, members of the group get the default role.
    ok(await save([['契約社員', 'guards']], 'pjt-Admin'))
    const removed = await guard.client.put(url, { data: { groups: [], defaultRoleId: 'pjt-Admin' } })
    expect(removed.body.code).toBe('InvalidRoleChange')
  })

  it('protect their roles from deletion', async () => {
    ok(await save([['全社員', 'readers']], 'writers'))
    for (const uid of ['readers', 'writers']) {
      const answer = await admin.client.delete(`${space.url}/role/${uid}`)
      expect([answer.status, answer.body.code]).toEqual([409, 'RoleIsStillInUse'])
    }
  })
})

describe('groups', () => {
  it('assign the role of the first mapping with their exact name', async () => {
    ok(
      await save([
        ['編集部', 'writers'],
        ['全社員', 'readers'],
      ]),
    )
    const member = await createMember(installation, space)
    expect(await apply(member, '編集部 ２課', '编集部', 'ALL')).toBeNull()
    expect(await roleOf(member)).toBe('pjt-Member')
    expect(await apply(member, '全社員', '編集部')).toMatchObject({ before: 'pjt-Member', after: 'writers' })
    expect(await roleOf(member)).toBe('writers')
    expect(await apply(member, '編集部')).toBeNull()
    expect(await apply(await createAccount(installation), '編集部')).toBeNull()
    const { auditLogs } = ok(await admin.client.get(`${space.url}/auditLog?kind=member`))
    expect(auditLogs[0]).toMatchObject({ act: 'member.update', ip: '203.0.113.9' })
    expect(await inside((ctx) => roleByGroups(ctx, ['全社員']))).toBe('readers')
    ok(await save([], 'writers'))
    expect(await inside((ctx) => roleByGroups(ctx, ['全社員']))).toBe('writers')
  })

  it('do not change a member’s role after the mapping is removed, if former groups are unknown', async () => {
    ok(await save([['編集部', 'writers']]))
    const member = await createMember(installation, space)
    await apply(member, '編集部')
    ok(await save([]))
    expect(await apply(member, '編集部')).toBeNull()
    expect(await roleOf(member)).toBe('writers')
  })

  it('do not demote the last member with all rights', async () => {
    ok(await save([['全社員', 'readers']]))
    expect(await apply(admin, '全社員')).toBeNull()
    expect(await roleOf(admin)).toBe('pjt-Admin')
    const second = await createMember(installation, space, 'pjt-Admin')
    // If both changes are applied concurrently, one of the members stays an admin.
    const changes = await Promise.all([apply(admin, '全社員'), apply(second, '全社員')])
    expect(changes.filter((change) => change !== null)).toHaveLength(1)
  })
})

describe('groups with mappings of apps', () => {
  beforeAll(async () => {
    admin = await createAccount(installation)
    space = await createSpace(admin.client)
    url = `${space.url}/groupRoles`
    const rights = ['space.view', 'security.manage']
    const data = { uid: 'guards', name: '守衛', target: 'project', rights }
    ok(await admin.client.post(`${space.url}/role`, { data }))
  })

  type AppLine = [app: { uid: string }, name: string, roleId: string]
  const saveApps = (lines: AppLine[], client = admin.client) =>
    client.put(url, {
      data: {
        groups: [],
        appGroups: lines.map(([{ uid }, name, roleId]) => ({ app: uid, name, roleId })),
        defaultRoleId: 'pjt-Member',
      },
    })
  const roleIn = async (app: { url: string }, { id }: { id: string }) =>
    ok(await admin.client.get(`${app.url}/members`)).members.find(
      (member: { accountId: string }) => member.accountId === id,
    )?.roleId

  it('assign the first matching role in each app, and remove roles that a known former group assigned', async () => {
    const [blog, docs] = [await createApp(admin.client, space), await createApp(admin.client, space)]
    ok(
      await saveApps([
        [blog, '編集部', 'app-Editor'],
        [blog, '全社員', 'app-Subscriber'],
        [docs, '全社員', 'app-Author'],
      ]),
    )
    const member = await createMember(installation, space)
    expect(await apply(member, '全社員', '編集部')).toBeNull()
    expect([await roleIn(blog, member), await roleIn(docs, member)]).toEqual(['app-Editor', 'app-Author'])
    await apply(member, '全社員')
    expect(await roleIn(blog, member)).toBe('app-Subscriber')
    // Without former groups, nothing is removed. With them, the role is removed unless an admin assigned another one.
    await apply(member)
    expect(await roleIn(blog, member)).toBe('app-Subscriber')
    ok(await admin.client.patch(`${docs.url}/member/${member.memberId}`, { roleId: 'app-Editor' }))
    await inside((ctx) => applyGroups(ctx, member.id, [], ['全社員']))
    expect([await roleIn(blog, member), await roleIn(docs, member)]).toEqual([undefined, 'app-Editor'])
    const { auditLogs } = ok(await admin.client.get(`${space.url}/auditLog?kind=member&limit=5`))
    expect(auditLogs.map(({ act }: { act: string }) => act)).toEqual([
      'member.removeFromApp',
      'member.updateInApp',
      'member.updateInApp',
      'member.addToApp',
      'member.addToApp',
    ])
    const accessSettings = { visibility: 'open', defaultRole: 'app-Contributor' }
    ok(await admin.client.patch(blog.url, { accessSettings }))
    // A role removed by the directory is not restored on rejoining.
    const again = ok(await member.client.post(`${blog.url}/members/join`)).member
    expect(again.roleId).toBe('app-Contributor')
    const role = { uid: 'proof', name: '校正', target: 'app', rights: ['document.read'] }
    ok(await admin.client.post(`${blog.url}/role`, { data: role }))
    ok(await saveApps([[blog, '校正', 'proof']]))
    const deleted = await admin.client.delete(`${blog.url}/role/proof`)
    expect([deleted.status, deleted.body.code]).toEqual([409, 'RoleIsStillInUse'])
  })

  it('keep a member in the app if the mapping is removed before the member leaves the group', async () => {
    const blog = await createApp(admin.client, space)
    ok(await saveApps([[blog, '編集部', 'app-Editor']]))
    const member = await createMember(installation, space)
    await apply(member, '編集部')
    ok(await saveApps([]))
    await apply(member, '編集部')
    await inside((ctx) => applyGroups(ctx, member.id, [], ['編集部']))
    expect(await roleIn(blog, member)).toBe('app-Editor')
  })

  it('can be mapped only by members who may assign the role in the app', async () => {
    const [open, hidden] = [await createApp(admin.client, space), await createApp(admin.client, space)]
    const accessSettings = { visibility: 'private', defaultRole: 'app-Author' }
    ok(await admin.client.patch(hidden.url, { accessSettings }))
    ok(await saveApps([[hidden, '役員', 'app-Admin']]))
    const guard = await createMember(installation, space, 'guards', {
      admin: admin.client,
      url: open.url,
      role: 'app-Editor',
    })
    expect(ok(await guard.client.get(url)).groupRoles.appGroups).toEqual([])
    const wrong = [
      [saveApps([[open, '私', 'app-Editor']], guard.client), 403, 'Forbidden'],
      [saveApps([[hidden, '私', 'app-Admin']], guard.client), 400, 'ValidationFailed'],
      [saveApps([[open, '私', 'no-such-role']]), 400, 'ValidationFailed'],
      [
        saveApps([
          [open, '私', 'app-Editor'],
          [open, ' 私', 'app-Author'],
        ]),
        400,
        'ValidationFailed',
      ],
    ] as const
    for (const [sent, status, code] of wrong) {
      const answer = await sent
      expect([answer.status, answer.body.code]).toEqual([status, code])
    }
    // A mapping of an app that the caller does not manage cannot be replaced. Neither can a mapping before it.
    const own = await createApp(admin.client, space)
    ok(await admin.client.post(`${own.url}/members`, { memberId: guard.memberId, roleId: 'app-Admin' }))
    const openRules: AppLine[] = [
      [open, '契約社員', 'app-Subscriber'],
      [open, '情報システム', 'app-Admin'],
    ]
    ok(await saveApps([...openRules, [hidden, '役員', 'app-Admin']]))
    const replaced: AppLine[][] = [
      [[own, '誰もいない', 'app-Subscriber'], openRules[1] as AppLine],
      [[open, '誰もいない', 'app-Subscriber'], openRules[1] as AppLine],
      [openRules[1] as AppLine],
      [],
    ]
    for (const lines of replaced)
      expect(['Forbidden', 'InvalidRoleChange']).toContain((await saveApps(lines, guard.client)).body.code)
    ok(await saveApps([[own, '編集部', 'app-Editor'], ...openRules], guard.client))
    ok(await saveApps([[hidden, '役員', 'app-Admin']]))
    // Mappings of apps that the caller cannot see stay.
    ok(await saveApps([], guard.client))
    expect(ok(await admin.client.get(url)).groupRoles.appGroups).toEqual([
      { app: hidden.uid, name: '役員', roleId: 'app-Admin' },
    ])
  })
})
