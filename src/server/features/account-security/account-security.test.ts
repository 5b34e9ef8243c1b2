import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '#server/lib/ids.ts'
import {
  addMember,
  createAccount,
  createSpace,
  signIn,
  type TestAccount,
  testPassword,
  unique,
} from '#test/factories.ts'
import { linkIn, type MailServer, startMailServer } from '#test/mail-server.ts'
import { runWaiting, sendMails } from '#test/run-now.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { whileHeld } from '#test/while-held.ts'
import { forgotPasswordJob } from './account-security.jobs.ts'

let installation: TestInstallation
let server: MailServer
beforeAll(async () => {
  server = await startMailServer()
  installation = await startInstallation({ IMORI_SMTP_URL: server.url, IMORI_URL: 'https://cms.example.com' })
})
afterAll(async () => {
  await installation?.close()
  await server?.close()
})

const db = () => installation.database.kysely
const newPassword = 'seven newts under a bridge'
const mailsTo = async (email: string) => {
  await sendMails(installation)
  return server.mails.filter(({ to }) => JSON.stringify(to).includes(email))
}
const tokenIn = (mail: { text?: string | undefined } | undefined) => linkIn(mail ?? {}).split('#')[1] ?? ''
const own = ({ id }: TestAccount) => `/api/account/${id}`
const code = (answer: { status: number; body: { code?: string } }) => [answer.status, answer.body.code]
const logIn = (email: string, password = testPassword, client = installation.visitor()) =>
  client.post('/api/auth/login', { email, password })
const verify = (account: TestAccount) =>
  db().updateTable('account').set({ email_verified_at: new Date() }).where('id', '=', account.id).execute()
const current = async (client: Client) => ok(await client.get('/api/auth/getCurrentAccount')).currentAccount

