import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Endpoint, successStatuses } from '#shared/contract/endpoint.ts'
import { type Endpoints, endpoints } from '#shared/contract/index.ts'
import { createAccount } from './factories.ts'
import {
  bodies,
  credentialsFor,
  type Fixture,
  giveIcon,
  invitePeople,
  makeFixture,
  type People,
  pathOf,
  refusedForContent,
} from './matrix-fixture.ts'
import { type Surrounded, startSurrounded } from './matrix-outside.ts'
import { recordStatements } from './record-statements.ts'
import type { TestInstallation } from './server.ts'
import { commonOf, type Sent, section, tellStatements } from './told-statements.ts'

/*
 * Records the SQL statements of every endpoint next to its feature (`<feature>.statements.sql`) and counts them in
 * statement-counts.json, so that reviews show changes. Shared statements are one line there (`-- audit: app.create`)
 * and complete in http/endpoints.statements.sql. The following command accepts a change:
 *
 *   npx vitest run --project server test/statements.test.ts -u
 */

type Name = keyof Endpoints

const contract = new URL('../src/shared/contract/', import.meta.url)
const methodOf = ({ route }: Endpoint) => route.split(' ')[0] as 'GET' | 'POST'

/** The call that must precede another one. For example, a document must be in the trash before it can be restored. */
const before: Partial<Record<Name, Name>> = {
  bulkRestore: 'bulkDelete',
  bulkRestoreSubmissions: 'bulkDeleteSubmissions',
  bulkUnpublish: 'bulkPublish',
  joinApp: 'leaveApp',
  listTrash: 'bulkDelete',
  restoreForm: 'deleteForm',
  resetCustomOrder: 'updateCustomOrder',
  retryInstallationJob: 'cancelInstallationJob',
  retryJob: 'cancelJob',
}

let surrounded: Surrounded
let installation: TestInstallation
let people: People
let recorded: Sent[] = []
/** Statements by endpoint, in the order of the calls. */
const statements = new Map<Name, Sent[]>()
/**
 * Statements of the edge, before any handler. They are recorded from calls in an app and in a space that are refused
 * for a missing right.
 */
let edgeOfApps: Sent[]
let edgeOfSpaces: Sent[]
/** Statements of the refused call in an app if the rights are cached. */
let edgeFromMemory: Sent[]
let common: Map<string, string>

beforeAll(async () => {
  surrounded = await startSurrounded()
  installation = surrounded.installation
  recordStatements(installation.database.pool, (sent) => recorded.push(sent))
  people = await invitePeople(installation, surrounded.fileUrl, surrounded.bucket)
  for (const name of Object.keys(endpoints) as Name[]) statements.set(name, await recordCall(name))
  // New sessions are needed, because older ones occasionally update the time of their last use.
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
})
afterAll(async () => {
  vi.restoreAllMocks()
  await surrounded?.close()
})

/** Records the statements of one permitted call, in its own space. */
async function recordCall(name: Name): Promise<Sent[]> {
  const isAdmin = endpoints[name].permission === 'admin'
  const owner = await createAccount(installation, { isAdmin, verified: true })
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
      credentialsFor(endpoints[one], fixture),
    )
  }
  const preparation = before[name]
  if (preparation) expect([preparation, (await call(preparation)).status]).toEqual([preparation, 200])
  // These calls fill the cache of rights.
  const space = `/api/project/${fixture.p}`
  for (const place of [space, `${space}/app/${fixture.a}`]) await owner.client.get(place)
  recorded = []
  const answer = await call(name)
  const found = recorded
  recorded = []
  const refusal = refusedForContent[name]
  if (refusal) expect([name, answer.body.code]).toEqual([name, refusal])
  else
    expect([name, answer.status, answer.text]).toEqual([
      name,
      successStatuses(endpoints[name])[0],
      expect.any(String),
    ])
  return found
}

/** Returns the endpoint's own statements, without the statements of the edge and the commit of its transaction. */
function withoutEdge(name: Name): Sent[] {
  const own = [...(statements.get(name) ?? [])]
  const ofTheEdge = new Set(edges().map(({ text }) => text))
  while (own[0] !== undefined && ofTheEdge.has(own[0].text)) own.shift()
  if (endpoints[name].route.includes('{p}') && own.at(-1)?.text === 'commit') own.pop()
  return own
}

const edges = () => [...edgeOfApps, ...edgeOfSpaces, ...edgeFromMemory]

it('the number of SQL statements of every endpoint equals the recorded number', async () => {
  const counts = Object.fromEntries([...statements].map(([name, list]) => [name, list.length]))
  expect(Object.keys(counts)).toEqual(Object.keys(endpoints))
  await expect(`${JSON.stringify(counts, null, 2)}\n`).toMatchFileSnapshot('statement-counts.json')
})

it('the SQL statements that precede handlers equal the recorded statements', async () => {
  const text = [
    ...[...common].map(([name, statement]) =>
      section(`Listed by name elsewhere: ${name}`, [`${statement};`]),
    ),
    tellStatements(
      [
        {
          title:
            'Before every endpoint of an app. The last one only if the call is refused, the first one also for endpoints of an account',
          sent: edgeOfApps,
        },
        { title: 'Before every endpoint of a space', sent: edgeOfSpaces },
        {
          title: 'Before endpoints of apps and spaces if the rights of the caller are cached',
          sent: edgeFromMemory,
        },
      ],
      common,
    ),
  ].join('\n\n')
  await expect(`${text}\n`).toMatchFileSnapshot('../src/server/http/endpoints.statements.sql')
})

it('the SQL statements of the endpoints equal the recorded statements of their features', async () => {
  const byFeature = new Map<string, Name[]>()
  for (const file of (await readdir(contract)).filter((name) => name.endsWith('.ts'))) {
    const parts: Record<string, unknown> = await import(new URL(file, contract).href)
    const [own] = Object.entries(parts).filter(([name]) => name.endsWith('Endpoints') && name !== 'endpoints')
    if (!own) continue
    // The endpoints of a feature may be in several files of the contract: moves.ts, move-imports.ts.
    const feature = file
      .replace('.ts', '')
      .replace(/^move-.*/, 'moves')
      .replace(/^scim-.*/, 'scim')
      .replace(/^form-.*/, 'forms')
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
