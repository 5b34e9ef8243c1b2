import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKeyring } from '#server/lib/keyring.ts'
import { listKeptMails } from '#server/mailing/kept-mails.ts'
import {
  addMember,
  createAccount,
  createMember,
  createSpace,
  signIn,
  type TestAccount,
  testPassword,
} from '#test/factories.ts'
import { mailsOf } from '#test/kept-mails.ts'
import { runWaiting } from '#test/run-now.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { newRecoveryCodes, readCode, stepOf } from './codes.ts'
import { mailFactorResetJob } from './resets.jobs.ts'

let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation()
})
afterAll(() => installation?.close())

const db = () => installation.database.kysely
const url = ({ id }: TestAccount) => `/api/account/${id}/secondFactor`
const code = (answer: { status: number; body: { code?: string } }) => [answer.status, answer.body.code]
const current = async (client: Client) => ok(await client.get('/api/auth/getCurrentAccount')).currentAccount
/** Returns the app's code `steps` time steps from now. */
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 })
/** Makes the current code usable again, as if time had passed. */
const forgetLastStep = (account: TestAccount) =>
  db().updateTable('totp').set({ last_step: 0 }).where('account_id', '=', account.id).execute()

async function turnOn(account: TestAccount): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { secret } = ok(await account.client.post(`${url(account)}/totp`, { password: testPassword }))
  const { recoveryCodes } = ok(
    await account.client.post(`${url(account)}/totp/confirm`, { code: codeOf(secret) }),
  )
  await forgetLastStep(account)
  return { secret, recoveryCodes }
}

/** Returns the ways in which the account signed in, according to the audit log. */
async function waysOf({ id }: TestAccount): Promise<unknown[]> {
  const entries = db().selectFrom('audit_entry').select('details').where('space_id', '=', 0)
  const rows = await entries
    .where('actor_id', '=', id)
    .where('act', '=', 'account.login')
    .where('outcome', '=', 'done')
    .execute()
  return rows.map(({ details }) => (details as { signedInBy?: string }).signedInBy)
}

/** Signs in with the password and returns a function that finishes the sign-in. */
async function begin(account: TestAccount, client = installation.visitor()) {
  const { user, authenticatingUserId } = ok(
    await client.post('/api/auth/login', { email: account.email, password: testPassword }),
  )
  expect(user).toBeNull()
  const finish = (given: string, by = client) =>
    by.post('/api/auth/secondFactor', { authenticatingUserId, code: given })
  return { client, authenticatingUserId, finish }
}

