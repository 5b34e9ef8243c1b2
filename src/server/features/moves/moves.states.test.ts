import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openArchive } from '#archive/source.ts'
import type { MovePlan, PlannedState } from '#shared/contract/move-plans.ts'
import type { PublicationChoice } from '#shared/publication-states.ts'
import { createAccount, createApp, createSpace, type TestAccount, unique } from '#test/factories.ts'
import { newtClientFor } from '#test/newt-client.ts'
import { runNow, runWaiting } from '#test/run-now.ts'
import { formOf, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { picture, tarred, zipped } from '#test/source-fixtures.ts'
import { StateChoices } from './archive/state-choices.ts'
import { checkMoveJob, cleanUpMovesJob, importMoveJob } from './moves.jobs.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
/** A site that serves the list `site.list`. */
let site: { server: Server; origin: string; list: string }
beforeAll(async () => {
  const server = createServer((_request, response) => response.end(site.list)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  site = { server, origin, list: '' }
  installation = await startInstallation({ IMORI_IMPORT_ORIGINS: origin })
  admin = await createAccount(installation)
})
afterAll(async () => {
  site?.server.close()
  await installation?.close()
})
beforeEach(async () => {
  space = await createSpace(admin.client)
})

const type = 'application/octet-stream'
const moveUrl = (id: string, rest = '') => `${space.url}/move/${id}${rest}`
const get = async (id: string) => ok(await admin.client.get(moveUrl(id))).move

/** Uploads a file as a new app, and checks it. */
async function planNew(fileName: string, bytes: Buffer): Promise<{ id: string; plan: MovePlan }> {
  const { client } = admin
  const { move } = ok(await client.post(`${space.url}/move`, { data: { fileName, fileSize: bytes.length } }))
  const { url, headers } = ok(await client.get(moveUrl(move._id, '/signedUrl')))
  const sent = await installation.server.inject({ method: 'PUT', url, headers, payload: bytes })
  expect(sent.statusCode).toBe(204)
  ok(await client.post(moveUrl(move._id, '/signedUrl')))
  await runWaiting(installation, checkMoveJob)
  expect(await get(move._id)).toMatchObject({ state: 'planned', refusal: null })
  return { id: move._id, plan: ok(await client.get(moveUrl(move._id, '/plan'))).plan }
}

function correctionsOf(plan: MovePlan, choices: Record<string, PublicationChoice>) {
  const { app, models, customTypes } = structuredClone(plan)
  for (const { states = [] } of models)
    for (const state of states) state.choice = choices[state.statement || state.state] ?? state.choice
  return { app: { ...app, uid: unique('app') }, models, customTypes }
}

async function importNew(id: string, data: object): Promise<string> {
  ok(await admin.client.put(moveUrl(id, '/plan'), { data }))
  ok(await admin.client.post(moveUrl(id, '/start')))
  await runWaiting(installation, importMoveJob)
  expect(await get(id)).toMatchObject({ state: 'imported' })
  const { apps } = ok(await admin.client.get(`${space.url}/app`))
  return `${space.url}/app/${apps[0].uid}`
}

/** Returns the statuses of the documents of a model by title. */
async function statusesOf(app: string, model: string): Promise<Record<string, string>> {
  const { documents } = ok(await admin.client.get(`${app}/model/${model}/doc?limit=100`))
  return Object.fromEntries(
    documents.map(({ title, _sys }: { title: string; _sys: { status: string } }) => [title, _sys.status]),
  )
}

/** Returns the titles of the documents of a model that sites receive. */
async function deliveredFrom(app: string, model: string): Promise<string[]> {
  const { token } = ok(await admin.client.post(`${space.url}/cdnToken`, { data: { name: 'cdn' } })).cdnToken
  const newt = newtClientFor(installation, { spaceUid: space.uid, token })
  const { items } = await newt.getContents<{ title: string }>({
    appUid: app.split('/').at(-1) ?? '',
    modelUid: model,
  })
  return items.map(({ title }) => title).sort()
}

const shownStates = (states: readonly PlannedState[] = []) =>
  states.map(({ statement, count, examples, choice }) => [statement, count, examples, choice])

const table = Buffer.from(
  [
    'title,status',
    'Public,published',
    'Not yet,draft',
    'Old,archived',
    'Odd,on sale',
    'Odder,on sale',
    'Gone,trash',
    'Silent,',
    '',
  ].join('\n'),
)

describe('an import as a new app', () => {
  it('by default publishes only contents that the source calls published, and counts contents by state', async () => {
    const { id, plan } = await planNew('goods.csv', table)
    const [model] = plan.models
    expect(shownStates(model?.states)).toEqual([
      ['status: published', 1, ['Public'], 'publish'],
      ['status: on sale', 2, ['Odd', 'Odder'], 'draft'],
      ['', 1, ['Silent'], 'draft'],
      ['status: draft', 1, ['Not yet'], 'draft'],
      ['status: archived', 1, ['Old'], 'draft'],
      ['status: trash', 1, ['Gone'], 'leaveOut'],
    ])
    expect(model?.documents).toEqual({ draft: 5, published: 1, changed: 0, unpublished: 0 })
    expect(plan.counts.documents).toBe(6)
    const app = await importNew(id, correctionsOf(plan, {}))
    expect((await get(id)).report).toMatchObject({
      documents: 6,
      statuses: { published: 1, draft: 5, leftOut: 1 },
    })
    expect(await statusesOf(app, 'goods')).toEqual({
      Public: 'published',
      'Not yet': 'draft',
      Old: 'draft',
      Odd: 'draft',
      Odder: 'draft',
      Silent: 'draft',
    })
  })

  it('does not publish a draft that exists only as a copy inside a published content', async () => {
    const author = {
      _id: 'a'.repeat(24),
      _sys: { raw: { publishedAt: '2020-01-01T00:00:00.000Z' } },
      title: 'Not yet',
      status: 'draft',
    }
    const list = [{ id: 1, title: 'Public', status: 'published', author }]
    const { id, plan } = await planNew('posts.json', Buffer.from(JSON.stringify(list)))
    expect(plan.models.map(({ uid, documents }) => [uid, documents.draft, documents.published])).toEqual([
      ['posts', 0, 1],
      ['author', 1, 0],
    ])
    const app = await importNew(id, { ...correctionsOf(plan, {}), confirmed: true })
    expect(await deliveredFrom(app, 'posts')).toEqual(['Public'])
    expect(await deliveredFrom(app, 'author')).toEqual([])
  })

  it('applies choices to states with NUL, lone surrogates or overlong keys', async () => {
    const list = [
      { title: 'a', status: 'x\u0000y' },
      { title: 'b', [`status${'_'.repeat(300)}`]: 'p\ud800' },
      { title: 'c', status: 'published' },
      { title: 'd', _sys: { state: 'published status: published' }, status: 'draft' },
    ]
    const bytes = Buffer.from(JSON.stringify(list).replace('"d"', '"d","__proto__":{"status":"published"}'))
    const { id, plan } = await planNew('posts.json', bytes)
    const states = plan.models[0]?.states ?? []
    expect(states.map(({ state, examples }) => [state, examples])).toEqual([
      ['published', ['c']],
      ['unknown', ['a']],
      ['unknown', ['b']],
      ['draft', ['d']],
    ])
    const [, a, b] = states
    const choices = { [a?.statement ?? '']: 'leaveOut', [b?.statement ?? '']: 'publish' } as const
    const app = await importNew(id, { ...correctionsOf(plan, choices), confirmed: true })
    expect(await statusesOf(app, 'posts')).toEqual({ b: 'published', c: 'published', d: 'draft' })
  })

  it('publishes and leaves out contents as the user chose', async () => {
    const { id, plan } = await planNew('goods.csv', table)
    const data = correctionsOf(plan, {
      'status: on sale': 'publish',
      'status: archived': 'leaveOut',
      'status: trash': 'draft',
    })
    const corrected = ok(await admin.client.put(moveUrl(id, '/plan'), { data })).plan as MovePlan
    expect(corrected.models[0]?.documents).toEqual({ draft: 3, published: 3, changed: 0, unpublished: 0 })
    expect(corrected.counts.documents).toBe(6)
    const app = await importNew(id, data)
    expect(await statusesOf(app, 'goods')).toEqual({
      Public: 'published',
      'Not yet': 'draft',
      Odd: 'published',
      Odder: 'published',
      Gone: 'draft',
      Silent: 'draft',
    })
    expect(await deliveredFrom(app, 'goods')).toEqual(['Odd', 'Odder', 'Public'])
  })

  it('rejects choices for unknown states', async () => {
    const { id, plan } = await planNew('goods.csv', table)
    const data = correctionsOf(plan, {})
    const [state] = data.models[0]?.states ?? []
    if (!state) throw new Error('no states')
    state.key = 'other'
    expect(await admin.client.put(moveUrl(id, '/plan'), { data })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'data.models.0.states.0.key', code: 'InvalidValue' }] },
    })
    Object.assign(state, { choice: 'hide' })
    expect((await admin.client.put(moveUrl(id, '/plan'), { data })).status).toBe(400)
  })

  it('leaves out files that are used only by contents that are left out', async () => {
    const files = new Map([
      ['notes/a.md', Buffer.from('---\ntitle: A\npublished: true\n---\n![](a.png)\n')],
      ['notes/.trash/b.md', Buffer.from('---\ntitle: B\n---\n![](b.png) ![](../a.png)\n')],
      ['notes/a.png', await picture()],
      ['notes/.trash/b.png', await picture()],
    ])
    const { id, plan } = await planNew('notes.zip', await zipped(files))
    const app = await importNew(id, correctionsOf(plan, {}))
    expect(
      Object.assign({}, ...(await Promise.all(plan.models.map(({ uid }) => statusesOf(app, uid))))),
    ).toEqual({
      A: 'published',
    })
    const { assets } = ok(await admin.client.get(`${space.url}/assets`))
    expect(assets.map(({ fileName }: { fileName: string }) => fileName)).toEqual(['a.png'])
  })

  it('publishes the published state of a content with a newer draft', async () => {
    const lines = [
      { _id: 'p1', _type: 'post', _rev: '1', title: 'Old words' },
      { _id: 'drafts.p1', _type: 'post', _rev: '2', title: 'New words' },
      { _id: 'drafts.p2', _type: 'post', _rev: '3', title: 'Not yet' },
      { _id: 'p3', _type: 'post', _rev: '4', title: 'Plain' },
    ].map((line) =>
      JSON.stringify({ ...line, _createdAt: '2025-01-01T00:00:00Z', _updatedAt: '2025-01-01T00:00:00Z' }),
    )
    const { id, plan } = await planNew('data.ndjson', Buffer.from(lines.join('\n')))
    expect(plan.source.kind).toBe('sanity')
    expect(plan.models[0]?.documents).toEqual({ draft: 1, published: 1, changed: 1, unpublished: 0 })
    const app = await importNew(id, correctionsOf(plan, {}))
    expect(await statusesOf(app, 'post')).toEqual({
      'New words': 'changed',
      'Not yet': 'draft',
      Plain: 'published',
    })
    expect(await deliveredFrom(app, 'post')).toEqual(['Old words', 'Plain'])
  })

  it('of a file in an unknown format cannot be started before the user confirms its contents', async () => {
    const { id, plan } = await planNew('x.json', Buffer.from('[{"title":"a","published":true}]'))
    expect(plan.confirmed).toBe(false)
    expect(await admin.client.post(moveUrl(id, '/start'))).toMatchObject({
      status: 409,
      body: { code: 'MovePlanHasProblems', problem: 'unconfirmedSource' },
    })
    const app = await importNew(id, { ...correctionsOf(plan, {}), confirmed: true })
    expect(await statusesOf(app, 'x')).toEqual({ a: 'published' })
  })

  it('lists the private fields and accounts it leaves out, and stores their values in no document or plan', async () => {
    const schema = {
      uid: 'api::page.page',
      kind: 'collectionType',
      attributes: { title: { type: 'string' }, note: { type: 'string', private: true } },
    }
    const lines = (...values: unknown[]) =>
      Buffer.from(values.map((value) => JSON.stringify(value)).join('\n'))
    const { id, plan } = await planNew(
      'x.tar.gz',
      await tarred(
        new Map([
          ['schemas/schemas_1.jsonl', lines(schema)],
          [
            'entities/entities_1.jsonl',
            lines(
              { type: 'api::page.page', id: 1, data: { title: 'a', note: 'KEPT-SECRET' } },
              { type: 'admin::user', id: 1, data: { email: 'KEPT-SECRET@example.com' } },
            ),
          ],
        ]),
      ),
    )
    expect(plan.leftOut).toEqual([
      { kind: 'private', name: 'page.note', count: 1 },
      { kind: 'account', name: 'admin::user', count: 1 },
    ])
    await importNew(id, correctionsOf(plan, {}))
    const { rows } = await installation.database.pool.query(
      `SELECT (SELECT count(*) FROM document WHERE document::text LIKE '%KEPT-SECRET%')::int AS documents,
              (SELECT count(*) FROM move WHERE move::text LIKE '%KEPT-SECRET%')::int AS moves`,
    )
    expect(rows).toEqual([{ documents: 0, moves: 0 }])
  })
})

