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
 * Tests custom roles at every endpoint of a space. For each right that an endpoint requires, there is one role that
 * lacks the right, and one that grants only the right and its prerequisites. No call needs a valid body, because the
 * permission is checked before the body is read.
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
/** Returns all rights except this one, the rights that presuppose it and the rights that imply it. */
const without = (right: Right) =>
  all.filter((other) => {
    const implied = isAppRight(other) ? (impliedByAnyApp[other] as readonly Right[] | undefined) : undefined
    return other !== right && !presupposed[other]?.includes(right) && !implied?.includes(right)
  })
const only = (right: Right, others: Right[] = []) => [
  ...new Set<Right>([
    'space.view',
    ...[right, ...others].flatMap((one) => [...(presupposed[one] ?? []), one]),
  ]),
]

async function holderOf(rights: Right[], roleInApp?: string): Promise<Client> {
  const url = `/api/project/${fixture.p}`
  const data = { name: unique('役割'), rights }
  const { client: admin } = fixture.people.owner
  const { role } = ok(await admin.post(`${url}/role`, { data }))
  const app = roleInApp && { admin, url: `${url}/app/${fixture.a}`, role: roleInApp }
  return (await createMember(installation, { uid: fixture.p, url }, role.uid, app || undefined)).client
}

/** Rights that no endpoint requires, because services check them. */
const checkedByServices: Right[] = ['asset.write.any', 'view.manage']

describe.each(all.filter((right) => right !== 'space.view' && !checkedByServices.includes(right)))(
  'the right %s in a custom role of a space',
  (right) => {
    it('is checked at every endpoint that requires it', async () => {
      const asking = inSpaces.filter(
        ([, { permission, also = [] }]) => permission === right || also.includes(right),
      )
      expect(asking).not.toHaveLength(0)
      const [lacking, holding] = [await holderOf(without(right)), await holderOf(only(right))]
      for (const [name, endpoint] of asking) {
        const refused = await callEmpty(lacking, [name, endpoint], fixture)
        // Without any right to read, a private app does not exist for the caller.
        const expected = right === 'document.read' ? 404 : 403
        expect([name, refused.status], refused.text.slice(0, 300)).toEqual([name, expected])
        if (methodOf(endpoint) !== 'GET') continue
        const { permission, also = [] } = endpoint
        const needed = [permission, ...also].filter((other) => other !== null && other !== right) as Right[]
        const holder = needed.length === 0 ? holding : await holderOf(only(right, needed))
        const answer = await callEmpty(holder, [name, endpoint], fixture)
        expect([name, [401, 403].includes(answer.status)], answer.text.slice(0, 300)).toEqual([name, false])
      }
    })
  },
)

it('a removed member gets the same 404 as for an unknown space, at every endpoint of the space', async () => {
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

it('a view as another member is limited by the rights of both members, and refuses changes', async () => {
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
  // A manager of members who views as another member sees no more than without the view. Members without this right may
  // not view as others.
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
  // The response does not name an app that is hidden from the manager, neither in the list of apps nor in a member's
  // rights.
  const names = async (path: string, headers?: Record<string, string>) =>
    (await clerk.get(`${url}${path}`, headers)).text.includes(`"${fixture.a}"`)
  expect(await names('/app', asAdmin)).toBe(false)
  expect(await names(`/member/${admins[0]._id}/rights`)).toBe(false)
  expect(await names(`/member/${admins[0]._id}/rights`, asAdmin)).toBe(false)
  // The manager, a member of the app, and the viewed admin both see the app.
  const keeper = await holderOf(['space.view', 'member.manage'], 'app-Contributor')
  const seen = await keeper.get(`${url}/app`, asAdmin)
  expect(ok(seen).apps.map(({ uid }: { uid: string }) => uid)).toContain(fixture.a)
  expect(ok(await keeper.get(`${url}/member/${admins[0]._id}/rights`)).rights.apps).toContainEqual(
    expect.objectContaining({ uid: fixture.a }),
  )
  // Reading in bulk adds an entry to the audit log, also in a view as another member.
  const file = `${url}/app/${fixture.a}/model/${fixture.m}/doc/export.csv`
  expect((await owner.get(file, asAdmin)).status).toBe(200)
  const [newest] = ok(await owner.get(`${url}/auditLog?limit=1`)).auditLogs
  expect(newest).toMatchObject({ act: 'model.export', outcome: 'done', details: { format: 'csv' } })
  expect((await owner.get(file, headers)).status).toBe(404)
  // A view as another member does not allow starting an upload.
  const upload = `${url}/assets/signedUrl?fileName=a.txt&fileType=text/plain&fileSize=5`
  ok(await owner.get(upload))
  expect((await owner.get(upload, asAdmin)).status).toBe(403)
  expect((await owner.get(`${url}/move/${fixture.ids.move}/signedUrl`, asAdmin)).status).toBe(403)
  for (const id of ['x', '0'.repeat(24), ''])
    expect((await owner.get(url, { 'x-imori-view-as': id })).status, id).toBe(404)
})
