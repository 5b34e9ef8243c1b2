import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appRoles, projectRoles } from '#shared/permissions.ts'
import {
  createAccount,
  createApp,
  createMember,
  createModel,
  createSpace,
  type TestAccount,
  unique,
} from '#test/factories.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let app: { uid: string; url: string }
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  app = await createApp(admin.client, space)
})
afterAll(() => installation?.close())

type Rights = readonly string[]

async function makeRole(
  place: { url: string },
  data: Record<string, unknown>,
  client: Client = admin.client,
) {
  return ok(await client.post(`${place.url}/role`, { data: { name: unique('役割'), ...data } })).role
    .uid as string
}

async function holderOf(rights: Rights, inSpace = space, maker = admin.client) {
  const uid = await makeRole(inSpace, { rights }, maker)
  return { ...(await createMember(installation, inSpace, uid)), uid }
}
const view = 'space.view'
const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

describe('built-in roles', () => {
  it('are listed with the number of their members and whether they are the default role', async () => {
    const { roles } = ok(await admin.client.get(`${(await createSpace(admin.client)).url}/role`))
    expect(roles.map((role: { uid: string }) => role.uid)).toEqual(Object.keys(projectRoles))
    expect(roles[0]).toMatchObject({ members: 1, builtIn: true, models: {}, isDefault: false })
    const own = ok(await admin.client.get(`${app.url}/role`)).roles
    expect(own.slice(0, 5).map((role: { uid: string }) => role.uid)).toEqual(Object.keys(appRoles))
    expect(own[1]).toMatchObject({ uid: 'app-Editor', name: '', isDefault: true })
  })

  it('have database rows that match permissions.ts', async () => {
    const rows = await installation.database.kysely
      .selectFrom('role')
      .select(['target', 'uid', 'rights'])
      .where('space_id', 'is', null)
      .orderBy('target', 'desc')
      .orderBy('position')
      .execute()
    const written = [
      ...Object.entries(projectRoles).map(([uid, rights]) => ({ target: 'project', uid, rights })),
      ...Object.entries(appRoles).map(([uid, rights]) => ({ target: 'app', uid, rights })),
    ]
    const sorted = (roles: { rights: readonly string[] }[]) =>
      roles.map((role) => ({ ...role, rights: [...role.rights].sort() }))
    expect(sorted(rows)).toEqual(sorted(written))
  })

  it('cannot be changed or deleted', async () => {
    for (const [place, uid] of [
      [space, 'pjt-Member'],
      [app, 'app-Editor'],
    ] as const) {
      const url = `${place.url}/role/${uid}`
      expect(codeOf(await admin.client.put(url, { data: { name: 'x' } }))).toEqual([403, 'Forbidden'])
      expect(codeOf(await admin.client.delete(url))).toEqual([403, 'Forbidden'])
    }
  })
})

