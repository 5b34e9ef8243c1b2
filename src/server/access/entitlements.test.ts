import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BillingPlan, communityPlans } from '#server/billing-plans.ts'
import { fillAppJob } from '#server/features/templates/templates.jobs.ts'
import type { QuotaKind } from '#shared/quotas.ts'
import {
  createAccount,
  createApp,
  createMember,
  createModel,
  createSpace,
  type TestAccount,
  unique,
} from '#test/factories.ts'
import { insertForm } from '#test/forms.ts'
import { lengthOf } from '#test/full-length.ts'
import { findViolations } from '#test/invariants.ts'
import { startIssuer, type TestIssuer } from '#test/oidc-issuer.ts'
import { connectIssuer, signInBySso } from '#test/oidc-sign-in.ts'
import { recordStatements } from '#test/record-statements.ts'
import { runQueued } from '#test/run-now.ts'
import { type Answer, formOf, ok, startInstallation, type TestInstallation } from '#test/server.ts'

/** Number of parallel additions. */
const writers = lengthOf(16, 64)
const plans = new Map<string, BillingPlan>(communityPlans)

let installation: TestInstallation
let issuer: TestIssuer
let admin: TestAccount
beforeAll(async () => {
  issuer = await startIssuer()
  installation = await startInstallation({ IMORI_SSO_ORIGINS: issuer.url }, { plans })
  admin = await createAccount(installation, { isAdmin: true })
})
afterAll(async () => {
  await installation?.close()
  await issuer?.close()
})

/** Sets limits for a space, with a plan of its own. */
async function limit(space: { uid: string }, limits: BillingPlan['limits']): Promise<void> {
  const plan = unique('plan')
  plans.set(plan, { name: plan, limits })
  await installation.database.kysely.updateTable('space').set({ plan }).where('uid', '=', space.uid).execute()
}

const inSpaceWith = async (limits: BillingPlan['limits']) => {
  const space = await createSpace(admin.client)
  await limit(space, limits)
  return space
}

/** Returns the use of a quota, as additions would read it. */
async function usedIn(space: { uid: string }, kind: QuotaKind): Promise<number> {
  const { rows } = await installation.database.pool.query(
    'SELECT lock_quota(id, $2)::int AS used FROM space WHERE uid = $1',
    [space.uid, kind],
  )
  return rows[0].used
}

const refusalOf = ({ status, body: { code, limit: most, used } }: Answer) => [status, code, most, used]

/** Runs additions in parallel. Asserts that `room` of them succeed and that the others are refused with the limit. */
async function race(room: number, code: string, most: number, add: (n: number) => Promise<Answer>) {
  const answers = await Promise.all(Array.from({ length: writers }, (_, n) => add(n)))
  const refused = answers.filter(({ status }) => status !== 200)
  expect(new Set(refused.map((answer) => refusalOf(answer).join(' ')))).toEqual(
    new Set([`403 ${code} ${most} ${most}`]),
  )
  expect(answers.length - refused.length).toBe(room)
}

const post = (model: { url: string }, type = 'SAVE') =>
  admin.client.post(`${model.url}/doc`, { document: { title: 'x' }, type })
const upload = (space: { url: string }, ...texts: string[]) =>
  admin.client.post(
    `${space.url}/assets`,
    formOf(...texts.map((bytes, n) => ({ name: `${n}.txt`, type: 'text/plain', bytes }))),
  )
const idOf = ({ document: { _id } }: { document: { _id: string } }) => _id

describe('parallel additions', () => {
  it('create documents exactly up to the limit, over models of several apps', async () => {
    const space = await createSpace(admin.client)
    const models = await Promise.all(
      [1, 2].map(async () => createModel(admin.client, await createApp(admin.client, space))),
    )
    await limit(space, { documents: 7 })
    const [first] = models
    if (!first) throw new Error('No model')
    const copied = idOf(ok(await post(first)))
    await race(6, 'ContentQuotaExceeded', 7, (n) =>
      n % 4 === 0
        ? admin.client.post(`${first.url}/doc/${copied}/duplicate`, {})
        : post(models[n % 2] ?? first, n % 3 === 0 ? 'PUBLISH' : 'SAVE'),
    )
    expect(await usedIn(space, 'documents')).toBe(7)
    expect(await findViolations(installation.database)).toEqual([])
  })

  it('create apps and models exactly up to the limit', async () => {
    const space = await inSpaceWith({ apps: 3, models: 5 })
    const create = (url: string, prefix: string) => {
      const uid = unique(prefix)
      return admin.client.post(url, { data: { uid, name: uid } })
    }
    await race(3, 'AppQuotaExceeded', 3, () => create(`${space.url}/app`, 'app'))
    const { apps } = ok(await admin.client.get(`${space.url}/app`))
    expect(apps).toHaveLength(3)
    await race(5, 'ModelQuotaExceeded', 5, (n) =>
      create(`${space.url}/app/${apps[n % 3].uid}/model`, 'model'),
    )
    expect(await usedIn(space, 'models')).toBe(5)
    ok(await admin.client.delete(`${space.url}/app/${apps[0].uid}`))
    ok(await create(`${space.url}/app`, 'app'))
    expect((await create(`${space.url}/app/${apps[1].uid}/model`, 'model')).status).toBe(200)
  })

  it('add members exactly up to the limit', async () => {
    const space = await inSpaceWith({ members: 4 })
    const { invitation } = ok(
      await admin.client.post(`${space.url}/invitation`, { invitation: { maximumUses: null } }),
    )
    const code = new URL(invitation.url).searchParams.get('code')
    const guests: TestAccount[] = []
    for (let n = 0; n < writers; n++) guests.push(await createAccount(installation))
    await race(3, 'MemberQuotaExceeded', 4, (n) => {
      const client = guests[n]?.client ?? admin.client
      return client.post('/api/invitation/accept', { code })
    })
    expect(await usedIn(space, 'members')).toBe(4)
  })

  it('create assets exactly up to the limits of their number and bytes', async () => {
    const space = await inSpaceWith({ assets: 5 })
    await race(5, 'AssetQuotaExceeded', 5, (n) => upload(space, `file ${n}`))
    expect(await usedIn(space, 'assets')).toBe(5)
    const other = await inSpaceWith({ storage: 40 })
    await race(4, 'StorageQuotaExceeded', 40, () => upload(other, 'ten bytes!'))
    expect(await usedIn(other, 'storage')).toBe(40)
    expect(await findViolations(installation.database)).toEqual([])
  })
})

