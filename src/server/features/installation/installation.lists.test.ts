import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '#server/lib/ids.ts'
import { putAsset } from '#test/asset-fixtures.ts'
import {
  addMember,
  createAccount,
  createApp,
  createMember,
  createModel,
  createSpace,
  type TestAccount,
} from '#test/factories.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let admin: TestAccount
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation, { isAdmin: true, verified: true, name: 'いもり 太郎' })
})
afterAll(() => installation?.close())

const list = async (what: 'spaces' | 'accounts', query = '') =>
  ok(await admin.client.get(`/api/admin/${what}?${query}`))
const rename = (uid: string, name: string) =>
  installation.database.kysely.updateTable('space').set({ name }).where('uid', '=', uid).execute()

/** Creates an account as a directory would, as a member of the space. Returns its id. */
async function provision(space: { uid: string }, role: string): Promise<string> {
  const { kysely } = installation.database
  const { id: spaceId } = await kysely
    .selectFrom('space')
    .select('id')
    .where('uid', '=', space.uid)
    .executeTakeFirstOrThrow()
  const id = newId()
  const account = { id, email: `${id}@example.com`, email_key: `provisioned:${id}`, name: '名簿の人' }
  await kysely
    .insertInto('account')
    .values({ ...account, provisioned_by: spaceId, password_hash: null, email_verified_at: null })
    .execute()
  await addMember(installation, space, account, role)
  return id
}

describe('the list of spaces', () => {
  it('shows the size and up to three admins of spaces to an admin of the installation who is no member', async () => {
    const owner = await createAccount(installation, { name: '池田' })
    const space = await createSpace(owner.client, 'pond')
    const empty = await createSpace(owner.client, 'empty')
    const others = []
    for (let count = 0; count < 3; count++) others.push(await createMember(installation, space, 'pjt-Admin'))
    await createMember(installation, space)
    await provision(space, 'pjt-Admin')
    const app = await createApp(owner.client, space)
    const gone = await createApp(owner.client, space)
    for (const { url } of [await createModel(owner.client, app), await createModel(owner.client, gone)])
      for (const title of ['一', '二', '三'])
        ok(await owner.client.post(`${url}/doc`, { document: { title, body: '' } }))
    ok(await owner.client.delete(gone.url))
    const picture = await putAsset(installation, space, { bytes: Buffer.alloc(1000, 'a') })
    await putAsset(installation, space, { bytes: Buffer.alloc(234, 'b') })
    ok(await owner.client.delete(`${space.url}/asset/${picture}`))

    const { spaces, total } = await list('spaces')
    expect(total).toBe(2)
    expect(spaces).toEqual([
      expect.objectContaining({
        uid: empty.uid,
        memberCount: 1,
        documentCount: 0,
        fileBytes: 0,
        appCount: 0,
      }),
      {
        uid: 'pond',
        name: 'スペース pond',
        createdAt: expect.any(String),
        memberCount: 6,
        admins: [owner, ...others.slice(0, 2)].map(({ name, email }) => ({ name, email })),
        adminCount: 4,
        appCount: 1,
        documentCount: 3,
        fileBytes: 1234,
      },
    ])
    ok(await owner.client.delete(empty.url))
    expect((await list('spaces')).spaces.map(({ uid }: { uid: string }) => uid)).toEqual(['pond'])
  })

  it('can be searched by name and uid, sorted, and read in pages', async () => {
    for (const uid of ['acme-1', 'acme_2', 'acme-3']) await createSpace(admin.client, uid)
    await rename('acme-1', '100%の池')
    await rename('acme_2', 'アカハライモリ')
    await rename('acme-3', 'いけ')
    const uids = async (query: string) =>
      (await list('spaces', query)).spaces.map(({ uid }: { uid: string }) => uid)
    const find = (search: string) => uids(`search=${encodeURIComponent(search)}`)
    expect(await find('ACME')).toEqual(['acme-3', 'acme_2', 'acme-1'])
    expect(await find('あかはらｲﾓﾘ')).toEqual(['acme_2'])
    expect(await find('%')).toEqual(['acme-1'])
    expect(await find('_')).toEqual(['acme_2'])
    expect(await find('\\')).toEqual([])
    expect(await find('nowhere')).toEqual([])
    expect(await uids('search=acme&sort=name')).toEqual(['acme-1', 'acme-3', 'acme_2'])
    const page = await list('spaces', 'search=acme&skip=1&limit=1')
    expect([page.total, page.spaces.length, page.spaces[0].uid]).toEqual([3, 1, 'acme_2'])
    for (const bad of ['limit=1000', 'sort=size', `search=${'a'.repeat(201)}`, 'what=else'])
      expect((await admin.client.get(`/api/admin/spaces?${bad}`)).status).toBe(400)
  })
})

describe('the list of accounts', () => {
  it('shows provisioned accounts, except accounts of a deleted space', async () => {
    const person = await createAccount(installation, { name: '検索 花子' })
    const space = await createSpace(person.client)
    const deleted = await createSpace(person.client)
    const provisioned = await provision(space, 'pjt-Member')
    const ofDeleted = await provision(deleted, 'pjt-Member')
    ok(await person.client.delete(deleted.url))
    const { accounts } = await list('accounts', 'limit=3')
    const common = { createdAt: expect.any(String), isAdmin: false, hasSecondFactor: false }
    expect(accounts.slice(0, 2)).toEqual([
      {
        ...common,
        _id: provisioned,
        email: `${provisioned}@example.com`,
        name: '名簿の人',
        emailVerified: false,
        provisioned: true,
        spaceCount: 1,
        lastSeenAt: null,
      },
      {
        ...common,
        _id: person.id,
        email: person.email,
        name: person.name,
        emailVerified: false,
        provisioned: false,
        spaceCount: 1,
        lastSeenAt: expect.any(String),
      },
    ])
    expect(JSON.stringify(await list('accounts', 'limit=100'))).not.toContain(ofDeleted)
  })

  it('can be searched by name and address, sorted, and read in pages', async () => {
    const find = async (search: string) =>
      (await list('accounts', `sort=name&search=${encodeURIComponent(search)}`)).accounts.map(
        ({ _id }: { _id: string }) => _id,
      )
    const [b, a] = [
      await createAccount(installation, { name: 'Ｂｅｒｔａ', email: 'b_q@find.example' }),
      await createAccount(installation, { name: '', email: 'a-q@find.example' }),
    ]
    expect(await find('FIND.example')).toEqual([a.id, b.id])
    expect(await find('berta')).toEqual([b.id])
    expect(await find('_q')).toEqual([b.id])
    expect(await find(admin.email)).toContain(admin.id)
    const page = await list('accounts', 'search=find.example&sort=name&skip=1&limit=1')
    expect([page.total, page.accounts.length, page.accounts[0]._id]).toEqual([2, 1, b.id])
    expect((await list('accounts', 'skip=1000')).accounts).toEqual([])
  })
})
