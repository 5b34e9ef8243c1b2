import { readdir } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { type Endpoints, endpoints } from '#shared/contract/index.ts'
import { createAccount } from './factories.ts'
import {
  bodies,
  type Fixture,
  giveIcon,
  invitePeople,
  makeFixture,
  type People,
  pathOf,
  refusedForContent,
} from './matrix-fixture.ts'
import { type Surrounded, startSurrounded } from './matrix-outside.ts'
import type { TestInstallation } from './server.ts'
import { commonOf, type Sent, section, tellStatements } from './told-statements.ts'

/*
 * What every endpoint asks of PostgreSQL, kept beside its feature (`<feature>.statements.sql`) and counted in
 * statement-counts.json, so that a change of either is seen in a review. What all of them share is a line there (`-- audit: app.create`)
 * and stands in full in http/endpoints.statements.sql. To accept a change:
 * npx vitest run --project server test/statements.test.ts -u
 */

type Name = keyof Endpoints

const contract = new URL('../src/shared/contract/', import.meta.url)
const methodOf = ({ route }: Endpoint) => route.split(' ')[0] as 'GET' | 'POST'

/** The call that makes another one do something: what is to be restored lies in the trash. */
const before: Partial<Record<Name, Name>> = {
  bulkRestore: 'bulkDelete',
  bulkUnpublish: 'bulkPublish',
  joinApp: 'leaveApp',
  listTrash: 'bulkDelete',
  resetCustomOrder: 'updateCustomOrder',
  retryInstallationJob: 'cancelInstallationJob',
  retryJob: 'cancelJob',
}

let surrounded: Surrounded
let installation: TestInstallation
let people: People
/** Of the present call. */
let recorded: Sent[] = []
/** By endpoint, as they were sent. */
const statements = new Map<Name, Sent[]>()
/** Of calls that are refused for want of a right, in an app and in a space: what the edge asks before any handler. */
let edgeOfApps: Sent[]
let edgeOfSpaces: Sent[]
/** The same where what the caller may do has been asked before. */
let edgeFromMemory: Sent[]
let common: Map<string, string>

/** Writes down the statements of the management API's pool; they run as ever. What listens and waits has no part in it. */
function recordStatements(pool: pg.Pool): void {
  const ofPool = new WeakSet<object>()
  pool.on('acquire', (client) => ofPool.add(client))
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: object, ...args: unknown[]) {
    const [statement, values] = args as [string | Partial<Sent>, unknown]
    const { text = '', values: own = [] } = typeof statement === 'string' ? { text: statement } : statement
    if (ofPool.has(this)) recorded.push({ text, values: Array.isArray(values) ? values : own })
    return query.apply(this, args)
  } as typeof pg.Client.prototype.query)
}

beforeAll(async () => {
  surrounded = await startSurrounded()
  installation = surrounded.installation
  recordStatements(installation.database.pool)
  people = await invitePeople(installation, surrounded.fileUrl, surrounded.bucket)
  for (const name of Object.keys(endpoints) as Name[]) statements.set(name, await recordCall(name))
  // People who have just signed in: older sessions are noted as seen now and then.
  people = await invitePeople(installation, surrounded.fileUrl, surrounded.bucket)
  const fixture = await makeFixture(installation, people)
  const refusal = async ({ route }: Endpoint) => {
    recorded = []
    const refused = await people.clients['app-Subscriber'].delete(pathOf(route, fixture, ''))
    expect(refused.status).toBe(403)
    const found = recorded.filter(({ text }) => text !== 'rollback')
    recorded = []
    return found
  }
  edgeOfApps = await refusal(endpoints.deleteApp)
  edgeOfSpaces = await refusal(endpoints.deleteSpace)
  edgeFromMemory = await refusal(endpoints.deleteApp)
  common = commonOf([...edges(), ...[...statements.values()].flat()])
  // On a busy machine, one call after the other for each endpoint takes a while.
})
afterAll(async () => {
  vi.restoreAllMocks()
  await surrounded?.close()
})

