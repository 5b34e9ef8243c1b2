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
import { readableStatement } from './readable-statement.ts'
import type { TestInstallation } from './server.ts'

/*
 * What every endpoint asks of PostgreSQL, kept beside its feature (`<feature>.statements.sql`) and counted in
 * statement-counts.json, so that a change of either is seen in a review. To accept one:
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
let recorded: string[] = []
/** By endpoint, as they were sent. */
const statements = new Map<Name, string[]>()
/** Of calls that are refused for want of a right, in an app and in a space: what the edge asks before any handler. */
let edgeOfApps: string[]
let edgeOfSpaces: string[]
/** The same where what the caller may do has been asked before. */
let edgeFromMemory: string[]

/** Writes down the statements of the management API's pool; they run as ever. What listens and waits has no part in it. */
function recordStatements(pool: pg.Pool): void {
  const ofPool = new WeakSet<object>()
  pool.on('acquire', (client) => ofPool.add(client))
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: object, ...args: unknown[]) {
    const [statement] = args as [string | { text: string }]
    if (ofPool.has(this)) recorded.push(typeof statement === 'string' ? statement : statement.text)
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
    const found = recorded.filter((statement) => statement !== 'rollback')
    recorded = []
    return found
  }
  edgeOfApps = await refusal(endpoints.deleteApp)
  edgeOfSpaces = await refusal(endpoints.deleteSpace)
  edgeFromMemory = await refusal(endpoints.deleteApp)
  // On a busy machine, one call after the other for each endpoint takes a while.
})
afterAll(async () => {
  vi.restoreAllMocks()
  await surrounded?.close()
})

/** The statements of one call, by who may make it, in a space of its own. */
async function recordCall(name: Name): Promise<string[]> {
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
function withoutEdge(name: Name): string[] {
  const own = [...(statements.get(name) ?? [])]
  const ofTheEdge = new Set([...edgeOfApps, ...edgeOfSpaces, ...edgeFromMemory])
  while (own[0] !== undefined && ofTheEdge.has(own[0])) own.shift()
  if (endpoints[name].route.includes('{p}') && own.at(-1) === 'commit') own.pop()
  return own
}

function print(title: string, list: string[]): string {
  return [`-- ${title}`, ...list.map((statement) => `${readableStatement(statement)};`)].join('\n')
}

it('are counted for every endpoint', async () => {
  const counts = Object.fromEntries([...statements].map(([name, list]) => [name, list.length]))
  expect(Object.keys(counts)).toEqual(Object.keys(endpoints))
  await expect(`${JSON.stringify(counts, null, 2)}\n`).toMatchFileSnapshot('statement-counts.json')
})

it('of the edge are those that are kept', async () => {
  const text = [
    print(
      'Before every endpoint of an app; the last where it is refused, the first for one of an account',
      edgeOfApps,
    ),
    print('Before every endpoint of a space', edgeOfSpaces),
    print('Before either, where what the caller may do is remembered', edgeFromMemory),
  ].join('\n\n')
  await expect(`${text}\n`).toMatchFileSnapshot('../src/server/http/endpoints.statements.sql')
})

it('of the endpoints are those that are kept beside their features', async () => {
  let seen = 0
  for (const file of (await readdir(contract)).filter((name) => name.endsWith('.ts'))) {
    const parts: Record<string, unknown> = await import(new URL(file, contract).href)
    const [own] = Object.entries(parts).filter(([name]) => name.endsWith('Endpoints') && name !== 'endpoints')
    if (!own) continue
    const names = Object.keys(own[1] as object) as Name[]
    seen += names.length
    const feature = file.replace('.ts', '')
    const text = names
      .map((name) => print(`${name}: ${endpoints[name].route}`, withoutEdge(name)))
      .join('\n\n')
    await expect(`${text}\n`).toMatchFileSnapshot(
      `../src/server/features/${feature}/${feature}.statements.sql`,
    )
  }
  expect(seen).toBe(Object.keys(endpoints).length)
})
