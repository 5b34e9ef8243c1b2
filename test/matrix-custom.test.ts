import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  appRights,
  impliedByAnyApp,
  isAppRight,
  presupposed,
  type Right,
  spaceRights,
} from '#shared/permissions.ts'
import { createMember, unique } from './factories.ts'
import { callEmpty, inSpaces, methodOf } from './matrix-calls.ts'
import { type Fixture, invitePeople, makeFixture } from './matrix-fixture.ts'
import { type Client, ok, startInstallation, type TestInstallation } from './server.ts'

/*
 * Roles that people make, at every endpoint of a space: for each right a role that gives all but that one, and one that
 * gives no other. Whether a call may be made is decided before its body is read, so no call here needs one.
 */

let installation: TestInstallation
let fixture: Fixture
beforeAll(async () => {
  installation = await startInstallation()
  fixture = await makeFixture(installation, await invitePeople(installation), {
    visibility: 'private',
    reading: true,
  })
})
afterAll(() => installation?.close())

const all: Right[] = [...spaceRights, ...appRights]
/** What needs the right, or brings it along. */
const without = (right: Right) =>
  all.filter((other) => {
    const implied = isAppRight(other) ? (impliedByAnyApp[other] as readonly Right[] | undefined) : undefined
    return other !== right && !presupposed[other]?.includes(right) && !implied?.includes(right)
  })
const only = (right: Right) => [...new Set<Right>(['space.view', ...(presupposed[right] ?? []), right])]

async function holderOf(rights: Right[], roleInApp?: string): Promise<Client> {
  const url = `/api/project/${fixture.p}`
  const data = { name: unique('役割'), rights }
  const { client: admin } = fixture.people.owner
  const { role } = ok(await admin.post(`${url}/role`, { data }))
  const app = roleInApp && { admin, url: `${url}/app/${fixture.a}`, role: roleInApp }
  return (await createMember(installation, { uid: fixture.p, url }, role.uid, app || undefined)).client
}

describe.each(all.filter((right) => right !== 'space.view'))('a role of a space as to %s', (right) => {
  it('is asked for it wherever it is needed', async () => {
    const asking = inSpaces.filter(([, { permission }]) => permission === right)
    const [lacking, holding] = [await holderOf(without(right)), await holderOf(only(right))]
    for (const [name, endpoint] of asking) {
      const refused = await callEmpty(lacking, [name, endpoint], fixture)
      // Without reading any, a private app is none.
      const expected = right === 'document.read' ? 404 : 403
      expect([name, refused.status], refused.text.slice(0, 300)).toEqual([name, expected])
      if (methodOf(endpoint) !== 'GET') continue
      const answer = await callEmpty(holding, [name, endpoint], fixture)
      expect([name, [401, 403].includes(answer.status)], answer.text.slice(0, 300)).toEqual([name, false])
    }
  })
})

it('somebody who was taken out is nobody, at every endpoint of the space', async () => {
  const gone = await createMember(
    installation,
    { uid: fixture.p, url: `/api/project/${fixture.p}` },
    'pjt-Admin',
  )
  ok(await gone.client.get(`/api/project/${fixture.p}`))
  ok(await fixture.people.owner.client.delete(`/api/project/${fixture.p}/member/${gone.memberId}`))
  for (const [name, endpoint] of inSpaces) {
    const [answer, unknown] = [
      await callEmpty(gone.client, [name, endpoint], fixture),
      await callEmpty(gone.client, [name, endpoint], { ...fixture, p: 'unknown' }),
    ]
    expect([name, answer.status, answer.text]).toEqual([name, 404, unknown.text])
  }
})

it('whoever looks with the eyes of another reads what both may, and changes nothing', async () => {
  const url = `/api/project/${fixture.p}`
  const { client: owner } = fixture.people.owner
  const shown = await createMember(installation, { uid: fixture.p, url })
  const headers = { 'x-imori-view-as': shown.memberId }
  expect(ok(await owner.get(`${url}/currentRole`, headers)).currentRole.uid).toBe('pjt-Member')
  expect((await owner.get(`${url}/cdnToken`, headers)).status).toBe(403)
  expect((await owner.get(`${url}/app/${fixture.a}`, headers)).status).toBe(404)
  for (const [name, endpoint] of inSpaces) {
    if (methodOf(endpoint) === 'GET') continue
    const answer = await callEmpty(owner, [name, endpoint], fixture, headers)
    expect([name, answer.status]).toEqual([name, 403])
  }
  // Who manages members sees no more by it than they hold themselves; who does not, sees nothing.
  const clerk = await holderOf(['space.view', 'member.manage'])
  const admins = ok(await owner.get(`${url}/members?role=pjt-Admin`)).members
  const asAdmin = { 'x-imori-view-as': admins[0]._id }
  expect(ok(await clerk.get(`${url}/currentRole`, asAdmin)).currentRole.rights).toEqual([
    'space.view',
    'member.manage',
  ])
  expect((await clerk.get(`${url}/cdnToken`, asAdmin)).status).toBe(403)
  expect((await clerk.get(`${url}/app/${fixture.a}`, asAdmin)).status).toBe(404)
  expect((await shown.client.get(url, asAdmin)).status).toBe(403)
  // Of an app that they may not see they learn nothing: not from the list, nor from the page of somebody's rights.
  const names = async (path: string, headers?: Record<string, string>) =>
    (await clerk.get(`${url}${path}`, headers)).text.includes(`"${fixture.a}"`)
  expect(await names('/app', asAdmin)).toBe(false)
  expect(await names(`/member/${admins[0]._id}/rights`)).toBe(false)
  expect(await names(`/member/${admins[0]._id}/rights`, asAdmin)).toBe(false)
  // Both see it, each in another way: by joining, and by their role in the space.
  const keeper = await holderOf(['space.view', 'member.manage'], 'app-Contributor')
  const seen = await keeper.get(`${url}/app`, asAdmin)
  expect(ok(seen).apps.map(({ uid }: { uid: string }) => uid)).toContain(fixture.a)
  expect(ok(await keeper.get(`${url}/member/${admins[0]._id}/rights`)).rights.apps).toContainEqual(
    expect.objectContaining({ uid: fixture.a }),
  )
  // Nor is anything begun with the address that such a look answers.
  const upload = `${url}/assets/signedUrl?fileName=a.txt&fileType=text/plain&fileSize=5`
  ok(await owner.get(upload))
  expect((await owner.get(upload, asAdmin)).status).toBe(403)
  expect((await owner.get(`${url}/move/${fixture.ids.move}/signedUrl`, asAdmin)).status).toBe(403)
  for (const id of ['x', '0'.repeat(24), ''])
    expect((await owner.get(url, { 'x-imori-view-as': id })).status, id).toBe(404)
})