describe('a quota of documents', () => {
  const withDocuments = async (most: number, count: number) => {
    const space = await createSpace(admin.client)
    const app = await createApp(admin.client, space)
    const model = await createModel(admin.client, app)
    const ids: string[] = []
    for (let n = 0; n < count; n++) ids.push(idOf(ok(await post(model))))
    await limit(space, { documents: most })
    return { space, app, model, ids }
  }

  it('has room again after a deletion, which a restored document then uses', async () => {
    const { model, ids } = await withDocuments(3, 3)
    expect(refusalOf(await post(model))).toEqual([403, 'ContentQuotaExceeded', 3, 3])
    ok(await admin.client.delete(`${model.url}/doc/${ids[0]}`))
    ok(await admin.client.delete(`${model.url}/doc/${ids[1]}`))
    ok(await post(model))
    const { results } = ok(
      await admin.client.post(`${model.url}/doc/bulkRestore`, { documentIds: [ids[0], ids[1]] }),
    )
    const codes = results.map(({ success, code }: { success: boolean; code?: string }) => code ?? success)
    expect(codes.sort()).toEqual(['ContentQuotaExceeded', true])
    expect(await findViolations(installation.database)).toEqual([])
  })

  it('does not affect changes of existing documents, even if a smaller plan is exceeded', async () => {
    const { space, model, ids } = await withDocuments(1, 3)
    ok(await admin.client.put(`${model.url}/doc/${ids[0]}`, { doc: { title: 'y' }, type: 'PUBLISH' }))
    ok(await admin.client.delete(`${model.url}/doc/${ids[1]}`))
    expect(refusalOf(await post(model))).toEqual([403, 'ContentQuotaExceeded', 1, 2])
    ok(await admin.client.delete(model.url))
    expect(await usedIn(space, 'documents')).toBe(0)
  })

  it('ends the job that fills an app, which continues after a change of the plan', async () => {
    const { space, app } = await withDocuments(5, 3)
    const { app: copy, job: jobId } = ok(
      await admin.client.post(`${app.url}/duplicate`, { appName: '複製', appUid: unique('copy') }),
    )
    const fill = () => runQueued(installation, fillAppJob, jobId)
    expect(await fill()).toMatchObject({ state: 'failed', error: { code: 'ContentQuotaExceeded' } })
    expect(ok(await admin.client.get(`${space.url}/app/${copy.uid}/model`)).models).toHaveLength(1)
    expect(await usedIn(space, 'documents')).toBe(3)
    await limit(space, { documents: 6 })
    ok(await admin.client.post(`${space.url}/job/${jobId}/retry`))
    expect(await fill()).toMatchObject({ state: 'done' })
    expect(await usedIn(space, 'documents')).toBe(6)
  })
})

describe('a quota of assets', () => {
  it('refuses single files of an upload, and files of the trash that no longer have room', async () => {
    const space = await inSpaceWith({ assets: 2, storage: 8 })
    const { results } = ok(await upload(space, '1234', '12345', '123', '1'))
    expect(results.map(({ code }: { code?: string }) => code ?? 'made')).toEqual([
      'made',
      'StorageQuotaExceeded',
      'made',
      'AssetQuotaExceeded',
    ])
    const ids = [results[0].asset._id, results[2].asset._id]
    ok(await admin.client.post(`${space.url}/assets/bulkDelete`, { assetIds: ids }))
    ok(await upload(space, '12345'))
    const restored = ok(await admin.client.post(`${space.url}/assets/bulkRestore`, { assetIds: ids })).results
    expect(restored.map(({ code }: { code?: string }) => code)).toEqual(['StorageQuotaExceeded', undefined])
    expect(await usedIn(space, 'assets')).toBe(2)
    expect(await usedIn(space, 'storage')).toBe(8)
  })

  it('refuses larger replacements and signed uploads before their file is sent', async () => {
    const space = await inSpaceWith({ storage: 8 })
    const { asset } = ok(await upload(space, '1234')).results[0]
    const replace = (bytes: string) =>
      admin.client.put(
        `${space.url}/assets/${asset._id}:refresh`,
        formOf({ name: 'a.txt', type: 'text/plain', bytes }),
      )
    expect(refusalOf(await replace('123456789'))).toEqual([403, 'StorageQuotaExceeded', 8, 4])
    ok(await replace('12345678'))
    const sign = (size: number) =>
      admin.client.get(`${space.url}/assets/signedUrl?fileName=a&fileType=text/plain&fileSize=${size}`)
    expect(refusalOf(await sign(1))).toEqual([403, 'StorageQuotaExceeded', 8, 8])
    ok(await replace('1'))
    ok(await sign(7))
    expect(await usedIn(space, 'storage')).toBe(1)
  })
})

