import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { toUrl } from './database-names.ts'
import { type MainProcess, startMain } from './process.ts'

/** Two processes of one installation, each of which remembers what its callers may do. */
let testDatabase: TestDatabase
let folder: string
const processes: MainProcess[] = []
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'imori-processes-'))
  // One after the other: the first makes the secrets and the tables.
  for (let number = 0; number < 2; number++)
    processes.push(
      await startMain({
        IMORI_DATA: folder,
        DATABASE_URL: toUrl(testDatabase.connection),
        IMORI_SIGNUP: 'open',
        IMORI_LOG_LEVEL: 'error',
      }),
    )
})
afterAll(async () => {
  await Promise.all(processes.map((main) => main.end()))
  await testDatabase?.drop()
  if (folder) await rm(folder, { recursive: true, force: true })
})

type Send = (
  process: number,
  method: string,
  path: string,
  body?: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: answers of many endpoints
) => Promise<{ status: number; body: any }>

/** Somebody who is signed in, at whichever process. */
async function signUp(name: string): Promise<{ id: string; email: string; send: Send }> {
  let cookie = ''
  let csrf = ''
  const send: Send = async (number, method, path, body) => {
    const origin = processes[number]?.url ?? ''
    const answer = await fetch(`${origin}/api/${path}`, {
      method,
      headers: {
        origin,
        cookie,
        'x-csrf-token': csrf,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0])
    if (cookies.length > 0) cookie = cookies.join('; ')
    return { status: answer.status, body: await answer.json() }
  }
  const email = `${name}@example.com`
  const { body } = await send(0, 'POST', 'auth/signup', { email, password: 'a large sandwich for lunch' })
  csrf = (await send(0, 'GET', 'auth/csrfToken')).body.csrfToken
  return { id: body.account.id ?? body.account._id, email, send }
}

it('what one process takes away the other refuses with the next request, and gives back likewise', async () => {
  const admin = await signUp('admin')
  const member = await signUp('member')
  // biome-ignore lint/suspicious/noExplicitAny: answers of many endpoints
  const done = async (method: string, path: string, body?: unknown): Promise<any> => {
    const answer = await admin.send(0, method, path, body)
    expect([method, path, answer.status, answer.body]).toEqual([method, path, 200, expect.anything()])
    return answer.body
  }
  const app = 'project/acme/app/blog'
  await done('POST', 'project', { project: { uid: 'acme', name: 'Acme' } })
  await done('POST', 'project/acme/app', { data: { uid: 'blog', name: 'Blog' } })
  const fields = [{ uid: 'title', name: 'Title', type: 'TEXT' }]
  await done('POST', `${app}/model`, { data: { uid: 'article', name: 'Article', fields } })
  const { invitation } = await done('POST', 'project/acme/invitation', {
    invitation: { roleId: 'pjt-Member', maximumUses: 1 },
  })
  const code = new URL(invitation.url).searchParams.get('code')
  expect((await member.send(1, 'POST', 'invitation/accept', { code })).status).toBe(200)
  expect((await member.send(1, 'POST', `${app}/members/join`, {})).status).toBe(200)
  const { members } = await done('GET', 'project/acme/members')
  const inSpace = members.find((row: { email?: string }) => row.email === member.email)?._id
  expect(inSpace).toBeTypeOf('string')

  const save = async (number: number) => {
    const path = `${app}/model/article/doc`
    const { status, body } = await member.send(number, 'POST', path, { document: { title: 'x' } })
    return [status, body.code]
  }
  const { role } = await done('POST', `${app}/role`, {
    data: { name: 'Writers', rights: ['document.read', 'document.write.own'] },
  })
  const ofApp = `${app}/member/${inSpace}`
  const rights = (list: string[]) => done('PUT', `${app}/role/${role.uid}`, { data: { rights: list } })
  const restrict = (ranges: string[] | null) =>
    inDatabase(
      `INSERT INTO space_security (space_id, ip_ranges) SELECT id, $1::text[] FROM space
       ON CONFLICT (space_id) DO UPDATE SET ip_ranges = excluded.ip_ranges`,
      [ranges],
    )
  const changes: [change: () => Promise<unknown>, then: unknown[]][] = [
    [() => done('PATCH', ofApp, { roleId: 'app-Subscriber' }), [403, 'Forbidden']],
    [() => done('PATCH', ofApp, { roleId: role.uid }), [200, undefined]],
    [() => rights(['document.read']), [403, 'Forbidden']],
    [() => rights(['document.read', 'document.write.own']), [200, undefined]],
    [() => restrict(['192.0.2.0/24']), [403, 'IpAddressNotAllowed']],
    [() => restrict(null), [200, undefined]],
    [() => done('DELETE', ofApp), [403, 'Forbidden']],
    [
      () => done('PATCH', app, { accessSettings: { visibility: 'private', defaultRole: 'app-Editor' } }),
      [404, 'NotFound'],
    ],
    [() => done('POST', `${app}/members`, { email: member.email, roleId: 'app-Author' }), [200, undefined]],
    [() => done('DELETE', `project/acme/member/${inSpace}`), [404, 'NotFound']],
  ]
  expect(await save(0)).toEqual([200, undefined])
  expect(await save(1)).toEqual([200, undefined])
  for (const [index, [change, then]] of changes.entries()) {
    await change()
    expect([index, 'other', ...(await save(1))]).toEqual([index, 'other', ...then])
    expect([index, 'same', ...(await save(0))]).toEqual([index, 'same', ...then])
  }
})

async function inDatabase(text: string, values: unknown[]): Promise<void> {
  const client = new pg.Client(toUrl(testDatabase.connection))
  await client.connect()
  try {
    await client.query(text, values)
  } finally {
    await client.end()
  }
}
