import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createAccount,
  createApp,
  createMember,
  createSpace,
  type TestAccount,
  unique,
} from '#test/factories.ts'
import { colorAt, quadrants } from '#test/pictures.ts'
import { formOf, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { expectWaiting } from '#test/while-held.ts'

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
  it('is created with its creator as admin, and listed after the other apps', async () => {
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
      cover: null,
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

  it('keeps a uid that became reserved, and cannot get another reserved uid', async () => {
    const { uid } = await createApp(admin.client, space)
    await installation.database.pool.query(`UPDATE app SET uid = 'Settings' WHERE uid = $1`, [uid])
    const url = `${space.url}/app/Settings`
    const data = { uid: 'Settings', name: '設定集' }
    expect(ok(await admin.client.put(url, { data })).app).toMatchObject(data)
    const answer = await admin.client.put(url, { data: { uid: 'invitation' } })
    expect([answer.status, answer.body.code]).toEqual([400, 'ValidationFailed'])
    expect(answer.body.issues).toEqual([{ path: 'data.uid', code: 'ReservedWord' }])
  })

  it('is created once by sixteen concurrent requests with one uid, and another space can use that uid', async () => {
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

  it('is changed only in the properties that are sent', async () => {
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

  it('while private, is visible to its members, and hidden from members with only the role pjt-Member', async () => {
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

  it('cannot be found after its deletion, and its uid is free', async () => {
    const app = await createApp(admin.client, space)
    expect(ok(await admin.client.delete(app.url))).toEqual({ success: true })
    expect((await admin.client.get(app.url)).status).toBe(404)
    expect((await admin.client.delete(app.url)).status).toBe(404)
    expect(ok(await admin.client.get(`${space.url}/app`)).apps).toEqual([])
    await createApp(admin.client, space, app.uid)
  })

  it('rejects changes, its deletion and new models while it is being deleted', async () => {
    const app = await createApp(admin.client, space)
    const answers = await installation.database.kysely.transaction().execute(async (tx) => {
      await tx.updateTable('app').set({ deleted_at: new Date() }).where('uid', '=', app.uid).execute()
      const waiting = [
        admin.client.put(app.url, { data: { name: 'x' } }),
        admin.client.patch(app.url, { accessSettings: { visibility: 'open', defaultRole: 'app-Editor' } }),
        admin.client.delete(app.url),
        admin.client.post(`${app.url}/model`, { data: { uid: 'm', name: 'x' } }),
      ]
      // The requests have found the app and wait for its lock.
      await expectWaiting(installation.database.pool, waiting.length)
      return { waiting }
    })
    for (const answer of await Promise.all(answers.waiting))
      expect([answer.status, answer.body.code]).toEqual([404, 'NotFound'])
  })

  it('notifies other processes of its changes', async () => {
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

describe('pictures of an app', () => {
  const send = (url: string, bytes: Uint8Array | string, type = 'image/png') =>
    admin.client.post(url, formOf({ name: 'picture', type, bytes }))
  const fetch = (url: string, headers = {}) => installation.visitor().get(url, headers)
  const rows = async () =>
    (await installation.database.kysely.selectFrom('app_picture').select('kind').execute()).length

  it('are a square icon and a reduced cover, and the icon is public and cached for a year', async () => {
    const app = await createApp(admin.client, space)
    const { app: withIcon } = ok(await send(`${app.url}/icon`, await quadrants(900, 600)))
    expect(withIcon.icon).toEqual({
      type: 'image',
      value: expect.stringMatching(RegExp(`^/${space.uid}\\.assets/v1/[0-9a-f]{24}/icon\\.webp$`)),
    })
    const icon = await fetch(withIcon.icon.value)
    expect(icon.status).toBe(200)
    expect(icon.headers).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
    })
    expect(await sharp(icon.bytes).metadata()).toMatchObject({ format: 'webp', width: 512, height: 512 })
    expect(await Promise.all([colorAt(icon.bytes, 30, 30), colorAt(icon.bytes, 480, 480)])).toEqual([
      'red',
      'white',
    ])
    expect((await fetch(withIcon.icon.value, { 'if-none-match': String(icon.headers.etag) })).status).toBe(
      304,
    )

    const photo = await sharp(await quadrants(2000, 500))
      .withExif({ IFD0: { Artist: 'Hana' } })
      .jpeg()
      .toBuffer()
    const { app: withCover } = ok(await send(`${app.url}/cover`, photo, 'image/jpeg'))
    expect(withCover.icon).toEqual(withIcon.icon)
    const cover = await fetch(withCover.cover.value)
    const made = await sharp(cover.bytes).metadata()
    expect(made).toMatchObject({ format: 'jpeg', width: 1600, height: 400 })
    expect(made.exif).toBeUndefined()
    expect(ok(await admin.client.get(app.url)).app).toEqual(withCover)
    expect(ok(await admin.client.get(`${space.url}/app`)).apps).toEqual([withCover])
  })

  it('are deleted when they are replaced, and with their app', async () => {
    const before = await rows()
    const app = await createApp(admin.client, space)
    const icon = async () => ok(await send(`${app.url}/icon`, await quadrants(20, 20))).app.icon.value
    const [first, second] = [await icon(), await icon()]
    expect([(await fetch(first)).status, (await fetch(second)).status]).toEqual([404, 200])
    const emoji = { type: 'emoji', value: '🦎' }
    expect(ok(await admin.client.put(app.url, { data: { name: '別名' } })).app.icon.value).toBe(second)
    expect(ok(await admin.client.put(app.url, { data: { icon: emoji } })).app.icon).toEqual(emoji)
    await expect.poll(async () => (await fetch(second)).status).toBe(404)

    const { app: covered } = ok(await send(`${app.url}/cover`, await quadrants(20, 20)))
    expect(ok(await admin.client.put(app.url, { data: { cover: null } })).app.cover).toBeNull()
    expect(await rows()).toBe(before)
    const last = await icon()
    ok(await admin.client.delete(app.url))
    await expect.poll(async () => (await fetch(last)).status).toBe(404)
    expect((await fetch(covered.cover.value)).status).toBe(404)
  })

  it('are created from SVG and GIF files, and invalid files are rejected', async () => {
    const app = await createApp(admin.client, space)
    const drawing =
      '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><script>alert(1)</script><rect width="4" height="4" fill="lime"/></svg>'
    const { app: drawn } = ok(await send(`${app.url}/icon`, drawing, 'image/svg+xml'))
    const { bytes } = await fetch(drawn.icon.value)
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 512, height: 512 })
    expect(await colorAt(bytes, 256, 256)).toBe('green')
    const frames = await sharp(
      [
        await quadrants(8, 8),
        await sharp(await quadrants(8, 8))
          .negate()
          .toBuffer(),
      ],
      { join: { animated: true } },
    )
      .gif()
      .toBuffer()
    const { app: still } = ok(await send(`${app.url}/icon`, frames, 'image/gif'))
    expect(await sharp((await fetch(still.icon.value)).bytes).metadata()).toMatchObject({
      format: 'png',
      width: 8,
    })

    const refused = async (answer: ReturnType<typeof send>) => {
      const { status, body } = await answer
      return [status, body.code]
    }
    expect(await refused(send(`${app.url}/icon`, '<h1>hello</h1>', 'image/png'))).toEqual([
      415,
      'UnsupportedMediaType',
    ])
    expect(await refused(send(`${app.url}/icon`, 'hello', 'text/plain'))).toEqual([
      415,
      'UnsupportedMediaType',
    ])
    expect(await refused(send(`${app.url}/icon`, ''))).toEqual([400, 'FileIsEmpty'])
    expect(await refused(send(`${app.url}/cover`, (await quadrants(90, 90)).subarray(0, 60)))).toEqual([
      400,
      'FileIsDamaged',
    ])
    expect(await refused(send(`${app.url}/cover`, Buffer.alloc(20 * 1024 * 1024 + 1)))).toEqual([
      413,
      'RequestFileTooLarge',
    ])
    expect(await refused(admin.client.post(`${app.url}/icon`, new FormData()))).toEqual([
      400,
      'ValidationFailed',
    ])
    expect(await refused(admin.client.put(app.url, { data: { icon: still.icon } }))).toEqual([
      400,
      'ValidationFailed',
    ])
    expect(ok(await admin.client.get(app.url)).app).toEqual(still)
  })
})

describe('the order of apps', () => {
  it('is the order that was requested, followed by new apps', async () => {
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

  it('is not changed by a list that lacks, repeats or adds apps', async () => {
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

  it('is one of the orders that are requested concurrently', async () => {
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
