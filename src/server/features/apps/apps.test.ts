import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createAccount,
  createApp,
  createMember,
  createSpace,
  type TestAccount,
  unique,
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

const uids = (apps: { uid: string }[]) => apps.map((app) => app.uid)

describe('an app', () => {
  it('is made with its creator as its admin, behind the others', async () => {
    const first = await createApp(admin.client, space)
    const data = {
      uid: 'Notes',
      name: '覚え書き',
      description: '日々のこと',
      icon: { type: 'emoji', value: '📝' },
    }
    const { app } = ok(await admin.client.post(`${space.url}/app`, { data }))
    expect(app).toEqual({
      ...data,
      accessSettings: { visibility: 'open', defaultRole: 'app-Editor' },
      joined: true,
      createdAt: expect.any(String),
      updatedAt: app.createdAt,
    })
    expect(ok(await admin.client.get(`${space.url}/app/Notes`)).app).toEqual(app)
    expect(uids(ok(await admin.client.get(`${space.url}/app`)).apps)).toEqual([first.uid, 'Notes'])
    expect(ok(await admin.client.get(`${space.url}/app/Notes/currentRole`)).currentRole).toMatchObject({
      uid: 'app-Admin',
      rights: expect.arrayContaining(['app.manage', 'document.write.any']),
    })
    const { members } = ok(await admin.client.get(`${space.url}/app/Notes/members`))
    expect(members).toMatchObject([{ accountId: admin.id, email: admin.email, roleId: 'app-Admin' }])
    expect((await admin.client.get(`${space.url}/app/notes`)).status).toBe(404)
  })

  it.each([
    ['space', 'ReservedWord'],
    ['settings', 'ReservedWord'],
    ['__proto__', 'ReservedWord'],
    ['_id', 'InvalidFormat'],
    ['_sys', 'InvalidFormat'],
    ['a/b', 'InvalidFormat'],
  ])('cannot have the uid %j', async (uid, code) => {
    const answer = await admin.client.post(`${space.url}/app`, { data: { uid, name: 'x' } })
    expect(answer.status).toBe(400)
    expect(answer.body.issues).toContainEqual({ path: 'data.uid', code })
  })

  it('keeps a uid that was reserved after it was taken, and takes no other such', async () => {
    const { uid } = await createApp(admin.client, space)
    await installation.database.pool.query(`UPDATE app SET uid = 'Settings' WHERE uid = $1`, [uid])
    const url = `${space.url}/app/Settings`
    const data = { uid: 'Settings', name: '設定集' }
    expect(ok(await admin.client.put(url, { data })).app).toMatchObject(data)
    const answer = await admin.client.put(url, { data: { uid: 'invitation' } })
    expect([answer.status, answer.body.code]).toEqual([400, 'ValidationFailed'])
    expect(answer.body.issues).toEqual([{ path: 'data.uid', code: 'ReservedWord' }])
  })

  it('is made once when sixteen want the same uid at once; another space may use it, too', async () => {
    const answers = await Promise.all(
      Array.from({ length: 16 }, () =>
        admin.client.post(`${space.url}/app`, { data: { uid: 'same', name: 'x' } }),
      ),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(15).fill(409)])
    expect(answers.find((answer) => answer.status === 409)?.body).toMatchObject({
      code: 'AppUidIsAlreadyInUse',
      issues: [{ path: 'data.uid', code: 'DuplicatedValue' }],
    })
    await createApp(admin.client, await createSpace(admin.client), 'same')
  })

  it('is changed in the parts that are sent', async () => {
    const app = await createApp(admin.client, space)
    const other = await createApp(admin.client, space)
    const next = unique('renamed')
    const changed = ok(
      await admin.client.put(app.url, { data: { uid: next, icon: { type: 'emoji', value: '🌿' } } }),
    ).app
    expect(changed).toMatchObject({ uid: next, name: `アプリ ${app.uid}`, icon: { value: '🌿' } })
    expect(
      ok(await admin.client.put(`${space.url}/app/${next}`, { data: { icon: null } })).app.icon,
    ).toBeNull()
    expect((await admin.client.get(app.url)).status).toBe(404)
    const taken = await admin.client.put(`${space.url}/app/${next}`, { data: { uid: other.uid } })
    expect([taken.status, taken.body.code]).toEqual([409, 'AppUidIsAlreadyInUse'])
  })

  it('is invisible when it is private, but for its members and the space’s admins', async () => {
    const app = await createApp(admin.client, space)
    const inside = await createMember(installation, space, 'pjt-Member', {
      ...app,
      admin: admin.client,
      role: 'app-Subscriber',
    })
    const outside = await createMember(installation, space)
    expect(uids(ok(await outside.client.get(`${space.url}/app`)).apps)).toEqual([app.uid])
    expect(ok(await outside.client.get(app.url)).app.joined).toBe(false)
    const accessSettings = { visibility: 'private', defaultRole: 'app-Author' }
    expect(ok(await admin.client.patch(app.url, { accessSettings })).app.accessSettings).toEqual(
      accessSettings,
    )
    expect(ok(await outside.client.get(`${space.url}/app`)).apps).toEqual([])
    const hidden = await outside.client.get(app.url)
    const unknown = await outside.client.get(`${space.url}/app/nothing-here`)
    expect([hidden.status, hidden.text]).toEqual([404, unknown.text])
    expect((await outside.client.post(`${app.url}/members/join`)).text).toBe(unknown.text)
    expect(uids(ok(await inside.client.get(`${space.url}/app`)).apps)).toEqual([app.uid])
  })

  it('is gone once it is deleted, and its uid is free', async () => {
    const app = await createApp(admin.client, space)
    expect(ok(await admin.client.delete(app.url))).toEqual({ success: true })
    expect((await admin.client.get(app.url)).status).toBe(404)
    expect((await admin.client.delete(app.url)).status).toBe(404)
    expect(ok(await admin.client.get(`${space.url}/app`)).apps).toEqual([])
    await createApp(admin.client, space, app.uid)
  })

  it('is not changed, deleted or given a model while it is being deleted', async () => {
    const app = await createApp(admin.client, space)
    const answers = await installation.database.kysely.transaction().execute(async (tx) => {
      await tx.updateTable('app').set({ deleted_at: new Date() }).where('uid', '=', app.uid).execute()
      const waiting = [
        admin.client.put(app.url, { data: { name: 'x' } }),
        admin.client.patch(app.url, { accessSettings: { visibility: 'open', defaultRole: 'app-Editor' } }),
        admin.client.delete(app.url),
        admin.client.post(`${app.url}/model`, { data: { uid: 'm', name: 'x' } }),
      ]
      // Long enough that the requests have found the app and wait for it.
      await new Promise((resolve) => setTimeout(resolve, 300))
      return { waiting }
    })
    for (const answer of await Promise.all(answers.waiting))
      expect([answer.status, answer.body.code]).toEqual([404, 'NotFound'])
  })

  it('tells the other processes that it changed', async () => {
    const listener = await installation.database.pool.connect()
    const heard: unknown[] = []
    listener.on('notification', ({ payload }) => heard.push(JSON.parse(payload ?? '')))
    await listener.query('LISTEN imori')
    const app = await createApp(admin.client, space)
    ok(await admin.client.put(app.url, { data: { name: '別名' } }))
    ok(await admin.client.delete(app.url))
    await listener.query('SELECT 1')
    await listener.query('UNLISTEN *')
    listener.release()
    const { id } = await installation.database.kysely
      .selectFrom('space')
      .select('id')
      .where('uid', '=', space.uid)
      .executeTakeFirstOrThrow()
    expect(heard).toEqual(Array(3).fill({ kind: 'registry', spaceId: id }))
  })
})

