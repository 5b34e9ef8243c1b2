import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AppRole } from '#shared/permissions.ts'
import { createAccount, createApp, createMember, createModel, createSpace, unique } from '#test/factories.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let admin: Client
let app: { uid: string; url: string }
let docs: string
const members = new Map<string, Client>()
const roles: AppRole[] = ['app-Admin', 'app-Editor', 'app-Author', 'app-Contributor', 'app-Subscriber']

beforeAll(async () => {
  installation = await startInstallation()
  admin = (await createAccount(installation)).client
  const space = await createSpace(admin)
  app = await createApp(admin, space)
  docs = `${(await createModel(admin, app, unique('article'))).url}/doc`
  members.set('pjt-Admin', admin)
  for (const role of roles)
    members.set(
      role,
      (await createMember(installation, space, 'pjt-Member', { admin, url: app.url, role })).client,
    )
})
afterAll(() => installation?.close())

const create = async (by: Client, type = 'SAVE'): Promise<string> => {
  const document = { title: 'x', body: '<p>x</p>' }
  const { _id } = ok(await by.post(docs, { document })).document
  if (type === 'PUBLISH') ok(await admin.put(`${docs}/${_id}`, { doc: {}, type }))
  return _id
}

/** Returns the actions that a member may perform on a document, one letter each. */
async function allowed(member: Client, makeId: () => Promise<string>): Promise<string> {
  const tries: [string, (id: string) => Promise<number | string>][] = [
    ['r', async (id) => (await member.get(`${docs}/${id}`)).status],
    ['e', async (id) => (await member.put(`${docs}/${id}`, { doc: { title: 'y' } })).status],
    ['p', async (id) => (await member.put(`${docs}/${id}`, { doc: {}, type: 'PUBLISH' })).status],
    ['P', async (id) => bulk(member, 'bulkPublish', id)],
    ['U', async (id) => bulk(member, 'bulkUnpublish', id)],
    ['d', async (id) => (await member.delete(`${docs}/${id}`)).status],
    ['D', async (id) => bulk(member, 'bulkDelete', id)],
    ['c', async (id) => (await member.put(`${docs}/${id}`, { doc: {}, type: 'DUPLICATE' })).status],
  ]
  let letters = ''
  for (const [letter, act] of tries) {
    const result = await act(await makeId())
    expect([200, 403]).toContain(result)
    if (result === 200) letters += letter
  }
  return letters
}

/** Returns the result of a bulk call with one document as a status. */
async function bulk(member: Client, call: string, id: string): Promise<number> {
  const answer = await member.post(`${docs}/${call}`, { documentIds: [id] })
  if (answer.status !== 200) return answer.status
  const [result] = answer.body.results
  if (!result.success) expect(result.code).toBe('Forbidden')
  return result.success ? 200 : 403
}

describe('permissions', () => {
  const all = 'repPUdDc'
  it.each([
    ['pjt-Admin', { ownDraft: all, ownPublished: all, anyDraft: all, anyPublished: all }],
    ['app-Admin', { ownDraft: all, ownPublished: all, anyDraft: all, anyPublished: all }],
    ['app-Editor', { ownDraft: all, ownPublished: all, anyDraft: all, anyPublished: all }],
    ['app-Author', { ownDraft: all, ownPublished: all, anyDraft: 'rc', anyPublished: 'rc' }],
    ['app-Contributor', { ownDraft: 'redDc', ownPublished: 'rc', anyDraft: 'rc', anyPublished: 'rc' }],
    ['app-Subscriber', { anyDraft: 'r', anyPublished: 'r' }],
  ])(
    'allow the role %s only the expected actions on drafts and published documents',
    async (role, expected) => {
      const member = members.get(role)!
      const found: Record<string, string> = {
        anyDraft: await allowed(member, () => create(admin)),
        anyPublished: await allowed(member, () => create(admin, 'PUBLISH')),
      }
      if (role === 'pjt-Admin') {
        const editor = members.get('app-Editor')!
        found.anyDraft = await allowed(member, () => create(editor))
        found.anyPublished = await allowed(member, () => create(editor, 'PUBLISH'))
      }
      if (role !== 'app-Subscriber') {
        found.ownDraft = await allowed(member, () => create(member))
        found.ownPublished = await allowed(member, () => create(member, 'PUBLISH'))
      }
      expect(found).toEqual(expected)
    },
  )

  it('prevent a contributor from publishing on creation and on update', async () => {
    const member = members.get('app-Contributor')!
    const document = { title: 'x', body: '<p>x</p>' }
    const before = ok(await admin.get(docs)).total
    const answer = await member.post(docs, { document, type: 'PUBLISH' })
    expect([answer.status, answer.body.code]).toEqual([403, 'Forbidden'])
    const own = await create(member)
    const both = await member.put(`${docs}/${own}`, { doc: { title: 'y' }, type: 'PUBLISH' })
    expect(both.status).toBe(403)
    expect(ok(await admin.get(`${docs}/${own}`)).document.title).toBe('x')
    expect(ok(await admin.get(docs)).total).toBe(before + 1)
  })

  it('are checked before the input', async () => {
    const id = await create(admin)
    const author = members.get('app-Author')!
    expect((await author.put(`${docs}/${id}`, { doc: { nothing: 1 } })).status).toBe(403)
    const subscriber = members.get('app-Subscriber')!
    for (const call of ['validate', 'validateField', 'bulkPublish', 'updateCustomOrder', 'resetCustomOrder'])
      expect((await subscriber.post(`${docs}/${call}`, { nonsense: 1 })).status).toBe(403)
    for (const role of ['app-Author', 'app-Contributor', 'app-Subscriber'])
      expect((await members.get(role)!.post(`${docs}/updateCustomOrder`, { documentIds: [id] })).status).toBe(
        403,
      )
  })

  it('apply to each document of a bulk call', async () => {
    const author = members.get('app-Author')!
    const [own, foreign] = [await create(author), await create(admin)]
    const { results } = ok(await author.post(`${docs}/bulkDelete`, { documentIds: [foreign, own] }))
    expect(results).toEqual([
      { _id: foreign, success: false, code: 'Forbidden' },
      { _id: own, success: true },
    ])
  })

  it('allow pjt-Admin and, of the built-in app roles, only app-Admin to create models', async () => {
    for (const [role, client] of members) {
      const mayManage = role === 'pjt-Admin' || role === 'app-Admin'
      const data = { uid: unique('model'), name: 'モデル' }
      expect((await client.post(`${app.url}/model`, { data })).status).toBe(mayManage ? 200 : 403)
      expect((await client.get(`${app.url}/model`)).status).toBe(200)
    }
  })
})