describe('an import into an app', () => {
  let app: { uid: string; url: string }
  beforeEach(async () => {
    app = await createApp(admin.client, space)
  })
  const importUrl = (id: string, rest = '') => `${app.url}/import/${id}${rest}`
  const changesOf = async (id: string) => ok(await admin.client.get(importUrl(id, '/changes')))
  const stateOf = async (id: string) => ok(await admin.client.get(importUrl(id))).move.state
  async function plan(name: string, bytes: Buffer): Promise<string> {
    const { move } = ok(await admin.client.post(`${app.url}/planImport`, formOf({ name, type, bytes })))
    await runWaiting(installation, checkMoveJob)
    expect(await stateOf(move._id)).toBe('planned')
    return move._id
  }
  async function start(id: string) {
    ok(await admin.client.post(importUrl(id, '/start')))
    await runWaiting(installation, importMoveJob)
    expect(await stateOf(id)).toBe('accepted')
  }
  const choose = (id: string, data: object) => admin.client.put(importUrl(id, '/changes'), { data })

  it('is checked again after the user has made choices for publication states', async () => {
    const id = await plan('goods.csv', table)
    const { states } = await changesOf(id)
    expect(states).toMatchObject([{ from: 'goods', states: { length: 6 } }])
    const keyOf = (statement: string) =>
      states[0].states.find((state: PlannedState) => state.statement === statement).key
    const chosen = [
      { from: 'goods', key: keyOf('status: on sale'), choice: 'publish' },
      { from: 'goods', key: keyOf('status: archived'), choice: 'leaveOut' },
    ]
    ok(await choose(id, { states: chosen }))
    expect(await stateOf(id)).toBe('checking')
    await runWaiting(installation, checkMoveJob)
    const again = await changesOf(id)
    expect(shownStates(again.states[0].states)).toContainEqual([
      'status: on sale',
      2,
      ['Odd', 'Odder'],
      'publish',
    ])
    expect(again.changes.counts.documents).toBe(5)
    await start(id)
    expect(await statusesOf(app.url, 'goods')).toEqual({
      Public: 'published',
      'Not yet': 'draft',
      Odd: 'published',
      Odder: 'published',
      Silent: 'draft',
    })
  })

  it('deletes its upload when it is refused or converted, and its archive when the import is deleted', async () => {
    const { dataDir } = installation.deps.services.config
    const filesOf = async (id: string) =>
      (await readdir(dataDir, { recursive: true })).filter((path) => path.includes(id))
    const check = async (name: string, text: string) => {
      const body = formOf({ name, type, bytes: Buffer.from(text) })
      const { move } = ok(await admin.client.post(`${app.url}/planImport`, body))
      await runWaiting(installation, checkMoveJob)
      return move._id
    }
    const refused = await check('x.bin', 'KEPT-SECRET')
    expect(await filesOf(refused)).toEqual([])
    const broken = await check('x.json', '{"db":[{"data":{"users":[{"email":"KEPT-SECRET"}')
    expect(await filesOf(broken)).toEqual([])
    const converted = await check('x.csv', 'title,password\na,KEPT-SECRET\n')
    const [archive = '', ...others] = await filesOf(converted)
    expect(others).toEqual([])
    const source = await openArchive(join(dataDir, archive))
    const chunks: Uint8Array[] = []
    for await (const path of source.list())
      for await (const chunk of source.read(path, 1_000_000)) chunks.push(chunk)
    source.close()
    expect(Buffer.concat(chunks).toString()).not.toContain('KEPT-SECRET')
    ok(await admin.client.delete(importUrl(converted)))
    expect(await filesOf(converted)).toEqual([])
  })

  it('keeps the file of an unfinished check for 30 days', async () => {
    const { dataDir } = installation.deps.services.config
    const id = await plan('x.csv', Buffer.from('title,text\na,b\n'))
    const isThere = async () =>
      (await readdir(dataDir, { recursive: true })).some((path) => path.includes(id))
    const age = (days: number) =>
      installation.database.pool.query(
        `UPDATE move SET state = 'checking', created_at = now() - make_interval(days => $2) WHERE id = $1`,
        [id, days],
      )
    await age(29)
    expect(await runNow(installation, cleanUpMovesJob)).toBe('done')
    expect(await isThere()).toBe(true)
    await age(31)
    expect(await runNow(installation, cleanUpMovesJob)).toBe('done')
    expect(await isThere()).toBe(false)
  })

  it('stays planned for another choice if all contents would be left out', async () => {
    await start(await plan('goods.csv', Buffer.from('title,status\na,published\n')))
    const id = await plan('goods.csv', Buffer.from('title,status\na,trash\nb,trash\n'))
    const [{ states }] = (await changesOf(id)).states
    ok(await choose(id, { states: [{ from: 'goods', key: states[0].key, choice: 'draft' }] }))
    await runWaiting(installation, checkMoveJob)
    await start(id)
    expect(await statusesOf(app.url, 'goods')).toEqual({ a: 'published', b: 'draft' })
  })

  it('accepts either a choice or the start when both are requested concurrently', async () => {
    const id = await plan('goods.csv', table)
    const [{ states }] = (await changesOf(id)).states
    const state = states.find(({ statement }: PlannedState) => statement === 'status: published')
    const begin = () => admin.client.post(importUrl(id, '/start'))
    const answers = await Promise.all([
      choose(id, { states: [{ from: 'goods', key: state.key, choice: 'draft' }] }),
      begin(),
      begin(),
    ])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const isChosen = answers[0].status === 200
    await runWaiting(installation, checkMoveJob)
    if (isChosen) await start(id)
    else await runWaiting(installation, importMoveJob)
    expect((await statusesOf(app.url, 'goods')).Public).toBe(isChosen ? 'draft' : 'published')
  })

  it('rejects choices for unknown states, and a confirmation after its completion', async () => {
    const id = await plan('goods.csv', table)
    const unknown = { states: [{ from: 'goods', key: 'none', choice: 'draft' }] }
    expect((await choose(id, unknown)).status).toBe(400)
    await start(id)
    expect((await choose(id, { confirmed: true })).status).toBe(409)
  })

  it('by default keeps a document published if its state in a newer CSV file is unknown', async () => {
    await start(await plan('goods.csv', Buffer.from('title,status\na,published\n')))
    const id = await plan('goods.csv', Buffer.from('title,status\na,gone fishing\n'))
    const { counts } = await changesOf(id)
    expect(counts).toMatchObject([{ kind: 'both', takes: false, count: 1 }])
    await start(id)
    expect(await statusesOf(app.url, 'goods')).toEqual({ a: 'published' })
  })

  it('does not start before the user confirms its contents if the file is in an unknown format', async () => {
    const id = await plan('x.json', Buffer.from('[{"title":"a","published":true}]'))
    const { confirmed, problems } = await changesOf(id)
    expect(confirmed).toBe(false)
    expect(problems).toMatchObject([{ code: 'unconfirmedSource' }])
    expect((await admin.client.post(importUrl(id, '/start'))).status).toBe(409)
    ok(await choose(id, { confirmed: true }))
    await start(id)
    expect(await statusesOf(app.url, 'x')).toEqual({ a: 'published' })
  })

  it('from a URL waits for the confirmation of a file in an unknown format', async () => {
    site.list = '[{"title":"a","published":true}]'
    const { move } = ok(await admin.client.post(`${app.url}/import`, { importUrl: `${site.origin}/x.json` }))
    await runWaiting(installation, checkMoveJob)
    await runWaiting(installation, importMoveJob)
    expect(await stateOf(move._id)).toBe('planned')
  })
})

describe('StateChoices', () => {
  it("returns draft for states without a choice, and no choice for contents of Newt's API", () => {
    expect(new StateChoices('csv', []).choiceFor('a', { state: null })).toBe('draft')
    expect(new StateChoices('csv', []).choiceFor('a', { state: 'published' })).toBe('draft')
    expect(new StateChoices('newt', []).choiceFor('a', { state: null })).toBeUndefined()
  })
})
