import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { spaceScope } from '#server/db/scope.ts'
import { jobs } from '#server/features/index.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { defineJob } from '#server/jobs/job.ts'
import { newId } from '#server/lib/ids.ts'
import { presupposed, type Right } from '#shared/permissions.ts'
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
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let owner: TestAccount
let space: { uid: string; url: string }
/** The requester of the jobs unless a test sets another one, with the rights of the role at `roleUrl`. */
let maker: TestAccount & { memberId: string }
/** A member who may change the space and see all of its jobs, but has no rights in its apps. */
let caretaker: TestAccount
let roleUrl: string
let app: { url: string; id: number }
let modelId: number
let spaceId: number

const held = ['space.view', 'asset.read', 'asset.write.own', 'app.create', 'member.manage', 'storage.manage']

beforeAll(async () => {
  installation = await startInstallation()
  owner = await createAccount(installation)
  space = await createSpace(owner.client)
  const made = await makeRole(...held)
  roleUrl = `${space.url}/role/${made.uid}`
  maker = await createMember(installation, space, made.uid)
  caretaker = await createMember(installation, space, (await makeRole('space.view', 'space.update')).uid)
  const own = await createApp(maker.client, space)
  const model = await createModel(maker.client, own)
  const { rows } = await installation.database.pool.query(
    `SELECT model.id, app_id, model.space_id FROM model JOIN app ON app.id = app_id WHERE app.uid = $1 AND model.uid = $2`,
    [own.uid, model.uid],
  )
  const [row] = rows
  app = { url: own.url, id: row.app_id }
  modelId = row.id
  spaceId = row.space_id
})
afterAll(() => installation?.close())

async function makeRole(...rights: string[]) {
  return ok(await owner.client.post(`${space.url}/role`, { data: { name: unique('役'), rights } })).role
}

/** Adds a migration of the maker into their app, in this state. Returns its id. */
async function move(state: string): Promise<string> {
  const id = await addMove(installation, space.uid, maker.id)
  const { pool } = installation.database
  await pool.query('UPDATE move SET state = $2, app_id = $3 WHERE id = $1', [id, state, app.id])
  return id
}

async function insert(table: string, values: Record<string, unknown>): Promise<void> {
  const names = Object.keys(values)
  const places = names.map((_, index) => `$${index + 1}`)
  const text = `INSERT INTO ${table} (${names}) VALUES (${places})`
  await installation.database.pool.query(text, Object.values(values))
}

async function makeExport(of: number | null): Promise<object> {
  const id = newId()
  const options = JSON.stringify({ format: 'archive', assets: true, revisions: false })
  await insert('app_export', { space_id: spaceId, app_id: of, id, event_id: 0, options, file_name: 'a.zip' })
  return { exportId: id }
}

let templateVersions = 0

/**
 * The payloads of the tested kinds of jobs. `lost`: whether tests remove the maker's rights in the app or in the space.
 */
const kinds: Record<string, { payload(): Promise<object>; lost: 'app' | 'space' }> = {
  'moves.check': { payload: async () => ({ moveId: await move('checking') }), lost: 'app' },
  'moves.import': { payload: async () => ({ moveId: await move('importing') }), lost: 'app' },
  'moves.undo': { payload: async () => ({ moveId: await move('undoing') }), lost: 'app' },
  'appExports.write': { payload: () => makeExport(app.id), lost: 'app' },
  'models.convert': { payload: async () => ({ appId: app.id, modelId }), lost: 'app' },
  'templates.fill': {
    payload: async () => ({
      carryId: newId(),
      appId: app.id,
      requestedBy: maker.id,
      source: { kind: 'app', appId: app.id },
    }),
    lost: 'app',
  },
  'templates.save': {
    payload: async () => {
      const id = newId()
      const version = ++templateVersions
      const row = { space_id: spaceId, id, version, app_id: app.id, name: 'x', description: '' }
      await insert('app_template', { ...row, has_documents: false })
      return { id, version, requestedBy: maker.id }
    },
    lost: 'app',
  },
  'assets.moveFiles': { payload: async () => ({ spaceId }), lost: 'space' },
  'secondFactor.mailReset': {
    payload: async () => ({ accountId: maker.id, asker: 'x', space: 'x' }),
    lost: 'space',
  },
}

/** Adds a waiting job, requested by the maker unless `requestedBy` is set. Returns its URL. */
async function waiting(
  name: string,
  payload: object,
  requestedBy: string | null = maker.id,
): Promise<string> {
  const job = jobs.find((one) => one.name === name)
  if (!job) throw new Error(`no job is called ${name}`)
  const options = { scope: spaceScope(spaceId), requestedBy }
  return `${space.url}/job/${await enqueue(installation.database.kysely, job, payload, options)}`
}

async function stopped(name: string, payload: object): Promise<string> {
  const url = await waiting(name, payload)
  const { pool } = installation.database
  await pool.query(`UPDATE job SET state = 'stopped', finished_at = now() WHERE id = $1`, [idIn(url)])
  return url
}

const idIn = (url: string) => url.slice(url.lastIndexOf('/') + 1)

const inApp = (roleId: string) => owner.client.patch(`${app.url}/member/${maker.memberId}`, { roleId })
const inSpace = (rights: string[]) => owner.client.put(roleUrl, { data: { rights } })

