import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccount, signIn, type TestAccount, testPassword } from '#test/factories.ts'
import { mailsOf } from '#test/kept-mails.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { SoftPasskey } from '#test/soft-passkey.ts'

const origin = 'https://cms.example.com'
let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation({ IMORI_URL: origin })
})
afterAll(() => installation?.close())

const url = ({ id }: TestAccount) => `/api/account/${id}/secondFactor`
const code = (answer: { status: number; body: { code?: string } }) => [answer.status, answer.body.code]
const current = async (client: Client) => ok(await client.get('/api/auth/getCurrentAccount')).currentAccount
const notValid = [401, 'PasskeyIsNotValid']
const ended = [401, 'SignInHasEnded']

async function add(account: TestAccount, passkey = new SoftPasskey(origin), name = 'ノートPC') {
  const { challengeId, options } = ok(
    await account.client.post(`${url(account)}/passkeyOptions`, { password: testPassword }),
  )
  const body = { challengeId, name, response: passkey.create(options) }
  return { passkey, answer: await account.client.post(`${url(account)}/passkey`, body), body }
}

/** Begins a sign-in, with the password of the account or with a passkey alone. */
async function begin(account?: TestAccount, client = installation.visitor()) {
  const login = account && { email: account.email, password: testPassword }
  const first = login ? ok(await client.post('/api/auth/login', login)) : {}
  const body = login ? { authenticatingUserId: first.authenticatingUserId } : {}
  const { authenticatingUserId, options } = ok(await client.post('/api/auth/passkeyOptions', body))
  const finish = (response: object, by = client) =>
    by.post('/api/auth/passkey', { authenticatingUserId, response })
  return { client, options, finish, authenticatingUserId }
}

it('a passkey works as a second factor and without a password, until it is deleted', async () => {
  const person = await createAccount(installation, { verified: true })
  const elsewhere = await signIn(installation, person.id)
  const options = { password: 'wrong' }
  expect(code(await person.client.post(`${url(person)}/passkeyOptions`, options))).toEqual([
    401,
    'IncorrectPassword',
  ])
  const { passkey, answer, body } = await add(person)
  expect(ok(answer).recoveryCodes).toHaveLength(10)
  expect(await current(elsewhere)).toBeNull()
  expect(code(await person.client.post(`${url(person)}/passkey`, body))).toEqual(ended)
  const { passkeys, totp } = ok(await person.client.get(url(person)))
  expect([totp, passkeys]).toEqual([
    false,
    [{ _id: expect.any(String), name: 'ノートPC', createdAt: expect.any(String), usedAt: null }],
  ])
  // A second passkey returns no codes. A passkey cannot belong to two accounts.
  expect(ok((await add(person)).answer).recoveryCodes).toBeNull()
  expect((await mailsOf(installation, person.email)).map(({ subject }) => subject)).toEqual([
    'パスキーが追加されました',
    '2段階認証を有効にしました',
  ])
  const other = await createAccount(installation, { verified: true })
  expect(code((await add(other, passkey)).answer)).toEqual([409, 'SecondFactorIsInUse'])

  const second = await begin(person)
  expect(second.options.allowCredentials).toHaveLength(2)
  const signed = passkey.get(second.options, { isVerified: false })
  expect(code(await second.finish(signed, installation.visitor()))).toEqual(ended)
  expect(ok(await second.finish(signed)).user._id).toBe(person.id)
  expect((await current(second.client))._id).toBe(person.id)
  expect(code(await second.finish(signed))).toEqual(ended)
  const alone = await begin()
  expect(ok(await alone.finish(passkey.get(alone.options))).user._id).toBe(person.id)
  const signIns = installation.database.kysely
    .selectFrom('audit_entry')
    .select('details')
    .where('space_id', '=', 0)
    .where('actor_id', '=', person.id)
    .where('act', '=', 'account.login')
    .where('outcome', '=', 'done')
    .orderBy('id')
  expect((await signIns.execute()).map(({ details }) => details)).toMatchObject([
    { signedInBy: 'passwordAndPasskey' },
    { signedInBy: 'passkey' },
  ])

  const [{ _id: id }] = passkeys
  const remove = (passkeyId: string, password = testPassword, by = person.client) =>
    by.post(`${url(person)}/passkey/${passkeyId}/delete`, { password })
  expect(code(await remove(id, 'wrong'))).toEqual([401, 'IncorrectPassword'])
  expect((await remove(id, testPassword, other.client)).status).toBe(404)
  ok(await remove(id))
  expect((await remove(id)).status).toBe(404)
  const gone = await begin()
  expect(code(await gone.finish(passkey.get(gone.options)))).toEqual(notValid)
})

it('a passkey response is rejected if its origin, challenge, counter or signature is wrong', async () => {
  const person = await createAccount(installation, { verified: true })
  const { passkey, answer } = await add(person)
  ok(answer)
  const before = (await begin()).options
  for (const [reason, how, options] of [
    ['another origin', { origin: 'https://evil.example' }],
    ['another port', { origin: `${origin}:8443` }],
    ['another party', { rpId: 'evil.example' }],
    ['nobody looked', { isVerified: false }],
    ['a counter that went back', { counter: 1 }],
    ['an earlier challenge', {}, before],
    ['no challenge', {}, { challenge: '' }],
  ] as const) {
    const { finish, options: own, client } = await begin()
    expect([reason, ...code(await finish(passkey.get(options ?? own, how)))]).toEqual([reason, ...notValid])
    expect(await current(client)).toBeNull()
  }
  const { finish, options } = await begin()
  const good = passkey.get(options)
  const forged = new SoftPasskey(origin).get(options)
  for (const response of [
    { ...forged, id: good.id, rawId: good.id },
    { ...good, response: { ...good.response, signature: 'AAAA' } },
    { ...good, type: 'password' },
    { id: good.id, response: {} },
  ])
    expect(code(await finish(response))).toEqual(notValid)
  expect(ok(await finish(good)).user._id).toBe(person.id)
})

it('an account can finish neither the sign-in nor the passkey registration of another account', async () => {
  const [person, other] = [
    await createAccount(installation, { verified: true }),
    await createAccount(installation, { verified: true }),
  ]
  const [mine, theirs] = [await add(person), await add(other)]
  const { finish, options } = await begin(person)
  expect(code(await finish(theirs.passkey.get(options)))).toEqual(notValid)
  expect(ok(await finish(mine.passkey.get(options))).user._id).toBe(person.id)
  // A passkey sign-in accepts no code, and a passkey belongs to the account that began its registration.
  const alone = await begin()
  const byCode = { authenticatingUserId: alone.authenticatingUserId, code: '000000' }
  expect(code(await alone.client.post('/api/auth/secondFactor', byCode))).toEqual(ended)
  const { challengeId, options: made } = ok(
    await person.client.post(`${url(person)}/passkeyOptions`, { password: testPassword }),
  )
  const response = new SoftPasskey(origin).create(made)
  expect(code(await other.client.post(`${url(other)}/passkey`, { challengeId, name: '', response }))).toEqual(
    ended,
  )
  expect(
    (await other.client.post(`${url(person)}/passkey`, { challengeId, name: '', response })).status,
  ).toBe(404)
  const evil = new SoftPasskey(origin).create(made, { origin: 'https://evil.example' })
  expect(
    code(await person.client.post(`${url(person)}/passkey`, { challengeId, name: '', response: evil })),
  ).toEqual(notValid)
})
