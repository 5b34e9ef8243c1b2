import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccount, createApp, createSpace, type TestAccount } from '#test/factories.ts'
import { recordStatements } from '#test/record-statements.ts'
import { type Answer, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let app: { uid: string; url: string }
let send: (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown) => Promise<Answer>
let statements = 0
beforeAll(async () => {
  installation = await startInstallation()
  recordStatements(installation.database.pool, () => statements++)
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  app = await createApp(admin.client, space)
  const { scim } = ok(await admin.client.post(`${space.url}/scim`, { data: { sendsMail: false } }))
  const directory = installation.visitor()
  send = (method, path, body) =>
    directory.send(method, `/scim/v2/${space.uid}${path}`, body, {
      ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
      authorization: `Bearer ${scim.token}`,
    })
  const { role } = ok(
    await admin.client.post(`${space.url}/role`, { data: { name: '編集', rights: ['space.view'] } }),
  )
  const data = {
    groups: ['少数', '多数'].map((name) => ({ name, roleId: role.uid })),
    appGroups: ['少数', '多数'].map((name) => ({ app: app.uid, name, roleId: 'app-Editor' })),
    defaultRoleId: 'pjt-Member',
  }
  ok(await admin.client.put(`${space.url}/groupRoles`, { data }))
})
afterAll(() => installation?.close())

async function count(call: Promise<Answer>, status: number): Promise<number> {
  statements = 0
  const answer = await call
  expect([answer.status, answer.text]).toEqual([status, expect.any(String)])
  return statements
}

const membersOf = async (url: string): Promise<{ _id: string; roleId: string }[]> =>
  ok(await admin.client.get(`${url}/members?limit=1000`)).members

it('a change of a group needs the same number of SQL statements for 3 and for 30 members', async () => {
  const people: string[] = []
  for (let at = 0; at < 33; at++) {
    const email = `staff-${at}@example.com`
    const made = await send('POST', '/Users', { userName: email, emails: [{ value: email }], active: true })
    expect([made.status, made.text]).toEqual([201, expect.any(String)])
    people.push(made.body.id)
  }
  /**
   * Creates and fills a group, removes and re-adds its first member, and deletes it. Returns the number of statements
   * of each step.
   */
  const cycle = async (displayName: string, ids: string[]) => {
    const members = ids.map((value) => ({ value }))
    const creation = await count(send('POST', '/Groups', { displayName }), 201)
    const found = await installation.database.kysely
      .selectFrom('scim_group')
      .select('id')
      .where('name', '=', displayName)
      .executeTakeFirstOrThrow()
    const path = `/Groups/${found.id}`
    const filling = await count(send('PUT', path, { displayName, members }), 200)
    const filled = (await membersOf(app.url)).filter(({ roleId }) => roleId === 'app-Editor')
    expect(filled).toHaveLength(ids.length)
    expect((await membersOf(space.url)).filter(({ roleId }) => roleId.startsWith('role-'))).toHaveLength(
      ids.length,
    )
    const emptying = await count(send('PUT', path, { displayName, members: members.slice(1) }), 200)
    const refilling = await count(
      send('PATCH', path, { Operations: [{ op: 'add', path: 'members', value: members }] }),
      200,
    )
    const deletion = await count(send('DELETE', path), 204)
    expect((await membersOf(app.url)).filter(({ roleId }) => roleId === 'app-Editor')).toEqual([])
    expect((await membersOf(space.url)).filter(({ roleId }) => roleId !== 'pjt-Member')).toHaveLength(1)
    return { creation, filling, emptying, refilling, deletion }
  }
  const few = await cycle('少数', people.slice(0, 3))
  expect(await cycle('多数', people.slice(3))).toEqual(few)
})

it('a change of a group writes audit log entries about the roles of a member', async () => {
  const of = async (act: string) =>
    ok(await admin.client.get(`${space.url}/auditLog?kind=member&limit=100`)).auditLogs.filter(
      (entry: { act: string }) => entry.act === act,
    )
  expect(await of('member.addToApp')).toContainEqual(
    expect.objectContaining({
      actor: expect.objectContaining({ name: 'SCIM' }),
      object: expect.objectContaining({ kind: 'member', name: 'staff-32@example.com' }),
      details: { app: app.uid, changes: [{ key: 'roleId', after: 'app-Editor' }] },
    }),
  )
  expect(await of('member.update')).toContainEqual(
    expect.objectContaining({
      ip: expect.any(String),
      object: expect.objectContaining({ name: 'staff-32@example.com' }),
      details: { changes: [{ key: 'roleId', before: expect.stringMatching(/^role-/), after: 'pjt-Member' }] },
    }),
  )
})