describe('the order of apps', () => {
  it('is what was asked', async () => {
    const [a, b, c] = [
      await createApp(admin.client, space),
      await createApp(admin.client, space),
      await createApp(admin.client, space),
    ]
    const appIds = [c.uid, a.uid, b.uid]
    expect(uids(ok(await admin.client.post(`${space.url}/app:updateOrder`, { appIds })).apps)).toEqual(appIds)
    expect(uids(ok(await admin.client.get(`${space.url}/app`)).apps)).toEqual(appIds)
    const last = await createApp(admin.client, space)
    expect(uids(ok(await admin.client.get(`${space.url}/app`)).apps)).toEqual([...appIds, last.uid])
  })

  it('refuses a list that is not exactly the apps the caller sees', async () => {
    const [a, b] = [await createApp(admin.client, space), await createApp(admin.client, space)]
    const foreign = await createApp(admin.client, await createSpace(admin.client))
    for (const appIds of [
      [a.uid],
      [a.uid, a.uid],
      [a.uid, b.uid, b.uid],
      [a.uid, foreign.uid],
      [a.uid, b.uid, 'x'],
      [],
    ]) {
      const answer = await admin.client.post(`${space.url}/app:updateOrder`, { appIds })
      expect([answer.status, answer.body.issues]).toEqual([400, [{ path: 'appIds', code: 'InvalidValue' }]])
    }
    expect(uids(ok(await admin.client.get(`${space.url}/app`)).apps)).toEqual([a.uid, b.uid])
  })

  it('is one of those asked at the same moment, never a mixture', async () => {
    const apps: string[] = []
    for (let n = 0; n < 6; n++) apps.push((await createApp(admin.client, space)).uid)
    const orders = Array.from({ length: 8 }, (_, n) => [...apps.slice(n % 6), ...apps.slice(0, n % 6)])
    await Promise.all(
      orders.map(async (appIds) => ok(await admin.client.post(`${space.url}/app:updateOrder`, { appIds }))),
    )
    const positions = await installation.database.kysely
      .selectFrom('app')
      .select(['uid', 'position'])
      .where('uid', 'in', apps)
      .orderBy('position')
      .execute()
    expect(positions.map((row) => row.position)).toEqual([1, 2, 3, 4, 5, 6])
    expect(orders).toContainEqual(positions.map((row) => row.uid))
  })
})