describe('a stopped job', () => {
  for (const [name, { payload, lost }] of Object.entries(kinds)) {
    it(`of the kind ${name} can be run again only by members who may request it`, async () => {
      const url = await stopped(name, await payload())
      if (lost === 'app') ok(await inApp('app-Editor'))
      else ok(await inSpace(['space.view']))
      const seen = ok(await maker.client.get(`${space.url}/job?id=${idIn(url)}`))
      expect(seen.jobs).toMatchObject([{ state: 'stopped' }])
      for (const { client } of [maker, caretaker]) {
        const answer = await client.post(`${url}/retry`)
        expect([answer.status, answer.body.code]).toEqual([403, 'Forbidden'])
      }
      if (lost === 'app') ok(await inApp('app-Admin'))
      else ok(await inSpace(held))
      expect(ok(await maker.client.post(`${url}/retry`)).job.state).toBe('waiting')
    })
  }

  it('that exports all apps can be run again only with the right app.manage in the role of the space', async () => {
    const url = await stopped('appExports.write', await makeExport(null))
    for (const rights of [held, [...held, 'document.read']]) {
      ok(await inSpace(rights))
      expect((await maker.client.post(`${url}/retry`)).status).toBe(403)
    }
    ok(await inSpace([...held, 'document.read', 'app.manage']))
    expect(ok(await maker.client.post(`${url}/retry`)).job.state).toBe('waiting')
    ok(await inSpace(held))
  })

  it('that imports a migration requires asset rights to be run again', async () => {
    const url = await stopped('moves.import', { moveId: await move('importing') })
    ok(await inSpace(held.filter((right) => !right.startsWith('asset.'))))
    expect((await maker.client.post(`${url}/retry`)).status).toBe(403)
    ok(await inSpace(held))
    expect(ok(await maker.client.post(`${url}/retry`)).job.state).toBe('waiting')
  })
})

describe('a waiting job', () => {
  for (const [name, { payload, lost }] of Object.entries(kinds)) {
    it(`of the kind ${name} can be cancelled by the owner, and (except moves.*) by a requester who lost rights`, async () => {
      const url = await waiting(name, await payload())
      const refused = await caretaker.client.post(`${url}/cancel`)
      expect([refused.status, refused.body.code]).toEqual([403, 'Forbidden'])
      expect(ok(await owner.client.post(`${url}/cancel`)).job.state).toBe('cancelled')
      // Members may cancel their own jobs. Only migrations require more rights, like the endpoint that cancels a
      // migration.
      const own = await waiting(name, await payload())
      if (lost === 'app') ok(await inApp('app-Editor'))
      else ok(await inSpace(['space.view']))
      const answer = await maker.client.post(`${own}/cancel`)
      expect(answer.status).toBe(name.startsWith('moves.') ? 403 : 200)
      if (lost === 'app') ok(await inApp('app-Admin'))
      else ok(await inSpace(held))
      if (answer.status === 403) ok(await maker.client.post(`${own}/cancel`))
    })
  }

  for (const [name, payload, right] of [
    ['webhooks.deliver', () => ({ spaceId }), 'webhook.manage'],
    ['security.endTrial', () => ({}), 'security.manage'],
    ['mail.send', () => ({ sealed: 'x' }), 'member.manage'],
    ['mail.sendBulk', () => ({ sealed: 'x' }), 'form.manage'],
  ] as const) {
    it(`of the kind ${name} without a requester requires ${right} to be cancelled or run again`, async () => {
      const url = await waiting(name, payload(), null)
      for (const act of ['cancel', 'retry'])
        expect((await caretaker.client.post(`${url}/${act}`)).status).toBe(403)
      const { uid } = await makeRole(
        'space.view',
        'space.update',
        right,
        ...(presupposed[right as Right] ?? []),
      )
      const { client } = await createMember(installation, space, uid)
      expect(ok(await client.post(`${url}/cancel`)).job.state).toBe('cancelled')
      expect(ok(await client.post(`${url}/retry`)).job.state).toBe('waiting')
    })
  }

  it('of an import into an app is cancelled by a requester who may manage the app', async () => {
    const moveId = await move('importing')
    await installation.database.pool.query(`UPDATE move SET kind = 'import' WHERE id = $1`, [moveId])
    const url = await waiting('moves.import', { moveId })
    expect((await caretaker.client.post(`${url}/cancel`)).status).toBe(403)
    expect(ok(await maker.client.post(`${url}/cancel`)).job.state).toBe('cancelled')
  })
})

it('every kind of job except the listed ones defines a check of the right to run it again', () => {
  // `templates.cleanUp` needs no check although it is also enqueued in spaces: it may run at any time.
  const unchecked = defineJob({
    name: 'x',
    payload: z.object({}),
    handler: async () => {},
  }).requireMayRunAgain
  const names = jobs.filter((job) => job.requireMayRunAgain === unchecked).map(({ name }) => name)
  expect(names.toSorted()).toEqual([
    'accountSecurity.forgotPassword',
    'accounts.cleanUp',
    'accounts.mailSignup',
    'appExports.cleanUp',
    'assets.cleanUp',
    'auditLog.release',
    'auditLog.seal',
    'documents.purgeTrash',
    'externalStorage.cleanUp',
    'fieldIndexes.make',
    'forms.purge',
    'jobs.cleanUp',
    'mail.cleanUp',
    'models.purgeKept',
    'models.renewTexts',
    'moves.cleanUp',
    'spaces.purgeDeleted',
    'sso.cleanUp',
    'templates.cleanUp',
    'usage.cleanUp',
    'webhooks.cleanUp',
  ])
})