describe('the email address of an account', () => {
  it('is confirmed once by the newest link, and the confirmation ends earlier sessions', async () => {
    const client = installation.visitor()
    const email = `${unique('new')}@example.com`
    const { account } = ok(
      await client.post('/api/auth/signup', { email, password: newPassword, name: '花子' }),
    )
    expect(account.emailVerified).toBe(false)
    ok(await client.post(`/api/account/${account._id}/emailVerification`))
    const [first, second] = await mailsTo(email)
    expect(first).toMatchObject({ subject: 'メールアドレスの確認' })
    expect(linkIn(first ?? {})).toMatch(/^https:\/\/cms\.example\.com\/confirm#[\w-]{43}$/)
    const anybody = installation.visitor()
    const confirm = (token: string) => anybody.post('/api/auth/confirm', { token })
    expect(code(await confirm(tokenIn(first)))).toEqual([400, 'LinkIsNotValid'])
    expect(ok(await confirm(tokenIn(second)))).toEqual({ email, isChange: false, isComplete: true })
    expect(code(await confirm(tokenIn(second)))).toEqual([400, 'LinkIsNotValid'])
    // Signing up does not prove ownership of an address, so the confirmation ends all other sessions.
    expect(await current(client)).toBeNull()
    expect((await current(anybody)) ?? null).toBeNull()
    const again = installation.visitor()
    expect(ok(await logIn(email, newPassword, again)).user.emailVerified).toBe(true)
    ok(await again.post(`/api/auth/account/${account._id}/emailVerification`))
    expect(await mailsTo(email)).toHaveLength(2)
  })

  it('is first confirmed by a link or password reset, which ends sessions and removes second factors', async () => {
    const intrude = async (person: TestAccount) => {
      await db()
        .insertInto('totp')
        .values({ account_id: person.id, secret: 'sealed', confirmed_at: new Date() })
        .execute()
      await db()
        .insertInto('recovery_code')
        .values({ account_id: person.id, code_hash: Buffer.alloc(32) })
        .execute()
      await db()
        .insertInto('passkey')
        .values({
          id: newId(),
          account_id: person.id,
          credential: unique('credential'),
          public_key: Buffer.alloc(3),
          counter: 0,
          transports: [],
          name: '',
        })
        .execute()
      ok(
        await person.client.post(`${own(person)}/email`, {
          email: `${unique('taken')}@example.com`,
          password: testPassword,
        }),
      )
    }
    const left = async ({ id }: TestAccount) => {
      const counted = []
      for (const table of ['totp', 'recovery_code', 'passkey', 'session', 'account_link'] as const)
        counted.push(
          ...(await db().selectFrom(table).select('account_id').where('account_id', '=', id).execute()),
        )
      return counted.length
    }
    const [byReset, byLink] = [await createAccount(installation), await createAccount(installation)]
    await intrude(byReset)
    ok(await installation.visitor().post('/api/auth/forgotPassword', { email: byReset.email }))
    await runWaiting(installation, forgotPasswordJob)
    const reset = { token: tokenIn((await mailsTo(byReset.email)).at(-1)), password: newPassword }
    ok(await installation.visitor().post('/api/auth/resetPassword', reset))
    expect(await left(byReset)).toBe(0)
    expect(ok(await logIn(byReset.email, newPassword)).user._id).toBe(byReset.id)
    const subjects = (await mailsTo(byReset.email)).map(({ subject }) => subject)
    expect(subjects).toContain('2段階認証がリセットされました')

    ok(await byLink.client.post(`${own(byLink)}/emailVerification`))
    const [confirmation] = await mailsTo(byLink.email)
    await intrude(byLink)
    ok(await installation.visitor().post('/api/auth/confirm', { token: tokenIn(confirmation) }))
    // Only the used link remains.
    expect(await left(byLink)).toBe(1)
    // Factors that the owner sets up afterwards stay on the next reset.
    await db()
      .insertInto('totp')
      .values({ account_id: byReset.id, secret: 'sealed', confirmed_at: new Date() })
      .execute()
    ok(await installation.visitor().post('/api/auth/forgotPassword', { email: byReset.email }))
    await runWaiting(installation, forgotPasswordJob)
    const next = { token: tokenIn((await mailsTo(byReset.email)).at(-1)), password: testPassword }
    ok(await installation.visitor().post('/api/auth/resetPassword', next))
    expect(ok(await logIn(byReset.email)).user).toBeNull()
  })

  it('has a limited number of confirmation links, which expire and are not stored in plain text', async () => {
    const [person, other] = [await createAccount(installation), await createAccount(installation)]
    expect((await other.client.post(`${own(person)}/emailVerification`)).status).toBe(404)
    ok(await person.client.post(`${own(person)}/emailVerification`))
    const [mail] = await mailsTo(person.email)
    const token = tokenIn(mail)
    const rows = await sql<{
      row: string
    }>`SELECT account_link::text || (SELECT string_agg(payload::text, '') FROM job)
      AS row FROM account_link`.execute(db())
    expect(JSON.stringify(rows.rows)).not.toContain(token)
    await db()
      .updateTable('account_link')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('account_id', '=', person.id)
      .execute()
    expect(code(await person.client.post('/api/auth/confirm', { token }))).toEqual([400, 'LinkIsNotValid'])
    const answers = []
    for (let count = 0; count < 6; count++)
      answers.push(await person.client.post(`${own(person)}/emailVerification`))
    expect(answers.at(-1)?.status).toBe(429)
  })

  it('changes when the confirmed old address and the new address confirm it, which ends other sessions', async () => {
    const person = await createAccount(installation)
    await verify(person)
    const elsewhere = await signIn(installation, person.id)
    const email = `${unique('moved')}@example.com`
    const change = (body: object) => person.client.post(`${own(person)}/email`, body)
    expect(code(await change({ email, password: 'wrong' }))).toEqual([401, 'IncorrectPassword'])
    expect((await change({ email: person.email, password: testPassword })).body.issues).toEqual([
      { path: 'email', code: 'DuplicatedValue' },
    ])
    ok(await change({ email, password: testPassword }))
    const [[byNew], [byPresent]] = [await mailsTo(email), await mailsTo(person.email)]
    expect(byPresent?.text).toContain(email)
    const confirm = (token: string) => person.client.post('/api/auth/confirm', { token })
    expect(ok(await confirm(tokenIn(byPresent)))).toEqual({ email, isChange: true, isComplete: false })
    expect(ok(await person.client.get(`${own(person)}/security`)).emailChange).toEqual({
      email,
      confirmedByNew: false,
      confirmedByPresent: true,
    })
    expect(ok(await logIn(person.email)).user.email).toBe(person.email)
    expect(ok(await confirm(tokenIn(byNew)))).toEqual({ email, isChange: true, isComplete: true })
    expect(await current(person.client)).toMatchObject({ email, emailVerified: true })
    expect(await current(elsewhere)).toBeNull()
    expect((await logIn(person.email)).status).toBe(401)
    ok(await logIn(email))
    expect((await mailsTo(person.email)).at(-1)?.subject).toBe('メールアドレスを変更しました')
  })

  it('gets no mail if another account requests the same address; cancelling a change invalidates its link', async () => {
    const [person, other] = [await createAccount(installation), await createAccount(installation)]
    ok(
      await person.client.post(`${own(person)}/email`, {
        email: other.email.toUpperCase(),
        password: testPassword,
      }),
    )
    expect(await mailsTo(other.email)).toEqual([])
    const email = `${unique('moved')}@example.com`
    ok(await person.client.post(`${own(person)}/email`, { email, password: testPassword }))
    const [mail] = await mailsTo(email)
    ok(await person.client.delete(`${own(person)}/email`))
    expect(code(await person.client.post('/api/auth/confirm', { token: tokenIn(mail) }))).toEqual([
      400,
      'LinkIsNotValid',
    ])
  })
})

it('an unconfirmed address need not confirm its change, but gets a mail about the change', async () => {
  const person = await createAccount(installation)
  const email = `${unique('moved')}@example.com`
  ok(await person.client.post(`${own(person)}/email`, { email, password: testPassword }))
  const [[byNew], [begun]] = [await mailsTo(email), await mailsTo(person.email)]
  // The owner of that mailbox may be a stranger, so the mail does not name the new address.
  expect([begun?.subject, begun?.text?.includes(email)]).toEqual([
    'メールアドレスの変更の手続きについて',
    false,
  ])
  expect(begun?.text).toContain('https://cms.example.com/forgot-password')
  expect(byNew?.text).not.toContain('両方')
  ok(await person.client.post('/api/auth/confirm', { token: tokenIn(byNew) }))
  expect(await current(person.client)).toMatchObject({ email, emailVerified: true })
  const told = (await mailsTo(person.email)).at(-1)
  expect([told?.subject, told?.text?.includes(email)]).toEqual(['メールアドレスを変更しました', false])
})

describe('the password', () => {
  it('is changed with the current password, and the change ends other sessions', async () => {
    const person = await createAccount(installation)
    const [elsewhere, copy] = [await signIn(installation, person.id), installation.visitor()]
    for (const [name, value] of person.client.cookies) copy.cookies.set(name, value)
    const change = (body: object) => person.client.post(`${own(person)}/password`, body)
    expect((await change({ password: 'wrong', newPassword })).body).toMatchObject({
      code: 'IncorrectPassword',
      issues: [{ path: 'password' }],
    })
    for (const short of ['ninechars', 'password123', 'ｐａｓｓｗｏｒｄ１２'])
      expect((await change({ password: testPassword, newPassword: short })).body).toMatchObject({
        code: 'InvalidPassword',
        issues: [{ path: 'newPassword' }],
      })
    ok(await change({ password: testPassword, newPassword }))
    expect((await current(person.client))._id).toBe(person.id)
    expect([await current(elsewhere), await current(copy)]).toEqual([null, null])
    expect((await logIn(person.email)).status).toBe(401)
    ok(await logIn(person.email, newPassword))
    expect((await mailsTo(person.email)).at(-1)?.subject).toBe('パスワードを変更しました')
  })

  it('is reset once by a mailed link; requests for a link return the same body for unknown addresses', async () => {
    const person = await createAccount(installation)
    const forgot = async (email: string, client = installation.visitor()) => {
      const answer = await client.post('/api/auth/forgotPassword', { email })
      await runWaiting(installation, forgotPasswordJob)
      return answer
    }
    const [known, unknown] = [await forgot(person.email), await forgot('nobody@example.com')]
    expect([known.status, known.text]).toEqual([200, unknown.text])
    expect(await mailsTo('nobody@example.com')).toEqual([])
    const jobs = await sql<{ payload: string }>`SELECT payload::text FROM job`.execute(db())
    expect(JSON.stringify(jobs.rows)).not.toContain('nobody')
    ok(await forgot(person.email.toUpperCase()))
    const [first, second] = await mailsTo(person.email)
    expect(linkIn(second ?? {})).toMatch(/\/reset-password#/)
    const visitor = installation.visitor()
    const reset = (token: string, password = newPassword) =>
      visitor.post('/api/auth/resetPassword', { token, password })
    expect(code(await reset(tokenIn(first)))).toEqual([400, 'LinkIsNotValid'])
    const look = (token: string) => visitor.post('/api/auth/resetPassword/look', { token })
    expect(code(await look(tokenIn(first)))).toEqual([400, 'LinkIsNotValid'])
    expect(ok(await look(tokenIn(second)))).toEqual({ email: person.email })
    expect(code(await reset(tokenIn(second), 'password123'))).toEqual([400, 'InvalidPassword'])
    const both = await Promise.all([reset(tokenIn(second)), reset(tokenIn(second))])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(code(await look(tokenIn(second)))).toEqual([400, 'LinkIsNotValid'])
    expect(await current(visitor)).toBeNull()
    expect(await current(person.client)).toBeNull()
    expect(ok(await logIn(person.email, newPassword)).user.emailVerified).toBe(true)
    const confirming = await visitor.post('/api/auth/confirm', { token: tokenIn(second) })
    expect(code(confirming)).toEqual([400, 'LinkIsNotValid'])
  })

  it('is reset with at most six mails an hour per address; the 31st request from one network gets 429', async () => {
    const person = await createAccount(installation)
    for (let count = 0; count < 8; count++) {
      ok(await installation.visitor().post('/api/auth/forgotPassword', { email: person.email }))
      await runWaiting(installation, forgotPasswordJob)
    }
    expect(await mailsTo(person.email)).toHaveLength(6)
    const visitor = installation.visitor()
    let last = 200
    for (let count = 0; count < 31; count++)
      last = (await visitor.post('/api/auth/forgotPassword', { email: 'x' })).status
    expect(last).toBe(429)
    for (const body of [{ email: { $ne: null } }, { email: ['a@b.jp'] }, {}])
      expect((await installation.visitor().post('/api/auth/forgotPassword', body)).status).toBe(400)
  })

  it('can be guessed at most ten times from an unknown browser in requests to change it', async () => {
    const person = await createAccount(installation)
    const statuses = []
    for (let count = 0; count < 12; count++)
      statuses.push(
        (await person.client.post(`${own(person)}/password`, { password: `no ${count}`, newPassword }))
          .status,
      )
    expect(statuses.at(-1)).toBe(429)
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10)
  })
})

describe('sessions', () => {
  it('are listed with their user agent; their owner can end one session or all except the current one', async () => {
    const person = await createAccount(installation)
    const browser = installation.visitor()
    const agent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Safari/605'
    ok(
      await browser.send(
        'POST',
        '/api/auth/login',
        { email: person.email, password: testPassword },
        { 'user-agent': agent },
      ),
    )
    const third = await signIn(installation, person.id)
    const { sessions } = ok(await person.client.get(`${own(person)}/security`))
    expect(sessions).toHaveLength(3)
    expect(sessions.filter(({ isCurrent }: { isCurrent: boolean }) => isCurrent)).toHaveLength(1)
    const phone = sessions.find(({ userAgent }: { userAgent: string }) => userAgent === agent)
    expect(phone).toMatchObject({ ip: browser.ip, isCurrent: false, lastSeenAt: expect.any(String) })
    const stranger = await createAccount(installation)
    expect((await stranger.client.get(`${own(person)}/security`)).status).toBe(404)
    expect((await stranger.client.delete(`${own(stranger)}/session/${phone._id}`)).status).toBe(404)
    ok(await person.client.delete(`${own(person)}/session/${phone._id}`))
    expect((await person.client.delete(`${own(person)}/session/${phone._id}`)).status).toBe(404)
    expect([await current(browser), (await current(third))?._id]).toEqual([null, person.id])
    ok(await person.client.delete(`${own(person)}/session`))
    expect([await current(third), (await current(person.client))?._id]).toEqual([null, person.id])
  })
})

describe('deleting an account', () => {
  it('is rejected if a shared space would have no admin, and deletes spaces without other members', async () => {
    const [person, colleague] = [await createAccount(installation), await createAccount(installation)]
    const [alone, together] = [await createSpace(person.client), await createSpace(person.client)]
    const memberId = await addMember(installation, together, colleague)
    const remove = (password: string) => person.client.post(`${own(person)}/delete`, { password })
    expect(code(await remove('wrong'))).toEqual([401, 'IncorrectPassword'])
    const refused = await remove(testPassword)
    expect(code(refused)).toEqual([409, 'OtherAdminMembersNotExist'])
    expect(refused.body.spaces).toEqual([{ uid: together.uid, name: expect.any(String) }])
    ok(await person.client.get(alone.url))
    ok(await person.client.put(`${together.url}/member/${memberId}`, { roleId: 'pjt-Admin' }))
    ok(await remove(testPassword))
    expect(await current(person.client)).toBeNull()
    expect((await logIn(person.email)).status).toBe(401)
    expect(ok(await colleague.client.get(`${together.url}/members`)).members).toHaveLength(1)
    const rows = await db()
      .selectFrom('space')
      .select(['uid', 'deleted_at'])
      .where('uid', '=', alone.uid)
      .execute()
    expect(rows).toEqual([{ uid: alone.uid, deleted_at: expect.any(Date) }])
  })

  it('is rejected for the last admin of the installation', async () => {
    const admins = [
      await createAccount(installation, { isAdmin: true }),
      await createAccount(installation, { isAdmin: true }),
    ]
    await db()
      .updateTable('account')
      .set({ is_admin: false })
      .where(
        'id',
        'not in',
        admins.map(({ id }) => id),
      )
      .execute()
    const answers = await Promise.all(
      admins.map((admin) => admin.client.post(`${own(admin)}/delete`, { password: testPassword })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})

describe('an account that is changed concurrently', () => {
  const held = (account: TestAccount): [string, unknown[]] => [
    'SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE',
    [account.id],
  ]
  const sessionsOf = (account: TestAccount) =>
    db().selectFrom('session').select('id_hash').where('account_id', '=', account.id).execute()

  it('rejects a sign-in during which the password is changed', async () => {
    const person = await createAccount(installation)
    const before = (await sessionsOf(person)).length
    const answer = await whileHeld(
      installation,
      held(person),
      () => logIn(person.email),
      (holder) => holder.query(`UPDATE account SET password_hash = 'another' WHERE id = $1`, [person.id]),
    )
    expect(code(answer)).toEqual([401, 'IncorrectPassword'])
    expect(await sessionsOf(person)).toHaveLength(before)
  })

  it('requires a second factor that is enabled during the sign-in', async () => {
    const person = await createAccount(installation)
    const answer = await whileHeld(
      installation,
      held(person),
      () => logIn(person.email),
      (holder) =>
        holder.query(`INSERT INTO totp (account_id, secret, confirmed_at) VALUES ($1, 'sealed', now())`, [
          person.id,
        ]),
    )
    expect(ok(answer)).toMatchObject({ user: null, authenticatingUserId: expect.any(String) })
  })

  it('accepts only one of two password changes with the same current password', async () => {
    const person = await createAccount(installation)
    const secondly = 'nine newts on a wet wall'
    const change = (to: string) =>
      person.client.post(`${own(person)}/password`, { password: testPassword, newPassword: to })
    const answers = await Promise.all([change(newPassword), change(secondly)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
    const winner = answers[0].status === 200 ? newPassword : secondly
    ok(await logIn(person.email, winner))
    expect(await sessionsOf(person)).toHaveLength(2)
  })
})
