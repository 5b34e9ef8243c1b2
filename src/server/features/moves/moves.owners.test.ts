import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StoredMoveState } from '#shared/contract/moves.ts'
import {
  createAccount,
  createApp,
  createMember,
  createModel,
  createSpace,
  type TestAccount,
  unique,
} from '#test/factories.ts'
import { addMove } from '#test/matrix-moves.ts'
import { runWaiting } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { undoMoveJob } from './moves.jobs.ts'

let installation: TestInstallation
let owner: TestAccount
let space: { uid: string; url: string }
/** A member who has imported an app and manages it. */
let maker: TestAccount & { memberId: string }
/** A member who may create apps and has no rights in the apps of others. */
let stranger: TestAccount & { memberId: string }
beforeAll(async () => {
  installation = await startInstallation()
  owner = await createAccount(installation)
  space = await createSpace(owner.client)
  maker = await holderOf('space.view', 'app.create', 'asset.read', 'asset.write.own')
  stranger = await holderOf('space.view', 'app.create', 'asset.read', 'asset.write.own')
})
afterAll(() => installation?.close())

async function holderOf(...rights: string[]) {
  const { role } = ok(await owner.client.post(`${space.url}/role`, { data: { name: unique('役'), rights } }))
  return createMember(installation, space, role.uid)
}

/** Adds a move of `maker`. If its state is `imported`, also creates its app, which is private. */
async function makeMove(state: StoredMoveState) {
  const id = await addMove(installation, space.uid, maker.id)
  const app = state === 'imported' ? await createApp(maker.client, space) : null
  if (app)
    ok(
      await maker.client.patch(app.url, {
        accessSettings: { visibility: 'private', defaultRole: 'app-Subscriber' },
      }),
    )
  const { pool } = installation.database
  await pool.query(`UPDATE move SET state = $2, app_id = (SELECT id FROM app WHERE uid = $3) WHERE id = $1`, [
    id,
    state,
    app?.uid,
  ])
  return { id, app, url: `${space.url}/move/${id}` }
}

const listed = async ({ client }: TestAccount) =>
  ok(await client.get(`${space.url}/move`)).moves.map(({ _id }: { _id: string }) => _id)

describe('a migration', () => {
  it('is hidden (404) from members without `app.manage` who neither created it nor have rights in its app', async () => {
    for (const state of ['planned', 'imported', 'uploading'] as const) {
      const { id, url } = await makeMove(state)
      expect(await listed(stranger)).not.toContain(id)
      expect(await listed(maker)).toContain(id)
      const { client } = stranger
      const plan = { data: { app: { uid: 'x', name: 'x' }, models: [], customTypes: [] } }
      for (const answer of [
        await client.get(url),
        await client.get(`${url}/plan`),
        await client.get(`${url}/apps`),
        await client.get(`${url}/changes`),
        await client.get(`${url}/signedUrl`),
        await client.post(`${url}/signedUrl`),
        await client.put(`${url}/plan`, plan),
        await client.put(`${url}/apps`, { data: [] }),
        ...(await Promise.all(
          ['start', 'cancel', 'retry', 'undo', 'accept'].map((act) => client.post(`${url}/${act}`)),
        )),
        await client.delete(url),
        await client.post(`${space.url}/move`, {
          data: { fileName: 'a.zip', fileSize: 1, updates: id },
        }),
      ])
        expect([state, answer.status]).toEqual([state, 404])
      expect(ok(await maker.client.get(url)).move.state).toBe(state)
    }
  })

  it('is listed for members who manage its app and for members with the right `app.manage`', async () => {
    const colleague = await holderOf('space.view', 'app.create')
    const keeper = await holderOf('space.view', 'app.create', 'document.read', 'app.manage')
    const { id, app, url } = await makeMove('imported')
    const planned = await makeMove('planned')
    const join = { memberId: colleague.memberId, roleId: 'app-Admin' }
    ok(await maker.client.post(`${app?.url}/members`, join))
    expect(await listed(colleague)).toEqual([id])
    expect(await listed(keeper)).toEqual(expect.arrayContaining([id, planned.id]))
    ok(await keeper.client.get(`${planned.url}/plan`))
    expect((await colleague.client.get(`${planned.url}/plan`)).status).toBe(404)
    expect(ok(await colleague.client.post(`${url}/undo`)).move.state).toBe('undoing')
    await runWaiting(installation, undoMoveJob)
    // The app is deleted, so its managers can no longer see the move.
    expect((await colleague.client.get(url)).status).toBe(404)
    expect(ok(await maker.client.get(url)).move.state).toBe('undone')
  })

  it('cannot be accepted, cancelled or deleted by a creator removed from its app while the app exists', async () => {
    const { app, id, url } = await makeMove('imported')
    ok(await owner.client.delete(`${app?.url}/member/${maker.memberId}`))
    const refused = async (answer: Promise<{ status: number; body: { code?: string } }>) => {
      const { status, body } = await answer
      expect([status, body.code]).toEqual([403, 'Forbidden'])
    }
    await refused(maker.client.post(`${url}/accept`))
    const { pool } = installation.database
    await pool.query(`UPDATE move SET state = 'importing' WHERE id = $1`, [id])
    await refused(maker.client.post(`${url}/cancel`))
    await pool.query(`UPDATE move SET state = 'accepted' WHERE id = $1`, [id])
    await refused(maker.client.delete(url))
    await pool.query(`UPDATE move SET state = 'imported' WHERE id = $1`, [id])
    expect(ok(await owner.client.post(`${url}/accept`)).move.state).toBe('accepted')
    // A move without an app can be deleted by its creator.
    ok(await owner.client.delete(app?.url ?? ''))
    ok(await maker.client.delete(url))
  })

  it('cannot be undone or retried by a creator whose app role was changed to Editor', async () => {
    const { app, id, url } = await makeMove('imported')
    const model = await createModel(maker.client, { url: app?.url ?? '' })
    ok(await maker.client.post(`${model.url}/doc`, { document: { title: 'あとから書いた' } }))
    const member = `${app?.url}/member/${maker.memberId}`
    ok(await owner.client.patch(member, { roleId: 'app-Editor' }))
    const answer = await maker.client.post(`${url}/undo`)
    expect([answer.status, answer.body.code]).toEqual([403, 'Forbidden'])
    const { pool } = installation.database
    await pool.query(`UPDATE move SET state = 'importing' WHERE id = $1`, [id])
    expect((await maker.client.post(`${url}/retry`)).status).toBe(403)
    expect(ok(await owner.client.get(`${model.url}/doc`)).total).toBe(1)
    ok(await owner.client.patch(member, { roleId: 'app-Admin' }))
    expect(ok(await maker.client.post(`${url}/undo`)).move.state).toBe('undoing')
  })
})
