import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createAccount, createSpace, type TestAccount, testPassword, unique } from '#test/factories.ts'
import { linkIn } from '#test/mail-server.ts'
import { runWaiting, sendMails } from '#test/run-now.ts'
import { type Answer, type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { cleanUpAccountsJob } from './accounts.jobs.ts'
import { mailSignupJob } from './sign-up.jobs.ts'

/** An installation without a mail server that verifies email addresses before it creates accounts. */
let installation: TestInstallation
let admin: TestAccount
beforeAll(async () => {
  installation = await startInstallation()
  const set = await installation.database.pool.query(
    `INSERT INTO installation_setting (signup_confirmation) VALUES ('before')`,
  )
  expect(set.rowCount).toBe(1)
})
afterAll(() => installation?.close())

const password = 'a pond full of red newts'
const db = () => installation.database.kysely
const newAddress = () => `${unique('someone')}@example.com`
const signUp = (email: string, more: object = {}, client: Client = installation.visitor()) =>
  client.post('/api/auth/signup', { email, password, ...more })
const finish = (token: string, given = password, client: Client = installation.visitor()) =>
  client.post('/api/auth/signup/finish', { token, password: given })
const logIn = (email: string, given = password) =>
  installation.visitor().post('/api/auth/login', { email, password: given })
const textOf = (asked: unknown) => (typeof asked === 'string' ? asked : (asked as { text: string }).text)

const code = ({ status, body }: Answer) => [status, body.code]

/** Returns the mails sent to an email address so far, newest last. */
async function mailsTo(email: string): Promise<{ subject: string; text: string; language: string }[]> {
  await runWaiting(installation, mailSignupJob)
  await sendMails(installation)
  const { mails } = ok(await admin.client.get('/api/admin/mails'))
  return mails.filter(({ to }: { to: string }) => to === email).reverse()
}
const tokenIn = (mail: { text: string } | undefined) => linkIn(mail ?? { text: '' }).split('#')[1] ?? ''
const linkOf = async (email: string) => tokenIn((await mailsTo(email)).at(-1))

describe('sign-up with confirmation of addresses before accounts are created', () => {
  it('creates the first account without confirmation', async () => {
    const client = installation.visitor()
    const email = newAddress()
    const { account } = ok(await signUp(email, {}, client))
    expect(account).toMatchObject({ email, isAdmin: true, emailVerified: false })
    expect(ok(await client.get('/api/auth/getCurrentAccount')).currentAccount).toEqual(account)
    admin = await createAccount(installation, { isAdmin: true })
  })

  it('runs the same SQL statements and returns the same response for a used and an unused address', async () => {
    const taken = (await createAccount(installation)).email
    const free = newAddress()
    const ofPool = new WeakSet<object>()
    installation.database.pool.on('acquire', (client) => ofPool.add(client))
    const sent: string[][] = []
    const outcomes = []
    for (const email of [taken, free]) {
      const spy = vi.spyOn(pg.Client.prototype, 'query')
      const client = installation.visitor()
      const answer = await signUp(email, { name: '花子' }, client)
      const asked = spy.mock.calls.map(([query]: unknown[]) => textOf(query))
      sent.push(asked.filter((_, n) => ofPool.has(spy.mock.contexts[n] as object)))
      spy.mockRestore()
      outcomes.push([answer.status, answer.text, Object.keys(answer.headers).sort(), [...client.cookies]])
    }
    expect(outcomes[0]).toEqual(outcomes[1])
    expect(outcomes[0]?.slice(0, 2)).toEqual([
      200,
      JSON.stringify({ account: null, joined: null, errorMessage: null }),
    ])
    expect(sent[0]?.length).toBeGreaterThan(5)
    expect(sent[0]).toEqual(sent[1])
    // Signing in does not reveal whether the email address is used either.
    const [one, other] = [await logIn(taken), await logIn(free)]
    expect([one.status, one.text]).toEqual([other.status, other.text])
    expect(one.status).toBe(401)
  })

  it('mails the owner of an existing account in the language of the owner, and keeps their password', async () => {
    const owner = await createAccount(installation)
    ok(await owner.client.put(`/api/account/${owner.id}`, { data: { language: 'en' } }))
    ok(await signUp(owner.email, { language: 'ja', name: 'Mallory' }))
    const mails = await mailsTo(owner.email)
    expect(mails).toMatchObject([{ subject: 'You already have an account', language: 'en' }])
    expect(mails[0]?.text).toMatch(/\/login\n/)
    expect(mails[0]?.text).not.toMatch(/#\S/)
    expect(mails[0]?.text).not.toContain('Mallory')
    expect(
      await db().selectFrom('pending_account').select('id').where('email', '=', owner.email).execute(),
    ).toEqual([])
    ok(await logIn(owner.email, testPassword))
  })

  it('creates the account once, from the mailed link and the password', async () => {
    const email = newAddress()
    ok(await signUp(email, { name: '花子', language: 'en' }))
    const mails = await mailsTo(email)
    expect(mails).toMatchObject([{ subject: 'Finish signing up', language: 'en' }])
    const token = tokenIn(mails[0])
    expect(ok(await installation.visitor().post('/api/auth/signup/look', { token }))).toEqual({ email })
    expect(code(await finish(token, 'some other password'))).toEqual([401, 'IncorrectPassword'])
    const client = installation.visitor()
    const { account, joined } = ok(await finish(token, password, client))
    expect(account).toMatchObject({
      email,
      name: '花子',
      language: 'en',
      emailVerified: true,
      isAdmin: false,
    })
    expect(joined).toBeNull()
    expect(ok(await client.get('/api/auth/getCurrentAccount')).currentAccount).toEqual(account)
    expect(ok(await logIn(email)).user._id).toBe(account._id)
    expect(code(await finish(token))).toEqual([400, 'LinkIsNotValid'])
    const look = await installation.visitor().post('/api/auth/signup/look', { token })
    expect(code(look)).toEqual([400, 'LinkIsNotValid'])
  })

  it('does not accept the password of a stranger who signed up with the same address', async () => {
    const email = newAddress()
    const byStranger = 'the stranger chose this one'
    ok(await signUp(email, { password: byStranger }))
    const [first] = await mailsTo(email)
    ok(await signUp(email))
    const own = await linkOf(email)
    ok(await signUp(email, { password: byStranger }))
    await mailsTo(email)
    expect(code(await finish(tokenIn(first)))).toEqual([401, 'IncorrectPassword'])
    ok(await finish(own))
    expect((await logIn(email, byStranger)).status).toBe(401)
    expect(code(await finish(tokenIn(first), byStranger))).toEqual([400, 'LinkIsNotValid'])
    expect(
      await db().selectFrom('pending_account').select('id').where('email', '=', email).execute(),
    ).toEqual([])
  })

  it('creates one account when a link is followed eight times concurrently', async () => {
    const email = newAddress()
    ok(await signUp(email))
    const token = await linkOf(email)
    const answers = await Promise.all(Array.from({ length: 8 }, () => finish(token)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)])
  })

  it('with an invitation requires confirmation unless the invitation was mailed to the address', async () => {
    const owner = await createAccount(installation)
    const space = await createSpace(owner.client)
    const invite = async (invitation: object) =>
      ok(await owner.client.post(`/api/project/${space.uid}/invitation`, { invitation })).invitation
    const email = newAddress()
    await invite({ email })
    const codeIn = (text: string) => new URL(text).searchParams.get('code') ?? ''
    const mailed = codeIn(linkIn((await mailsTo(email)).at(-1) ?? { text: '' }))
    const { account, joined } = ok(await signUp(email, { invitationCode: mailed }))
    expect(account).toMatchObject({ email, emailVerified: true })
    expect(joined).toEqual({ project: { uid: space.uid }, app: null })

    const byLink = newAddress()
    const { url } = await invite({})
    const answer = ok(await signUp(byLink, { invitationCode: codeIn(url) }))
    expect(answer).toEqual({ account: null, joined: null, errorMessage: null })
    const kept = await db().selectFrom('pending_account').selectAll().where('email', '=', byLink).execute()
    expect(kept[0]?.invitation).toEqual(expect.any(String))
    expect(kept[0]?.invitation).not.toContain(codeIn(url))
    const token = await linkOf(byLink)
    expect(ok(await finish(token)).joined).toEqual({ project: { uid: space.uid }, app: null })
    expect(code(await signUp(newAddress(), { invitationCode: 'guess' }))).toEqual([
      400,
      'InvalidInvitationCode',
    ])
  })

  it('is allowed six times an hour per address, with or without an account', async () => {
    const outcomes = []
    for (const email of [(await createAccount(installation)).email, newAddress()]) {
      for (let n = 0; n < 6; n++) ok(await signUp(email))
      const answer = await signUp(email)
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(3500)
      outcomes.push([answer.status, answer.text])
    }
    expect(outcomes[0]).toEqual(outcomes[1])
    expect(outcomes[0]?.[0]).toBe(429)
  })

  it('cannot be finished while sign-up is closed or after the link has expired', async () => {
    const email = newAddress()
    ok(await signUp(email))
    const token = await linkOf(email)
    const set = (data: object) => admin.client.put('/api/admin/settings', { data })
    installation.deps.services.config.signup = undefined
    ok(await set({ signup: 'closed' }))
    expect(code(await finish(token))).toEqual([403, 'SignupIsClosed'])
    ok(await set({ signup: 'open' }))
    await installation.database.pool.query(
      `UPDATE pending_account SET expires_at = now() - interval '1 second' WHERE email = $1`,
      [email],
    )
    expect(code(await finish(token))).toEqual([400, 'LinkIsNotValid'])
    await cleanUpAccountsJob.handler({ db: db() } as Parameters<typeof cleanUpAccountsJob.handler>[0])
    expect(
      await db().selectFrom('pending_account').select('id').where('email', '=', email).execute(),
    ).toEqual([])
  })

  it('can be turned off by an admin of the installation, unless the operator turned it on', async () => {
    const set = (signupConfirmation: string) =>
      admin.client.put('/api/admin/settings', { data: { signupConfirmation } })
    expect((await set('never')).status).toBe(400)
    expect(ok(await set('after')).settings).toMatchObject({ signup: 'open', signupConfirmation: 'after' })
    const { email } = await createAccount(installation)
    expect(code(await signUp(email))).toEqual([409, 'EmailIsAlreadyInUse'])
    const { config } = installation.deps.services
    config.signupConfirmation = 'before'
    expect(ok(await signUp(email)).account).toBeNull()
    expect(code(await set('after'))).toEqual([409, 'SettingIsFixed'])
    expect(ok(await admin.client.get('/api/admin/settings')).settings).toMatchObject({
      signupConfirmation: 'before',
      signupConfirmationIsFixed: true,
    })
    config.signupConfirmation = undefined
  })
})
