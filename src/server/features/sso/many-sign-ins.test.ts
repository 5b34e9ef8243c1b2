import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ssoLimit } from '#server/access/attempts.ts'
import { createAccount, createSpace, signIn, type TestAccount } from '#test/factories.ts'
import { startIssuer, type TestIssuer } from '#test/oidc-issuer.ts'
import { connectIssuer, signInBySso } from '#test/oidc-sign-in.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { mostAnswered } from './sign-ins.repository.ts'

let issuer: TestIssuer
let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let office: Client
beforeAll(async () => {
  issuer = await startIssuer()
  installation = await startInstallation({ IMORI_SSO_ORIGINS: issuer.url })
  admin = await createAccount(installation, { isAdmin: true })
  space = await createSpace(admin.client)
  await connectIssuer(admin, space, issuer, { domains: ['example.com'] })
  office = installation.visitor()
})
afterAll(async () => {
  await installation?.close()
  await issuer?.close()
})

const limit = () => ssoLimit(office.ip)
const begin = () => office.post('/api/auth/sso', { space: space.uid })
const person = { sub: 'hana', email: 'hana@example.com' }
async function counted(): Promise<number> {
  const { key } = limit()
  const db = installation.database.kysely
  const row = await db.selectFrom('attempt').select('count').where('key', '=', key).executeTakeFirst()
  return row?.count ?? 0
}

/** Uses up the limit of sign-ins for this network, except for one. */
beforeEach(async () => {
  const { key, limit: most } = limit()
  const db = installation.database.kysely
  await db.deleteFrom('attempt').where('key', '=', key).execute()
  await db
    .insertInto('attempt')
    .values({ key, window_start: new Date(), count: most - 1 })
    .execute()
})

it('sign-ins confirmed by the identity provider do not count towards the limit of their network', async () => {
  for (let time = 0; time < 3; time++) ok(await signInBySso(issuer, office, space, person))
  expect(await counted()).toBe(limit().limit - 1)
})

it('unanswered and refused sign-ins count towards the limit of their network, which then gets 429', async () => {
  const { url } = ok(await begin())
  const refused = await begin()
  expect([refused.status, refused.body.code]).toEqual([429, 'TooManyRequests'])
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  // An invalid answer does not decrement the counter of the network.
  const asked = new URL(url).searchParams
  const answer = async (state: string) => {
    const query = new URLSearchParams({ code: 'a-code', state, iss: issuer.url })
    return office.get(`${new URL(asked.get('redirect_uri') ?? '').pathname}?${query}`)
  }
  issuer.nonce = asked.get('nonce') ?? ''
  issuer.script = { claims: { ...person, aud: 'somebody-else' } }
  expect(String((await answer(asked.get('state') ?? '')).headers.location)).toContain('SsoRefused')
  expect((await begin()).status).toBe(429)
  expect(await counted()).toBe(limit().limit)
})

it('an SSO test and a callback with an unknown state do not count towards the limit of their network', async () => {
  const client = await signIn(installation, admin.id)
  client.ip = office.ip
  ok(await client.post(`${space.url}/sso/try`))
  const { redirectUri } = ok(await admin.client.get(`${space.url}/sso`)).sso.ours
  await office.get(`${new URL(redirectUri).pathname}?code=a&state=unknown&iss=x`)
  expect(await counted()).toBe(limit().limit - 1)
})

describe('unfinished sign-ins', () => {
  const pool = () => installation.database.pool
  const store = (space: { uid: string }, count: number, minutes: number) =>
    pool().query(
      `INSERT INTO sso_sign_in (id, connection_id, code_hash, answered, expires_at)
       SELECT substr(md5(random()::text || n), 1, 24), sso_connection.id, sha256((random()::text || n)::bytea), true,
         now() + make_interval(mins => $3)
       FROM generate_series(1, $2::int) AS n, sso_connection JOIN space ON space.id = sso_connection.space_id
       WHERE space.uid = $1`,
      [space.uid, count, minutes],
    )
  /** Runs a sign-in that the identity provider answers. Returns the target of the redirect. */
  async function answered(client: Client, at: { uid: string }): Promise<string> {
    const { url } = ok(await client.post('/api/auth/sso', { space: at.uid }))
    const asked = new URL(url).searchParams
    issuer.nonce = asked.get('nonce') ?? ''
    issuer.script = { claims: { sub: 'fuyu', email: 'fuyu@example.com' } }
    const query = new URLSearchParams({ code: 'a-code', state: asked.get('state') ?? '', iss: issuer.url })
    const { headers } = await client.get(`${new URL(asked.get('redirect_uri') ?? '').pathname}?${query}`)
    return String(headers.location)
  }

  it('are limited per connection once answered, and the newest of them can be finished', async () => {
    const [full, other] = [await createSpace(admin.client), await createSpace(admin.client)]
    const domains = ['example.com']
    for (const one of [full, other]) await connectIssuer(admin, one, issuer, { domains })
    await store(full, mostAnswered + 20, 10)
    await store(other, 5, 10)
    const client = installation.visitor()
    const last = await answered(client, full)
    const kept = async ({ uid }: { uid: string }) =>
      (
        await pool().query(
          `SELECT count(*)::int AS count FROM sso_sign_in JOIN sso_connection ON sso_connection.id = connection_id
           JOIN space ON space.id = sso_connection.space_id WHERE space.uid = $1`,
          [uid],
        )
      ).rows[0].count
    expect([await kept(full), await kept(other)]).toEqual([mostAnswered, 5])
    const finished = ok(await client.post('/api/auth/sso/finish', { code: last.split('#')[1] }))
    expect(finished.user.email).toBe('fuyu@example.com')
  })

  it('are limited per connection and minute if they are SSO tests', async () => {
    const own = await createSpace(admin.client)
    await connectIssuer(admin, own, issuer, { domains: [] })
    const begun = async () => (await admin.client.post(`${own.url}/sso/try`)).status
    // More than twice the limit per minute, because a new minute may begin during the test.
    const statuses = await Promise.all(Array.from({ length: 70 }, begun))
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(30)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    expect((await admin.client.post(`${space.url}/sso/try`)).status).toBe(200)
  })
})
