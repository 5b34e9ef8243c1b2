import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  addMember,
  createAccount,
  createMember,
  createSpace,
  type TestAccount,
  unique,
} from '#test/factories.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let admin: TestAccount
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
})
afterAll(() => installation?.close())

const eventsOf = async (uid: string) => {
  const rows = await installation.database.kysely
    .selectFrom('event')
    .innerJoin('space', 'space.id', 'event.space_id')
    .select(['event.type', 'event.actor_id', 'event.payload'])
    .where('space.uid', '=', uid)
    .orderBy('event.id')
    .execute()
  return rows.map((row) => row.type)
}

describe('a space', () => {
  it('is created with its creator as admin, and returns 404 to users who are not members', async () => {
    const uid = unique('garden')
    const { project } = ok(await admin.client.post('/api/project', { project: { uid, name: ' 庭の手帖 ' } }))
    expect(project).toEqual({
      uid,
      name: '庭の手帖',
      plan: 'community',
      timeZone: 'Asia/Tokyo',
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      updatedAt: project.createdAt,
    })
    expect(ok(await admin.client.get(`/api/project/${uid}`))).toEqual({
      project,
      plan: { key: 'community', name: 'Community' },
    })
    expect(ok(await admin.client.get('/api/project')).projects).toContainEqual(project)
    expect(ok(await admin.client.get(`/api/project/${uid}/currentRole`)).currentRole).toMatchObject({
      uid: 'pjt-Admin',
      rights: expect.arrayContaining(['space.delete', 'token.manage']),
    })
    expect(await eventsOf(uid)).toEqual(['space.created'])

    const stranger = await createAccount(installation)
    expect(ok(await stranger.client.get('/api/project')).projects).toEqual([])
    const foreign = await stranger.client.get(`/api/project/${uid}`)
    const unknown = await stranger.client.get('/api/project/no-such-space')
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text])
  })

  it.each([
    ['login', 'ReservedWord'],
    ['LOGIN', 'ReservedWord'],
    ['Api', 'ReservedWord'],
    ['imori', 'ReservedWord'],
    ['__proto__', 'ReservedWord'],
    ['constructor', 'ReservedWord'],
    ['1st', 'InvalidFormat'],
    ['', 'InvalidFormat'],
    ['a b', 'InvalidFormat'],
    ['庭', 'InvalidFormat'],
    ['a'.repeat(65), 'InvalidFormat'],
    ['a\u0000', 'InvalidFormat'],
    ['a\n', 'InvalidFormat'],
  ])('cannot have the uid %j', async (uid, code) => {
    const answer = await admin.client.post('/api/project', { project: { uid, name: 'x' } })
    expect([answer.status, answer.body.issues]).toEqual([400, [{ path: 'project.uid', code }]])
  })

  it('keeps a uid that became reserved, and cannot get another reserved uid', async () => {
    const { uid, url } = await createSpace(admin.client)
    await installation.database.pool.query(`UPDATE space SET uid = 'jobs' WHERE uid = $1`, [uid])
    const kept = ok(await admin.client.put('/api/project/jobs', { project: { uid: 'jobs', name: '求人' } }))
    expect(kept.project).toMatchObject({ uid: 'jobs', name: '求人' })
    const answer = await admin.client.put('/api/project/jobs', { project: { uid: 'login' } })
    expect([answer.status, answer.body.code]).toEqual([400, 'ValidationFailed'])
    expect(answer.body.issues).toEqual([{ path: 'project.uid', code: 'ReservedWord' }])
    ok(await admin.client.put('/api/project/jobs', { project: { uid } }))
    ok(await admin.client.get(url))
  })

  it('cannot be created with the uid of another space, regardless of case', async () => {
    const { uid } = await createSpace(admin.client)
    const other = await createAccount(installation)
    const answer = await other.client.post('/api/project', { project: { uid: uid.toUpperCase(), name: 'x' } })
    expect([answer.status, answer.body.code]).toEqual([409, 'SpaceUidIsAlreadyInUse'])
    expect(answer.body.issues).toEqual([{ path: 'project.uid', code: 'DuplicatedValue' }])
  })

  it('is created once for sixteen concurrent requests with the same uid', async () => {
    const uid = unique('Race')
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        admin.client.post('/api/project', { project: { uid: n % 2 ? uid : uid.toLowerCase(), name: 'x' } }),
      ),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(15).fill(409)])
  })

  it('can get another name, uid and time zone', async () => {
    const { uid, url } = await createSpace(admin.client)
    const taken = await createSpace(admin.client)
    const next = unique('moved')
    const { project } = ok(await admin.client.put(url, { project: { uid: next, name: '新しい庭' } }))
    expect(project).toMatchObject({
      uid: next,
      name: '新しい庭',
      plan: 'community',
      timeZone: 'Asia/Tokyo',
    })
    expect((await admin.client.get(url)).status).toBe(404)
    expect(ok(await admin.client.get(`/api/project/${next}`)).project).toEqual(project)
    const answer = await admin.client.put(`/api/project/${next}`, {
      project: { uid: taken.uid.toUpperCase() },
    })
    expect([answer.status, answer.body.code]).toEqual([409, 'SpaceUidIsAlreadyInUse'])
    expect(await eventsOf(next)).toEqual(['space.created', 'space.updated'])
    for (const timeZone of ['Moon/Tranquility', '+09:00', '', 'Asia/Tokyo\u0000', 'A'.repeat(100)]) {
      const refused = await admin.client.put(`/api/project/${next}`, { project: { timeZone } })
      expect(refused.body.issues).toEqual([{ path: 'project.timeZone', code: 'InvalidValue' }])
    }
    const moved = await admin.client.put(`/api/project/${next}`, { project: { timeZone: 'Europe/Paris' } })
    expect(ok(moved).project).toMatchObject({ uid: next, name: '新しい庭', timeZone: 'Europe/Paris' })
    // A change of case does not conflict with its own uid.
    ok(await admin.client.put(`/api/project/${next}`, { project: { uid: next.toUpperCase() } }))
    expect(uid).not.toBe(next)
  })

  it('rejects unknown properties', async () => {
    const { url } = await createSpace(admin.client)
    for (const extra of ['plan', 'createdAt', 'id', 'owner']) {
      const answer = await admin.client.put(url, { project: { [extra]: 'enterprise' } })
      expect([answer.status, answer.body.issues]).toEqual([
        400,
        [{ path: `project.${extra}`, code: 'UnknownField' }],
      ])
    }
  })

  it('is inaccessible after its deletion, and its uid can be used again', async () => {
    const space = await createSpace(admin.client)
    const member = await createMember(installation, space)
    ok(await admin.client.post(`${space.url}/cdnToken`, { data: { name: 'site' } }))
    expect(ok(await admin.client.delete(space.url))).toEqual({ success: true })
    for (const client of [admin.client, member.client]) {
      expect((await client.get(space.url)).status).toBe(404)
      const { projects } = ok(await client.get('/api/project'))
      expect(projects.map((project: { uid: string }) => project.uid)).not.toContain(space.uid)
    }
    expect(await eventsOf(space.uid)).toEqual(['space.created', 'token.created', 'space.deleted'])
    const tokens = await installation.database.kysely
      .selectFrom('token')
      .innerJoin('space', 'space.id', 'token.space_id')
      .select('token.id')
      .where('space.uid', '=', space.uid)
      .execute()
    expect(tokens).toEqual([])
    await createSpace(member.client, space.uid)
  })

  it('cannot be changed or deleted by members without the right', async () => {
    const space = await createSpace(admin.client)
    const member = await createMember(installation, space)
    expect(ok(await member.client.get(`${space.url}/currentRole`)).currentRole).toEqual({
      uid: 'pjt-Member',
      rights: ['space.view', 'asset.read', 'asset.write.own'],
      held: ['space.view', 'asset.read', 'asset.write.own'],
    })
    for (const answer of [
      await member.client.put(space.url, { project: { name: 'x' } }),
      await member.client.delete(space.url),
    ])
      expect([answer.status, answer.body.code]).toEqual([403, 'Forbidden'])
  })

  it('is deleted once by concurrent requests', async () => {
    const space = await createSpace(admin.client)
    const other = await createAccount(installation)
    await addMember(installation, space, other, 'pjt-Admin')
    const answers = await Promise.all(
      [admin, other, admin, other].map(({ client }) => client.delete(space.url)),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404, 404, 404])
  })
})