/** The statements of one call, by who may make it, in a space of its own. */
async function recordCall(name: Name): Promise<Sent[]> {
  const isAdmin = endpoints[name].permission === 'admin'
  const owner = await createAccount(installation, { isAdmin })
  await giveIcon(installation, owner)
  const fixture: Fixture = await makeFixture(
    installation,
    { ...people, owner },
    { asker: owner, reading: true },
  )
  const call = (one: Name) => {
    const { route }: Endpoint = endpoints[one]
    return owner.client.send(
      methodOf(endpoints[one]),
      pathOf(route, fixture, owner.id),
      bodies[one]?.(fixture, owner),
    )
  }
  const preparation = before[name]
  if (preparation) expect([preparation, (await call(preparation)).status]).toEqual([preparation, 200])
  // What somebody may do is remembered from one request to the next.
  const space = `/api/project/${fixture.p}`
  for (const place of [space, `${space}/app/${fixture.a}`]) await owner.client.get(place)
  recorded = []
  const answer = await call(name)
  const found = recorded
  recorded = []
  const refusal = refusedForContent[name]
  if (refusal) expect([name, answer.body.code]).toEqual([name, refusal])
  else expect([name, answer.status, answer.text]).toEqual([name, 200, expect.any(String)])
  return found
}

/** What an endpoint asks itself: without what the edge asks before it, and the end of the edge's transaction. */
function withoutEdge(name: Name): Sent[] {
  const own = [...(statements.get(name) ?? [])]
  const ofTheEdge = new Set(edges().map(({ text }) => text))
  while (own[0] !== undefined && ofTheEdge.has(own[0].text)) own.shift()
  if (endpoints[name].route.includes('{p}') && own.at(-1)?.text === 'commit') own.pop()
  return own
}

const edges = () => [...edgeOfApps, ...edgeOfSpaces, ...edgeFromMemory]

it('are counted for every endpoint', async () => {
  const counts = Object.fromEntries([...statements].map(([name, list]) => [name, list.length]))
  expect(Object.keys(counts)).toEqual(Object.keys(endpoints))
  await expect(`${JSON.stringify(counts, null, 2)}\n`).toMatchFileSnapshot('statement-counts.json')
})

it('of the edge are those that are kept', async () => {
  const text = [
    ...[...common].map(([name, statement]) => section(`Told elsewhere as: ${name}`, [`${statement};`])),
    tellStatements(
      [
        {
          title:
            'Before every endpoint of an app; the last where it is refused, the first for one of an account',
          sent: edgeOfApps,
        },
        { title: 'Before every endpoint of a space', sent: edgeOfSpaces },
        { title: 'Before either, where what the caller may do is remembered', sent: edgeFromMemory },
      ],
      common,
    ),
  ].join('\n\n')
  await expect(`${text}\n`).toMatchFileSnapshot('../src/server/http/endpoints.statements.sql')
})

it('of the endpoints are those that are kept beside their features', async () => {
  const byFeature = new Map<string, Name[]>()
  for (const file of (await readdir(contract)).filter((name) => name.endsWith('.ts'))) {
    const parts: Record<string, unknown> = await import(new URL(file, contract).href)
    const [own] = Object.entries(parts).filter(([name]) => name.endsWith('Endpoints') && name !== 'endpoints')
    if (!own) continue
    // A feature may have its endpoints in several files of the contract: moves.ts, move-imports.ts.
    const feature = file.replace('.ts', '').replace(/^move-.*/, 'moves')
    byFeature.set(feature, [...(byFeature.get(feature) ?? []), ...(Object.keys(own[1] as object) as Name[])])
  }
  for (const [feature, names] of byFeature) {
    const text = tellStatements(
      names.map((name) => ({ title: `${name}: ${endpoints[name].route}`, sent: withoutEdge(name) })),
      common,
    )
    await expect(`${text}\n`).toMatchFileSnapshot(
      `../src/server/features/${feature}/${feature}.statements.sql`,
    )
  }
  expect([...byFeature.values()].flat()).toHaveLength(Object.keys(endpoints).length)
})