describe('a quota of storage', () => {
  it('includes files of submissions until they are deleted, and hides its numbers from visitors', async () => {
    const space = await inSpaceWith({ storage: 8, assets: 1 })
    const { kysely } = installation.database
    const { id } = await kysely
      .selectFrom('space')
      .select('id')
      .where('uid', '=', space.uid)
      .executeTakeFirstOrThrow()
    const { formId } = await insertForm(kysely, id)
    const send = (bytes: string) => {
      const body = new FormData()
      body.append('file', new Blob([bytes], { type: 'text/plain' }), 'a.txt')
      return installation.visitor().post(`/${space.uid}.form/v1/${formId}`, body)
    }
    ok(await send('12345'))
    const refused = await send('1234')
    expect([refused.status, refused.body]).toEqual([
      403,
      { code: 'StorageQuotaExceeded', message: expect.any(String), issues: [], messages: [] },
    ])
    ok(await upload(space, '123'))
    expect([await usedIn(space, 'storage'), await usedIn(space, 'assets')]).toEqual([8, 1])
    await kysely.deleteFrom('form_submission').where('space_id', '=', id).execute()
    expect(await usedIn(space, 'storage')).toBe(3)
    ok(await send('1234'))
  })
})

describe('a quota of members', () => {
  it('refuses invitations only while the space is full', async () => {
    const space = await inSpaceWith({ members: 2 })
    const { memberId } = await createMember(installation, space)
    const invite = () => admin.client.post(`${space.url}/invitation`, { invitation: {} })
    expect(refusalOf(await invite())).toEqual([403, 'MemberQuotaExceeded', 2, 2])
    ok(await admin.client.delete(`${space.url}/member/${memberId}`))
    ok(await invite())
  })

  it('refuses members of a directory and of single sign-on', async () => {
    const space = await inSpaceWith({ members: 2 })
    const { scim } = ok(await admin.client.post(`${space.url}/scim`, { data: {} }))
    const provision = (email: string) =>
      installation.visitor().post(
        `/scim/v2/${space.uid}/Users`,
        {
          schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
          userName: email,
          emails: [{ value: email, primary: true }],
          active: true,
        },
        { 'content-type': 'application/scim+json', authorization: `Bearer ${scim.token}` },
      )
    await connectIssuer(admin, space, issuer, { domains: ['example.com'], provisions: true })
    const signIn = (email: string) =>
      signInBySso(issuer, installation.visitor(), space, { sub: email, email, email_verified: true })
    expect((await provision('kaede@example.com')).status).toBe(201)
    const { status, body } = await provision('sora@example.com')
    expect([status, body.detail]).toEqual([403, 'MemberQuotaExceeded: 2 used, limit 2'])
    expect(refusalOf(await signIn('umi@example.com'))).toEqual([403, 'MemberQuotaExceeded', 2, 2])
    // The user of the directory is a member already.
    ok(await signIn('kaede@example.com'))
    expect(await usedIn(space, 'members')).toBe(2)
  })
})

describe('a plan', () => {
  it('is returned with its name, and without limits if it is not defined', async () => {
    const space = await createSpace(admin.client)
    expect(ok(await admin.client.get(space.url)).plan).toEqual({ key: 'community', name: 'Community' })
    await installation.database.kysely
      .updateTable('space')
      .set({ plan: 'former' })
      .where('uid', '=', space.uid)
      .execute()
    ok(await upload(space, 'x'))
    expect(ok(await admin.client.get(space.url)).plan).toEqual({ key: 'former', name: 'former' })
  })

  it('without limits reads no quota', async () => {
    const space = await createSpace(admin.client)
    const model = await createModel(admin.client, await createApp(admin.client, space))
    const sent: string[] = []
    recordStatements(installation.database.pool, ({ text }) => sent.push(text))
    ok(await post(model))
    ok(await upload(space, 'x'))
    expect(sent.length).toBeGreaterThan(10)
    expect(sent.filter((text) => text.includes('lock_quota'))).toEqual([])
    await limit(space, { documents: 5 })
    ok(await post(model))
    expect(sent.filter((text) => text.includes('lock_quota'))).toHaveLength(1)
  })
})
