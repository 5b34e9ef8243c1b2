import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createApp, createMember, createSpace, type TestAccount } from '#test/factories.ts'
import { formOf, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
})
afterAll(() => installation?.close())

const create = (name: string, who = admin) => who.client.post(`${space.url}/tags`, { data: { name } })

async function upload(name: string, who = admin): Promise<string> {
  const form = formOf({ name, type: 'text/plain', bytes: `${name} ${Math.random()}` })
  return ok(await who.client.post(`${space.url}/assets`, form)).results[0].asset._id
}

describe('tags', () => {
  it('are created, renamed, counted and deleted', async () => {
    const flower = ok(await create(' 花 ')).tag
    expect(flower).toEqual({ _id: expect.stringMatching(/^[0-9a-f]{24}$/), name: '花', assetCount: 0 })
    const [one, other, gone] = [await upload('1.txt'), await upload('2.txt'), await upload('3.txt')]
    const assetIds = [one, other, gone]
    ok(await admin.client.post(`${space.url}/assets/bulkTagsUpdate`, { assetIds, add: [flower._id] }))
    ok(await admin.client.delete(`${space.url}/asset/${gone}`))
    const renamed = ok(
      await admin.client.put(`${space.url}/tags/${flower._id}`, { data: { name: '季節の花' } }),
    )
    expect(renamed.tag).toEqual({ ...flower, name: '季節の花', assetCount: 2 })
    expect(ok(await admin.client.get(`${space.url}/tags`)).tags).toEqual([renamed.tag])
    const again = await admin.client.post(`${space.url}/assets/bulkTagsUpdate`, {
      assetIds: [one],
      add: [flower._id],
    })
    expect(ok(again).results).toEqual([{ _id: one, success: true }])
    // Only a change creates a version.
    expect(ok(await admin.client.get(`${space.url}/assets/${one}`)).asset).toMatchObject({
      version: 2,
      tags: [flower._id],
    })
    ok(await admin.client.delete(`${space.url}/tags/${flower._id}`))
    expect(ok(await admin.client.get(`${space.url}/assets/${one}`)).asset.tags).toEqual([])
    expect((await admin.client.delete(`${space.url}/tags/${flower._id}`)).status).toBe(404)
  })

  it('keep an asset out of the list of untagged assets, even after concurrent changes', async () => {
    const [red, blue] = [ok(await create('赤')).tag._id, ok(await create('青')).tag._id]
    const asset = await upload('色.txt')
    const change = (body: object) =>
      admin.client.post(`${space.url}/assets/bulkTagsUpdate`, { assetIds: [asset], ...body })
    const isWithout = async () => {
      const { assets } = ok(await admin.client.get(`${space.url}/assets?tags=none`))
      return assets.some(({ _id }: { _id: string }) => _id === asset)
    }
    expect(await isWithout()).toBe(true)
    for (let round = 0; round < 10; round++) {
      ok(await change({ add: [red], remove: [blue] }))
      expect(await isWithout()).toBe(false)
      const both = await Promise.all([change({ remove: [red] }), change({ add: [blue] })])
      for (const answer of both) expect(ok(answer).results).toEqual([{ _id: asset, success: true }])
      expect(await isWithout()).toBe(false)
    }
    ok(await admin.client.delete(`${space.url}/tags/${red}`))
    expect(await isWithout()).toBe(false)
    ok(await admin.client.delete(`${space.url}/tags/${blue}`))
    expect(await isWithout()).toBe(true)
  })

  it('have unique names, regardless of case, character width and kind of kana', async () => {
    const tag = ok(await create('ロゴ Logo')).tag
    for (const name of ['ロゴ Logo', 'ろご LOGO', 'ﾛｺﾞ　ｌｏｇｏ']) {
      const answer = await create(name)
      expect([answer.status, answer.body.code]).toEqual([409, 'TagNameIsAlreadyInUse'])
    }
    const other = ok(await create('別')).tag
    const taken = await admin.client.put(`${space.url}/tags/${other._id}`, { data: { name: 'ろごLogo' } })
    expect(taken.status).toBe(200)
    const clash = await admin.client.put(`${space.url}/tags/${other._id}`, { data: { name: 'ろご logo' } })
    expect(clash.body.code).toBe('TagNameIsAlreadyInUse')
    ok(await admin.client.put(`${space.url}/tags/${tag._id}`, { data: { name: 'ロゴ LOGO' } }))
    const both = await Promise.all([create('同時'), create('同時')])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  it.each(['a,b', 'a\u202eb', '\u3164', 'a\u0007', '<b>', '\ud800'])('cannot be named %j', async (name) => {
    const answer = await create(name)
    expect(answer.status).toBe(400)
    expect(['InvalidTagName', 'ValidationFailed']).toContain(answer.body.code)
  })

  it('are assigned only if they exist, and only to assets that the member may change', async () => {
    const tag = ok(await create('与える')).tag
    const own = await upload('own.txt')
    const unknown = await admin.client.post(`${space.url}/assets/bulkTagsUpdate`, {
      assetIds: [own],
      add: [tag._id, '0'.repeat(24)],
    })
    expect(unknown.body.issues).toEqual([{ path: 'add.1', code: 'InvalidValue' }])
    const member = await createMember(installation, space)
    const theirs = await upload('theirs.txt', member)
    const results = ok(
      await member.client.post(`${space.url}/assets/bulkTagsUpdate`, {
        assetIds: [own, theirs, '0'.repeat(24)],
        add: [tag._id],
      }),
    ).results
    expect(results.map((result: { code?: string }) => result.code)).toEqual([
      'Forbidden',
      undefined,
      'NotFound',
    ])
  })

  it("may be created by an app-Editor, but not by an app-Author or after the editor's app is deleted", async () => {
    const app = await createApp(admin.client, space)
    const inApp = (role: 'app-Editor' | 'app-Author') =>
      createMember(installation, space, 'pjt-Member', { admin: admin.client, url: app.url, role })
    expect((await create('著者', await inApp('app-Author'))).status).toBe(403)
    const editor = await inApp('app-Editor')
    ok(await create('編集者', editor))
    expect(ok(await editor.client.get(`${space.url}/currentRole`)).currentRole.rights).toContain('tag.manage')
    ok(await admin.client.delete(app.url))
    expect((await create('元編集者', editor)).status).toBe(403)
  })
})

it('POST /tags creates one tag if the same user repeats it with the same idempotency key', async () => {
  const key = { 'idempotency-key': 'tag-once' }
  const post = () => admin.client.post(`${space.url}/tags`, { data: { name: '一度だけ' } }, key)
  const [first, second] = [ok(await post()), ok(await post())]
  expect(second).toEqual(first)
})

describe('asset folders', () => {
  it('store filters of the asset list under a name, and reject invalid filters', async () => {
    const url = `${space.url}/assetFolders`
    const filter = { accept: 'image/*', missingAlt: 'true', search: '花' }
    const { assetFolder } = ok(await admin.client.post(url, { data: { name: '説明のない写真', filter } }))
    expect(assetFolder).toEqual({ _id: expect.any(String), name: '説明のない写真', filter })
    const one = `${url}/${assetFolder._id}`
    expect(ok(await admin.client.put(one, { data: { name: '写真' } })).assetFolder).toMatchObject({ filter })
    expect(ok(await admin.client.put(one, { data: { filter: {} } })).assetFolder).toMatchObject({
      name: '写真',
    })
    expect(ok(await admin.client.get(url)).assetFolders).toEqual([
      { _id: assetFolder._id, name: '写真', filter: {} },
    ])
    for (const [bad, path, code] of [
      [{ color: 'red' }, 'data.filter.color', 'UnknownField'],
      [{ order: 'up' }, 'data.filter.order', 'InvalidValue'],
    ] as const)
      expect((await admin.client.post(url, { data: { name: 'x', filter: bad } })).body.issues).toEqual([
        { path, code },
      ])
    ok(await admin.client.delete(one))
    expect((await admin.client.delete(one)).status).toBe(404)
    expect((await admin.client.put(one, { data: {} })).status).toBe(404)
  })
})