describe('roles', () => {
  it('apply changes of their rights from the next request', async () => {
    const keeper = await holderOf([view, 'token.manage'])
    const tokens = () => keeper.client.get(`${space.url}/cdnToken`)
    ok(await tokens())
    expect(ok(await keeper.client.get(`${space.url}/currentRole`)).currentRole).toEqual({
      uid: keeper.uid,
      rights: [view, 'token.manage'],
      held: [view, 'token.manage'],
    })
    const url = `${space.url}/role/${keeper.uid}`
    const data = { rights: [view, 'document.read'], description: '読むだけの係', version: 1 }
    expect(ok(await admin.client.put(url, { data })).role).toMatchObject({ ...data, version: 2, members: 1 })
    expect((await tokens()).status).toBe(403)
    // A right on apps in a role of the space applies to every app, including private ones.
    const hidden = await createApp(admin.client, space)
    ok(
      await admin.client.patch(hidden.url, {
        accessSettings: { visibility: 'private', defaultRole: 'app-Editor' },
      }),
    )
    ok(await keeper.client.get(`${hidden.url}/model`))
    expect((await keeper.client.patch(hidden.url, { data: { name: 'x' } })).status).toBe(403)

    const stale = await admin.client.put(url, { data: { name: '別名', version: 1 } })
    expect([...codeOf(stale), stale.body.current]).toEqual([409, 'VersionConflict', 2])
    const used = await admin.client.delete(url)
    expect([...codeOf(used), used.body.members]).toEqual([409, 'RoleIsStillInUse', 1])
    ok(await admin.client.delete(`${space.url}/member/${keeper.memberId}`))
    ok(await admin.client.delete(url))
    expect((await admin.client.delete(url)).status).toBe(404)
  })

  it('ignore unknown rights, and cannot be assigned in another space or app', async () => {
    const keeper = await holderOf([view])
    const db = installation.database.kysely
    const rights = [view, 'token.manage', 'of.tomorrow']
    await db.updateTable('role').set({ rights }).where('uid', '=', keeper.uid).execute()
    expect(ok(await keeper.client.get(`${space.url}/currentRole`)).currentRole.rights).toEqual(
      rights.slice(0, 2),
    )
    const other = await createSpace(admin.client)
    const colleague = await createMember(installation, other)
    const reader = await makeRole(app, { rights: ['document.read'] })
    for (const roleId of [keeper.uid, reader, 'app-Admin', 'nobody', '']) {
      const answer = await admin.client.put(`${other.url}/member/${colleague.memberId}`, { roleId })
      expect([answer.status, answer.body.issues]).toEqual([400, [{ path: 'roleId', code: 'InvalidValue' }]])
    }
    // Even if a row contains the role, it grants no rights.
    const asRow = { role: keeper.uid }
    await db.updateTable('space_member').set(asRow).where('id', '=', colleague.memberId).execute()
    expect((await colleague.client.get(`${other.url}/members`)).status).toBe(403)
    const neighbour = await createApp(admin.client, space)
    const body = { memberId: keeper.memberId, roleId: reader }
    expect((await admin.client.post(`${neighbour.url}/members`, body)).status).toBe(400)
    ok(await admin.client.post(`${app.url}/members`, body))
  })

  it.each([
    ['without the right space.view', { rights: ['token.manage'] }],
    ['without a right that another right requires', { rights: [view, 'asset.write.any'] }],
    ['with rights on single models', { rights: [view], models: { ['a'.repeat(24)]: {} } }],
    ['with a name that is taken', { rights: [view], name: 'ＴＡＫＥＮ' }],
    ['with a uid that is taken', { rights: [view], uid: 'taken' }],
  ])('of a space are rejected %s', async (_, data) => {
    await admin.client.post(`${space.url}/role`, { data: { name: 'Taken', uid: 'taken', rights: [view] } })
    const answer = await admin.client.post(`${space.url}/role`, { data: { name: unique('役割'), ...data } })
    expect(codeOf(answer)).toEqual([400, 'InvalidRoleCreation'])
    expect(answer.body.issues).toHaveLength(1)
  })

  it('are rejected with invalid values, unknown properties or unsuitable rights', async () => {
    const post = (place: { url: string }, data: object) => admin.client.post(`${place.url}/role`, { data })
    for (const data of [
      { name: 'x', rights: ['everything'] },
      { name: 'x', rights: [view], uid: 'pjt-Owner' },
      { name: 'x', rights: [view], uid: 'ab cd' },
      { name: '', rights: [view] },
      { name: 'x', rights: [view], target: 'app' },
      { name: 'x', rights: [view], builtIn: true },
    ])
      expect(codeOf(await post(space, data))).toEqual([400, 'ValidationFailed'])
    for (const rights of [[view, 'document.read'], [], ['document.write.own']])
      expect(codeOf(await post(app, { name: 'x', rights }))).toEqual([400, 'InvalidRoleCreation'])
  })

  it("cannot be created, assigned, changed or removed beyond the caller's own rights", async () => {
    const rights = [view, 'member.manage', 'role.manage', 'token.manage']
    const clerk = await holderOf(rights)
    const weak = await makeRole(space, { rights: [view] }, clerk.client)
    const strong = await makeRole(space, { rights: [view, 'storage.manage'] })
    const colleague = await createMember(installation, space, weak)
    const powerful = await createMember(installation, space, strong)
    const make = { data: { name: unique('x'), rights: [view, 'storage.manage'] } }
    expect(codeOf(await clerk.client.post(`${space.url}/role`, make))).toEqual([400, 'InvalidRoleCreation'])
    const give = (id: string, roleId: string) => clerk.client.put(`${space.url}/member/${id}`, { roleId })
    for (const roleId of ['pjt-Admin', strong])
      expect(codeOf(await give(colleague.memberId, roleId))).toEqual([400, 'InvalidRoleChange'])
    // Neither can the caller extend a role that a member has, nor change the rights of the caller's own role.
    const url = (uid: string) => `${space.url}/role/${uid}`
    const widen = { data: { rights: [view, 'space.delete'] } }
    expect(codeOf(await clerk.client.put(url(weak), widen))).toEqual([400, 'InvalidRoleUpdate'])
    expect(codeOf(await clerk.client.put(url(clerk.uid), { data: { rights } }))).toEqual([
      409,
      'ChangingOwnRole',
    ])
    ok(await clerk.client.put(url(clerk.uid), { data: { name: unique('改名') } }))
    // The caller cannot change or delete a role with more rights, nor demote or remove a member who has it.
    const narrow = { data: { rights: [view] } }
    expect(codeOf(await clerk.client.put(url(strong), narrow))).toEqual([400, 'InvalidRoleUpdate'])
    expect(codeOf(await clerk.client.delete(url(strong)))).toEqual([400, 'InvalidRoleUpdate'])
    expect(codeOf(await give(powerful.memberId, weak))).toEqual([400, 'InvalidRoleChange'])
    expect(codeOf(await clerk.client.delete(`${space.url}/member/${powerful.memberId}`))).toEqual([
      400,
      'InvalidRoleChange',
    ])
    expect(
      codeOf(await clerk.client.post(`${space.url}/invitation`, { invitation: { roleId: 'pjt-Admin' } })),
    ).toEqual([400, 'InvalidRoleChange'])
    ok(await clerk.client.delete(`${space.url}/member/${colleague.memberId}`))
  })

  it('count as admin roles if they grant all rights, and one member with such a role must remain', async () => {
    const own = await createSpace(admin.client)
    const everything = await holderOf(projectRoles['pjt-Admin'], own)
    const me = ok(await admin.client.get(`${own.url}/members?role=pjt-Admin`)).members[0]
    const manager = await holderOf([view, 'member.manage'], own)
    ok(await everything.client.delete(`${own.url}/member/${me._id}`))
    // A manager of members is not enough, because the other rights could not be regained.
    expect(codeOf(await everything.client.post(`${own.url}/members/leave`))).toEqual([
      409,
      'OtherAdminMembersNotExist',
    ])
    expect(codeOf(await manager.client.delete(`${own.url}/member/${everything.memberId}`))).toEqual([
      400,
      'InvalidRoleChange',
    ])
    const second = await holderOf(projectRoles['pjt-Admin'], own, everything.client)
    ok(await everything.client.put(`${own.url}/role/${second.uid}`, { data: { rights: [view] } }))
    expect(codeOf(await everything.client.post(`${own.url}/members/leave`))).toEqual([
      409,
      'OtherAdminMembersNotExist',
    ])
  })

  it('can be made the default of an open app only by members who may assign them', async () => {
    const own = await createApp(admin.client, space)
    const access = (client: Client, visibility: string, defaultRole: string) =>
      client.patch(own.url, { accessSettings: { visibility, defaultRole } })
    ok(await access(admin.client, 'private', 'app-Editor'))
    const manager = await holderOf([view, 'document.read', 'app.manage'])
    expect(codeOf(await access(manager.client, 'open', 'app-Editor'))).toEqual([400, 'InvalidRoleChange'])
    ok(await access(manager.client, 'open', 'app-Subscriber'))
  })

  it('cannot be deleted while they are the default of an app', async () => {
    const own = await createApp(admin.client, space)
    const uid = await makeRole(own, { rights: ['document.read'] })
    const access = (defaultRole: string) =>
      admin.client.patch(own.url, { accessSettings: { visibility: 'open', defaultRole } })
    ok(await access(uid))
    const url = `${own.url}/role/${uid}`
    const used = await admin.client.delete(url)
    expect([...codeOf(used), used.body.isDefault]).toEqual([409, 'RoleIsStillInUse', true])
    const colleague = await createMember(installation, space)
    expect(ok(await colleague.client.post(`${own.url}/members/join`)).member.roleId).toBe(uid)
    ok(await colleague.client.post(`${own.url}/members/leave`))
    ok(await access('app-Editor'))
    ok(await admin.client.delete(url))
    // A member who left with the deleted role does not return with more rights.
    expect(ok(await colleague.client.post(`${own.url}/members/join`)).member.roleId).toBe('app-Subscriber')
  })
})