describe('an authenticator app', () => {
  it('comes into use with its first code, which ends other sessions', async () => {
    const person = await createAccount(installation, { verified: true })
    const elsewhere = await signIn(installation, person.id)
    const post = (path: string, body: object) => person.client.post(`${url(person)}${path}`, body)
    expect(code(await post('/totp', { password: 'wrong' }))).toEqual([401, 'IncorrectPassword'])
    const { secret, address } = ok(await post('/totp', { password: testPassword }))
    expect(address).toMatch(new RegExp(`^otpauth://totp/Imori.*secret=${secret}`))
    expect(decodeURIComponent(address)).toContain(person.email)
    // The app is not in use yet, so an aborted setup does not lock out its owner.
    ok(await installation.visitor().post('/api/auth/login', { email: person.email, password: testPassword }))
    expect(code(await post('/totp/confirm', { code: '000000' }))).toEqual([401, 'IncorrectCode'])
    const { recoveryCodes } = ok(await post('/totp/confirm', { code: codeOf(secret) }))
    expect(new Set(recoveryCodes).size).toBe(10)
    expect(ok(await person.client.get(url(person)))).toEqual({
      totp: true,
      recoveryCodesLeft: 10,
      passkeys: [],
    })
    expect(await current(elsewhere)).toBeNull()
    expect(code(await post('/totp', { password: testPassword }))).toEqual([409, 'SecondFactorIsInUse'])
    const rows = JSON.stringify(await db().selectFrom('totp').selectAll().execute())
    expect(rows).not.toContain(secret)
    const stored = JSON.stringify(await db().selectFrom('recovery_code').selectAll().execute())
    for (const one of recoveryCodes) expect(stored).not.toContain(one)
  })

  it('finishes a sign-in only in the browser that began it, and accepts each code once', async () => {
    const person = await createAccount(installation, { verified: true })
    const { secret } = await turnOn(person)
    const { client, authenticatingUserId, finish } = await begin(person)
    expect(authenticatingUserId).not.toBe(person.id)
    expect(await current(client)).toBeNull()
    expect(code(await client.get('/api/project'))).toEqual([401, 'Unauthorized'])
    const now = codeOf(secret)
    expect(code(await finish(now, installation.visitor()))).toEqual([401, 'SignInHasEnded'])
    expect(ok(await finish(` ${now.slice(0, 3)} ${now.slice(3)} `)).user._id).toBe(person.id)
    expect((await current(client))._id).toBe(person.id)
    expect(await waysOf(person)).toEqual(['passwordAndApp'])
    // The same code is rejected in another sign-in.
    const again = await begin(person)
    expect(code(await again.finish(now))).toEqual([401, 'IncorrectCode'])
    await forgetLastStep(person)
    const [one, two] = [await begin(person), await begin(person)]
    const same = codeOf(secret)
    const both = await Promise.all([one.finish(same), two.finish(same)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401])
  })

  it('allows five attempts per sign-in within five minutes, and a limited number over several sign-ins', async () => {
    const person = await createAccount(installation, { verified: true })
    const { secret } = await turnOn(person)
    const { client, finish } = await begin(person)
    for (let count = 0; count < 5; count++)
      expect(code(await finish(`00000${count}`))).toEqual([401, 'IncorrectCode'])
    expect(code(await finish(codeOf(secret)))).toEqual([401, 'SignInHasEnded'])
    const late = await begin(person, client)
    await db()
      .updateTable('sign_in_challenge')
      .set({ created_at: new Date(Date.now() - 301_000) })
      .execute()
    expect(code(await late.finish(codeOf(secret)))).toEqual([401, 'SignInHasEnded'])
    let answer = { status: 0 }
    for (let round = 0; round < 3; round++) {
      const { finish: guess } = await begin(person, client)
      for (let count = 0; count < 4; count++) answer = await guess(`11111${count}`)
    }
    expect(answer.status).toBe(429)
    // The guesses do not end the owner's session.
    expect(await current(person.client)).toMatchObject({ _id: person.id })
  })

  it('is still required after a password change, and can be disabled with the password', async () => {
    const person = await createAccount(installation, { verified: true })
    await turnOn(person)
    const { finish } = await begin(person)
    const newPassword = 'seven newts under a bridge'
    const change = { password: testPassword, newPassword }
    ok(await person.client.post(`/api/account/${person.id}/password`, change))
    // The sign-in was begun with the previous password.
    expect(code(await finish('000000'))).toEqual([401, 'SignInHasEnded'])
    const login = await installation
      .visitor()
      .post('/api/auth/login', { email: person.email, password: newPassword })
    expect(ok(login).user).toBeNull()
    const disable = (password: string) => person.client.post(`${url(person)}/disable`, { password })
    expect(code(await disable(testPassword))).toEqual([401, 'IncorrectPassword'])
    ok(await disable(newPassword))
    expect(ok(await person.client.get(url(person)))).toMatchObject({ totp: false, recoveryCodesLeft: 0 })
    const plain = await installation
      .visitor()
      .post('/api/auth/login', { email: person.email, password: newPassword })
    expect(ok(plain).user._id).toBe(person.id)
  })
})

it('an account without a confirmed address cannot set up an authenticator app or a passkey', async () => {
  const person = await createAccount(installation)
  for (const path of ['/totp', '/passkeyOptions'])
    expect(code(await person.client.post(url(person) + path, { password: testPassword }))).toEqual([
      403,
      'EmailIsNotVerified',
    ])
})

describe('a user who has lost the second factor', () => {
  const logIn = async ({ email }: TestAccount) =>
    ok(await installation.visitor().post('/api/auth/login', { email, password: testPassword }))
  const acts = async (url: string, admin: TestAccount) =>
    ok(await admin.client.get(url)).auditLogs.map(({ act }: { act: string }) => act)

  it('removes it with the password and a link that an admin of the space requested', async () => {
    const [admin, boss] = [
      await createAccount(installation),
      await createAccount(installation, { isAdmin: true, verified: true }),
    ]
    const space = await createSpace(admin.client)
    const person = await createMember(installation, space)
    const ask = (client = admin.client, id = person.memberId) =>
      client.post(`${space.url}/member/${id}/secondFactor/reset`)
    expect((await ask()).status).toBe(404)
    await db()
      .updateTable('account')
      .set({ email_verified_at: new Date() })
      .where('id', '=', person.id)
      .execute()
    await turnOn(person)
    expect((await ask((await createMember(installation, space)).client)).status).toBe(403)
    ok(await ask())
    await turnOn(boss)
    expect(code(await ask(admin.client, await addMember(installation, space, boss)))).toEqual([
      403,
      'Forbidden',
    ])
    await runWaiting(installation, mailFactorResetJob)
    const [mail] = await mailsOf(installation, person.email)
    expect(mail?.subject).toBe('2段階認証の再設定')
    // The request alone changes nothing.
    expect((await logIn(person)).user).toBeNull()
    const [kept] = await listKeptMails(db(), createKeyring(installation.deps.services.secrets.encryptionKeys))
    const token = /two-factor-authentication\/reset#([\w-]+)/.exec(kept?.text ?? '')?.[1]
    const remove = (password: string) =>
      installation.visitor().post('/api/auth/resetSecondFactor', { token, password })
    expect(code(await remove('wrong'))).toEqual([401, 'IncorrectPassword'])
    ok(await remove(testPassword))
    expect(code(await remove(testPassword))).toEqual([400, 'LinkIsNotValid'])
    expect((await logIn(person)).user._id).toBe(person.id)
    expect((await mailsOf(installation, person.email))[0]?.subject).toBe('2段階認証がリセットされました')
    expect(await acts(`${space.url}/auditLog`, admin)).toEqual(
      expect.arrayContaining(['member.askNewFactor', 'account.resetSecondFactor']),
    )
    expect(await acts('/api/admin/auditLog', boss)).toEqual(
      expect.arrayContaining(['account.askNewFactor', 'account.resetSecondFactor']),
    )
  })

  it('can have it removed by an admin of the installation, who must enter a password', async () => {
    const admin = await createAccount(installation, { isAdmin: true })
    const person = await createAccount(installation, { verified: true })
    const space = await createSpace(person.client)
    await turnOn(person)
    const find = async (address: string) =>
      ok(await admin.client.get(`/api/admin/accounts?search=${address}`)).accounts
    expect(await find(person.email.toUpperCase())).toMatchObject([{ _id: person.id, hasSecondFactor: true }])
    expect(await find('nobody@example.com')).toEqual([])
    const remove = (password: string, client = admin.client) =>
      client.post(`/api/admin/account/${person.id}/resetSecondFactor`, { password })
    expect((await remove(testPassword, person.client)).status).toBe(403)
    expect(code(await remove('wrong'))).toEqual([401, 'IncorrectPassword'])
    ok(await remove(testPassword))
    expect((await remove(testPassword)).status).toBe(404)
    expect(await current(person.client)).toBeNull()
    expect((await logIn(person)).user._id).toBe(person.id)
    expect((await mailsOf(installation, person.email))[0]?.subject).toBe('2段階認証がリセットされました')
    const owner = { ...person, client: await signIn(installation, person.id) }
    expect(await acts(`${space.url}/auditLog`, owner)).toContain('account.resetSecondFactor')
    expect(await acts('/api/admin/auditLog', admin)).toContain('account.resetSecondFactor')
  })
})