describe('rights on single models', () => {
  it('hide the names of unreadable models in fields that refer to them', async () => {
    const own = await createApp(admin.client, space)
    const secret = await createModel(admin.client, own, unique('secret'))
    const { customFieldType } = ok(
      await admin.client.post(`${own.url}/customFieldType`, {
        data: {
          uid: 'box',
          name: '箱',
          fields: [{ uid: 'inner', name: '中', type: 'REFERENCE', modelUid: secret.uid }],
        },
      }),
    )
    const shown = await createModel(admin.client, own, unique('shown'))
    const read = await createModel(admin.client, own, unique('read'), [
      { uid: 'title', name: '題', type: 'TEXT' },
      { uid: 'to', name: '先', type: 'REFERENCE', modelUid: secret.uid },
      { uid: 'either', name: 'どれか', type: 'REFERENCE', modelUid: shown.uid, otherModelUids: [secret.uid] },
    ])
    const models = ok(await admin.client.get(`${own.url}/model`)).models as { _id: string; uid: string }[]
    const id = models.find((model) => model.uid === secret.uid)?._id ?? ''
    const role = await makeRole(own, {
      rights: ['document.read'],
      models: { [id]: { rights: [] } },
    })
    const { client } = await createMember(installation, space, 'pjt-Member', {
      ...own,
      admin: admin.client,
      role,
    })
    const boxUrl = `${own.url}/customFieldType/${customFieldType._id}`
    const targets = ({ fields }: { fields: { modelUid?: string; otherModelUids?: string[] }[] }) =>
      fields.flatMap(({ modelUid, otherModelUids }) =>
        modelUid ? [modelUid, ...(otherModelUids ?? [])] : [],
      )
    const { model } = ok(await client.get(read.url))
    expect(targets(model)).toEqual([`?${id}`, shown.uid, `?${id}`])
    const box = ok(await client.get(boxUrl)).customFieldType
    expect(targets(box)).toEqual([`?${id}`])

    for (const path of [read.url, boxUrl, `${own.url}/model`, `${own.url}/customFieldType`])
      expect((await client.get(path)).text).not.toContain(secret.uid)
    // The placeholder is not a valid name. It cannot be saved, because a role with the right to change models cannot
    // hide models.
    expect((await client.get(`${own.url}/model/${encodeURIComponent(`?${id}`)}`)).status).toBe(404)
    expect((await client.put(read.url, { data: { fields: model.fields } })).status).toBe(403)
    const as = (rights: string[]) =>
      admin.client.post(`${own.url}/role`, {
        data: { name: unique('role'), rights, models: { [id]: { rights: [] } } },
      })
    expect((await as(['document.read', 'model.manage'])).status).toBe(400)
    expect(targets(ok(await admin.client.get(read.url)).model)).toEqual([secret.uid, shown.uid, secret.uid])
  })

  it('apply to listing, reading, searching, writing and copying documents of these models', async () => {
    const own = await createApp(admin.client, space)
    const secret = await createModel(admin.client, own)
    const read = await createModel(admin.client, own, unique('read'), [
      { uid: 'title', name: '題', type: 'TEXT' },
      { uid: 'to', name: '先', type: 'REFERENCE', modelUid: secret.uid },
    ])
    const written = await createModel(admin.client, own, unique('written'), [
      { uid: 'title', name: '題', type: 'TEXT' },
      { uid: 'featured', name: '注目', type: 'CHECKBOX' },
      { uid: 'rank', name: '順位', type: 'NUMBER' },
    ])
    const models = ok(await admin.client.get(`${own.url}/model`)).models as { _id: string; uid: string }[]
    const idOf = ({ uid }: { uid: string }) => models.find((model) => model.uid === uid)?._id ?? ''
    const fieldOf = (uid: string) => written.fields.find((field) => field.uid === uid)?._id ?? ''
    const uid = await makeRole(own, {
      rights: ['document.read'],
      models: {
        [idOf(secret)]: { rights: [] },
        [idOf(written)]: {
          rights: ['document.read', 'document.write.own', 'document.publish.own', 'document.write.any'],
          readOnly: [fieldOf('featured')],
        },
      },
    })
    const { client } = await createMember(installation, space, 'pjt-Member', {
      ...own,
      admin: admin.client,
      role: uid,
    })
    const post = async (model: { url: string }, document: object, as = admin.client) =>
      as.post(`${model.url}/doc`, { document })
    const hidden = ok(await post(secret, { title: '極秘' })).document
    const shown = ok(await post(read, { title: '入口', to: hidden._id })).document

    // A model that the member may not read gets the same response as an unknown one.
    expect(
      ok(await client.get(`${own.url}/model`)).models.map((model: { uid: string }) => model.uid),
    ).toEqual([read.uid, written.uid])
    const nowhere = `${own.url}/model/nothing`
    for (const path of [
      '',
      '/doc',
      `/doc/${hidden._id}`,
      `/doc/${hidden._id}/references`,
      `/doc/${hidden._id}/api`,
    ]) {
      const [answer, unknown] = [await client.get(secret.url + path), await client.get(nowhere + path)]
      expect([path, answer.status, answer.text]).toEqual([path, 404, unknown.text])
    }
    expect((await post(secret, { title: 'x' }, client)).status).toBe(404)
    expect((await client.post(`${secret.url}/doc/bulkDelete`, { documentIds: [hidden._id] })).status).toBe(
      404,
    )
    const preview = await client.get(`${read.url}/doc/${shown._id}/api?depth=2`)
    expect(preview.text).not.toContain('極秘')
    // The member cannot search the hidden model through models that refer to it either.
    expect((await client.get(`${read.url}/doc?to.title=${encodeURIComponent('極秘')}`)).status).toBe(400)
    const fromHidden = await createModel(admin.client, own, unique('from'), [
      { uid: 'title', name: '題', type: 'TEXT' },
      { uid: 'to', name: '先', type: 'REFERENCE', modelUid: read.uid },
    ])
    ok(await post(fromHidden, { title: '参照元', to: shown._id }))
    const all = ok(await admin.client.get(`${own.url}/model`)).models as { _id: string; uid: string }[]
    const before = ok(await admin.client.get(`${own.url}/role`)).roles.at(-1)
    const more = {
      ...before.models,
      [all.find((model) => model.uid === fromHidden.uid)?._id ?? '']: { rights: [] },
    }
    const references = async () => ok(await client.get(`${read.url}/doc/${shown._id}/references`))
    expect((await references()).total).toBe(1)
    ok(await admin.client.put(`${own.url}/role/${uid}`, { data: { models: more } }))
    expect(await references()).toMatchObject({ references: [], total: 0 })

    // The member may only read documents of `read`. In `written`, the member may also write, except for the field
    // `featured`.
    expect((await post(read, { title: 'x' }, client)).status).toBe(403)
    const mine = ok(await post(written, { title: '書ける', featured: false, rank: 1 }, client)).document
    const theirs = ok(await post(written, { title: '他人の', featured: true })).document
    const put = (id: string, doc: object) => client.put(`${written.url}/doc/${id}`, { doc })
    ok(await put(theirs._id, { title: '直した', featured: true }))
    for (const answer of [
      await put(mine._id, { featured: true }),
      await put(theirs._id, { featured: false }),
      await post(written, { title: '目立つ', featured: true }, client),
    ]) {
      expect(codeOf(answer)).toEqual([403, 'Forbidden'])
      expect(answer.body.issues).toEqual([{ path: 'featured', code: 'ReadOnly' }])
    }
    // A copy belongs to the member, and omits the value that the member may not write.
    const copy = ok(
      await client.put(`${written.url}/doc/${theirs._id}`, { doc: { title: '写し' }, type: 'DUPLICATE' }),
    )
    expect(copy.document.featured ?? false).toBe(false)
    expect(ok(await client.get(`${own.url}/currentRole`)).currentRole).toMatchObject({
      elsewhere: ['document.read'],
      models: {
        [idOf(secret)]: { rights: [], readOnly: [] },
        [idOf(written)]: { readOnly: [fieldOf('featured')] },
      },
    })
  })

  it('forbid members to assign or create roles that may write the members’ read-only fields', async () => {
    const own = await createApp(admin.client, space)
    const model = await createModel(admin.client, own)
    const [{ _id }] = ok(await admin.client.get(`${own.url}/model`)).models
    const models = { [_id]: { readOnly: [model.fields[0]?._id] } }
    const rights = appRoles['app-Author']
    const limited = await makeRole(own, { rights, models })
    const manager = await holderOf([view, 'document.read', 'app.manage'])
    ok(await admin.client.post(`${own.url}/members`, { memberId: manager.memberId, roleId: limited }))
    const colleague = await createMember(installation, space, 'pjt-Member', {
      ...own,
      admin: admin.client,
      role: 'app-Subscriber',
    })
    const give = (roleId: string) =>
      manager.client.patch(`${own.url}/member/${colleague.memberId}`, { roleId })
    expect(codeOf(await give('app-Author'))).toEqual([400, 'InvalidRoleChange'])
    const make = (more: object) =>
      manager.client.post(`${own.url}/role`, { data: { name: unique('役割'), rights, ...more } })
    expect(codeOf(await make({}))).toEqual([400, 'InvalidRoleCreation'])
    ok(await make({ models }))
    ok(await give(limited))
  })

  it('are rejected for unknown models and fields, and in roles that may manage the app', async () => {
    const own = await createApp(admin.client, space)
    const model = await createModel(admin.client, own)
    const [{ _id }] = ok(await admin.client.get(`${own.url}/model`)).models
    const foreign = ok(await admin.client.get(`${app.url}/model`)).models[0]?._id ?? 'f'.repeat(24)
    const make = (models: object, rights = ['document.read']) =>
      admin.client.post(`${own.url}/role`, { data: { name: unique('役割'), rights, models } })
    for (const answer of [
      await make({ [foreign]: { rights: ['document.read'] } }),
      await make({ [_id]: { readOnly: ['e'.repeat(24)] } }),
      await make({ [_id]: { rights: ['document.write.own'] } }),
      await make({ [_id]: { rights: [] } }, ['document.read', 'app.manage']),
      await make({ [_id]: { rights: ['document.read'] } }, ['document.write.own']),
    ])
      expect(codeOf(answer)).toEqual([400, 'InvalidRoleCreation'])
    expect((await make({ [_id]: { rights: ['token.manage'] } })).status).toBe(400)
    expect((await make({ __proto__: {} })).status).toBe(200)
    // This role can read only one model. After the model is deleted, saving the role removes its entry for the model.
    const uid = ok(await make({ [_id]: { rights: ['document.read'] } }, [])).role.uid
    ok(await admin.client.delete(model.url))
    const renamed = await admin.client.put(`${own.url}/role/${uid}`, { data: { rights: ['document.read'] } })
    expect(ok(renamed).role.models).toEqual({})
  })
})