describe('recovery codes', () => {
  it('work for one sign-in each, until they are renewed', async () => {
    const person = await createAccount(installation, { verified: true })
    const { recoveryCodes } = await turnOn(person)
    const [first = '', second = ''] = recoveryCodes
    const { finish } = await begin(person)
    expect(ok(await finish(first.toUpperCase().replaceAll('-', ' '))).user._id).toBe(person.id)
    expect(await waysOf(person)).toEqual(['passwordAndRecoveryCode'])
    expect(ok(await person.client.get(url(person))).recoveryCodesLeft).toBe(9)
    expect((await mailsOf(installation, person.email)).map(({ subject }) => subject)).toContain(
      'リカバリーコードが使われました',
    )
    expect(code(await (await begin(person)).finish(first))).toEqual([401, 'IncorrectCode'])
    const renew = (password: string) => person.client.post(`${url(person)}/recoveryCodes`, { password })
    expect(code(await renew('wrong'))).toEqual([401, 'IncorrectPassword'])
    const { recoveryCodes: fresh } = ok(await renew(testPassword))
    expect(code(await (await begin(person)).finish(second))).toEqual([401, 'IncorrectCode'])
    ok(await (await begin(person)).finish(fresh[0]))
    const without = await createAccount(installation, { verified: true })
    expect(
      (await without.client.post(`${url(without)}/recoveryCodes`, { password: testPassword })).status,
    ).toBe(404)
  })

  it('do not work for another account, and another account cannot access the owner’s second factor', async () => {
    const [person, other] = [
      await createAccount(installation, { verified: true }),
      await createAccount(installation, { verified: true }),
    ]
    const [mine, theirs] = [await turnOn(person), await turnOn(other)]
    const { finish } = await begin(person)
    expect(code(await finish(theirs.recoveryCodes[0] ?? ''))).toEqual([401, 'IncorrectCode'])
    expect(code(await finish(codeOf(theirs.secret)))).toEqual([401, 'IncorrectCode'])
    for (const path of ['', '/totp', '/totp/confirm', '/recoveryCodes', '/disable']) {
      const body = path === '/totp/confirm' ? { code: codeOf(mine.secret) } : { password: testPassword }
      const answer =
        path === '' ? await other.client.get(url(person)) : await other.client.post(url(person) + path, body)
      expect([path, answer.status]).toEqual([path, 404])
    }
  })

  it('have 20 base32 characters, and are read regardless of case, width, spaces and dashes', () => {
    for (const one of newRecoveryCodes()) expect(one).toMatch(/^([a-z2-7]{5}-){3}[a-z2-7]{5}$/)
    expect(readCode(' ＡＢＣ–12 3　')).toBe('abc123')
  })
})

it('stepOf accepts a code of RFC 6238 up to one step late', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' // 12345678901234567890
  expect(stepOf(secret, '287082', 59_000)).toBe(1)
  expect(stepOf(secret, '287082', 89_000)).toBe(1)
  expect(stepOf(secret, '287082', 119_000)).toBe(null)
  expect(stepOf(secret, '28708', 59_000)).toBe(null)
})
