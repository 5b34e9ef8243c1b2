import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signupMode } from '#server/access/sign-up.ts'
import { forgotPasswordJob } from '#server/features/account-security/account-security.jobs.ts'
import { createAccount, signIn, type TestAccount, testPassword, unique } from '#test/factories.ts'
import { linkIn, startMailServer } from '#test/mail-server.ts'
import { runWaiting, sendMails } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'

/** Neither sign-up nor a mail server is configured. */
let installation: TestInstallation
let admin: TestAccount
beforeAll(async () => {
  installation = await startInstallation({ IMORI_SIGNUP: '' })
})
afterAll(() => installation?.close())

const signUp = (more: object = {}) =>
  installation.visitor().post('/api/auth/signup', {
    email: `${unique('someone')}@example.com`,
    password: 'a pond full of red newts',
    ...more,
  })
const state = async () => ok(await installation.visitor().get('/api/auth/signupState'))
const code = (answer: { status: number; body: { code?: string } }) => [answer.status, answer.body.code]

describe('the sign-up setting', () => {
  it('by default, admits one of several concurrent first accounts as admin, then requires invitations', async () => {
    expect(await state()).toEqual({ firstAccount: true, signup: 'open' })
    const answers = await Promise.all(Array.from({ length: 4 }, () => signUp()))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403])
    const first = answers.find(({ status }) => status === 200)
    expect(first?.body.account.isAdmin).toBe(true)
    const refused = answers.find(({ status }) => status === 403)
    expect(refused?.body).toMatchObject({
      code: 'InvitationRequired',
      errorMessage: expect.stringMatching(/招待/),
    })
    expect(await installation.database.kysely.selectFrom('account').select('id').execute()).toHaveLength(1)
    expect(await state()).toEqual({ firstAccount: false, signup: 'invited' })
    expect(code(await signUp({ invitationCode: 'guess' }))).toEqual([400, 'InvalidInvitationCode'])
    admin = await createAccount(installation, { isAdmin: true })
  })

  it('is changed by the installation’s admins, unless the operator has set it', async () => {
    const set = (signup: string, client = admin.client) =>
      client.put('/api/admin/settings', { data: { signup } })
    const other = await createAccount(installation)
    expect((await set('open', other.client)).status).toBe(403)
    expect((await set('everybody')).status).toBe(400)
    const after = { signupConfirmation: 'after', signupConfirmationIsFixed: false }
    expect(ok(await set('open')).settings).toEqual({
      signup: 'open',
      signupIsFixed: false,
      ...after,
      spaceCreation: 'everyone',
      spaceCreationIsFixed: false,
    })
    expect(await state()).toEqual({ firstAccount: false, signup: 'open' })
    expect(ok(await signUp()).account.isAdmin).toBe(false)
    ok(await set('closed'))
    expect(code(await signUp())).toEqual([403, 'SignupIsClosed'])
    expect(ok(await admin.client.get('/api/admin/settings')).settings.signup).toBe('closed')
    const { config } = installation.deps.services
    expect(await signupMode(installation.database.kysely, { ...config, signup: 'open' })).toBe('open')
    config.signup = 'invited'
    expect(code(await set('open'))).toEqual([409, 'SettingIsFixed'])
    expect(ok(await admin.client.get('/api/admin/settings')).settings).toEqual({
      signup: 'invited',
      signupIsFixed: true,
      ...after,
      spaceCreation: 'admins',
      spaceCreationIsFixed: false,
    })
    config.signup = undefined
  })
})

describe('creating spaces', () => {
  let person: TestAccount
  beforeAll(async () => {
    person = await createAccount(installation)
  })
  const create = ({ client }: TestAccount) =>
    client.post('/api/project', { project: { uid: unique('created'), name: '池' } })
  const may = async ({ client }: TestAccount) => ok(await client.get('/api/project')).mayCreateSpaces
  const set = (data: object, { client }: TestAccount = admin) => client.put('/api/admin/settings', { data })
  const everything = () => set({ signup: 'invited', spaceCreation: 'everyone' })
  const forget = () => installation.database.pool.query('DELETE FROM installation_setting')

  it('is by default allowed for admins of the installation, and for everyone while sign-up is open', async () => {
    await forget()
    expect(await may(person)).toBe(false)
    const refused = await create(person)
    expect(code(refused)).toEqual([403, 'SpaceCreationIsRestricted'])
    expect(ok(await person.client.get('/api/project')).projects).toEqual([])
    expect(await may(admin)).toBe(true)
    ok(await create(admin))
    expect(ok(await set({ signup: 'open' })).settings.spaceCreation).toBe('everyone')
    expect(await may(person)).toBe(true)
    ok(await create(person))
    ok(await set({ signup: 'closed' }))
    expect(code(await create(person))).toEqual([403, 'SpaceCreationIsRestricted'])
  })

  it('follows the setting of an admin, regardless of the sign-up setting', async () => {
    ok(await everything())
    expect(await may(person)).toBe(true)
    ok(await create(person))
    ok(await set({ signup: 'open', spaceCreation: 'admins' }))
    expect(await may(person)).toBe(false)
    expect(code(await create(person))).toEqual([403, 'SpaceCreationIsRestricted'])
    ok(await create(admin))
    expect((await set({ spaceCreation: 'everyone' }, person)).status).toBe(403)
    expect((await set({ spaceCreation: 'nobody' })).status).toBe(400)
    expect(ok(await admin.client.get('/api/admin/auditLog?limit=5')).auditLogs).toContainEqual(
      expect.objectContaining({
        act: 'account.signupMode',
        details: expect.objectContaining({
          changes: expect.arrayContaining([
            expect.objectContaining({ key: 'spaceCreation', after: 'admins' }),
          ]),
        }),
      }),
    )
    ok(await everything())
  })

  it('follows the configuration of the operator, regardless of the setting of the admins', async () => {
    const { config } = installation.deps.services
    ok(await everything())
    config.spaceCreation = 'admins'
    try {
      expect(code(await create(person))).toEqual([403, 'SpaceCreationIsRestricted'])
      expect(code(await set({ spaceCreation: 'everyone' }))).toEqual([409, 'SettingIsFixed'])
      expect(ok(await admin.client.get('/api/admin/settings')).settings).toMatchObject({
        spaceCreation: 'admins',
        spaceCreationIsFixed: true,
      })
    } finally {
      config.spaceCreation = undefined
    }
    ok(await create(person))
  })

  it('is allowed for the first account even if sign-up is closed and only admins may create spaces', async () => {
    const fresh = await startInstallation({ IMORI_SIGNUP: 'closed', IMORI_SPACE_CREATION: 'admins' })
    try {
      const first = fresh.visitor()
      const account = { email: 'first@example.com', password: 'a pond full of red newts' }
      ok(await first.post('/api/auth/signup', account))
      expect(ok(await first.get('/api/project'))).toEqual({ projects: [], mayCreateSpaces: true })
      ok(await first.post('/api/project', { project: { uid: 'first', name: '池' }, template: 'blog' }))
    } finally {
      await fresh.close()
    }
  })
})

describe('mails without a mail server', () => {
  it('are readable by the installation’s admins until deleted or until a mail server is set', async () => {
    const { client, id, email } = await createAccount(installation)
    ok(await client.post(`/api/account/${id}/emailVerification`))
    await sendMails(installation)
    expect((await client.get('/api/admin/mails')).status).toBe(403)
    const read = async () => ok(await admin.client.get('/api/admin/mails'))
    const { isSent, mails } = await read()
    expect(isSent).toBe(false)
    const mail = mails.find(({ to }: { to: string }) => to === email)
    expect(mail).toMatchObject({ language: 'ja', subject: 'メールアドレスの確認' })
    const token = linkIn(mail).split('#')[1]
    ok(await installation.visitor().post('/api/auth/confirm', { token }))
    ok(await admin.client.delete(`/api/admin/mails/${mail._id}`))
    expect((await read()).mails).toHaveLength(mails.length - 1)
    expect((await admin.client.delete('/api/admin/mails/x')).status).toBe(404)
    const { config } = installation.deps.services
    config.mail.url = 'smtp://localhost:1'
    expect(await read()).toEqual({ isSent: true, mails: [], troubles: null })
    config.mail.url = undefined
  })
})

it('a request for a password reset returns the same status and body for known and unknown addresses', async () => {
  const { email } = await createAccount(installation)
  const stranger = `${unique('stranger')}@example.com`
  const answers = []
  for (const address of [email, stranger]) {
    const { status, text } = await installation.visitor().post('/api/auth/forgotPassword', { email: address })
    answers.push([status, text])
  }
  expect(answers[0]).toEqual([200, '{"success":true}'])
  expect(answers[1]).toEqual(answers[0])
  await runWaiting(installation, forgotPasswordJob)
  await sendMails(installation)
  const { mails } = ok(await admin.client.get('/api/admin/mails'))
  const mailTo = (address: string) => mails.find(({ to }: { to: string }) => to === address)
  expect(mailTo(stranger)).toBeUndefined()
  const token = linkIn(mailTo(email)).split('#')[1]
  ok(
    await installation
      .visitor()
      .post('/api/auth/resetPassword', { token, password: 'seven newts under a bridge' }),
  )
})

describe('the email address of the caller without a mailed link', () => {
  const confirm = ({ client, id }: TestAccount, password = testPassword) =>
    client.post(`/api/account/${id}/emailConfirmation`, { password })
  const verified = async ({ client }: TestAccount) =>
    ok(await client.get('/api/auth/getCurrentAccount')).currentAccount?.emailVerified

  it('can be confirmed by an admin of the installation with the password if no mail server is set', async () => {
    const operator = await createAccount(installation, { isAdmin: true })
    ok(await operator.client.post(`/api/account/${operator.id}/emailVerification`))
    await sendMails(installation)
    const { mails } = ok(await operator.client.get('/api/admin/mails'))
    const elsewhere = await signIn(installation, operator.id)
    expect(code(await confirm(operator, 'wrong'))).toEqual([401, 'IncorrectPassword'])
    expect(await verified(operator)).toBe(false)
    ok(await confirm(operator))
    expect(await verified(operator)).toBe(true)
    expect(ok(await elsewhere.get('/api/auth/getCurrentAccount')).currentAccount).toBeNull()
    const token = linkIn(mails.find(({ to }: { to: string }) => to === operator.email)).split('#')[1]
    expect(code(await installation.visitor().post('/api/auth/confirm', { token }))).toEqual([
      400,
      'LinkIsNotValid',
    ])
    const { rows } = await installation.database.pool.query(
      "SELECT outcome, details FROM audit_entry WHERE act = 'account.confirmEmail' AND object_id = $1 ORDER BY id",
      [operator.id],
    )
    expect(rows).toMatchObject([
      { outcome: 'IncorrectPassword' },
      { outcome: 'done', details: { withoutMail: true } },
    ])
  })

  it('cannot be confirmed by users who are not admins, or while a mail server is set', async () => {
    const [member, operator] = [
      await createAccount(installation),
      await createAccount(installation, { isAdmin: true }),
    ]
    expect(code(await confirm(member))).toEqual([403, 'Forbidden'])
    expect(code(await confirm({ ...operator, id: member.id }))).toEqual([404, 'NotFound'])
    const { config } = installation.deps.services
    config.mail.url = 'smtp://localhost:1'
    try {
      expect(code(await confirm(operator))).toEqual([409, 'MailServerIsSet'])
    } finally {
      config.mail.url = undefined
    }
    expect([await verified(member), await verified(operator)]).toEqual([false, false])
  })
})

it('visitors can see whether the server sends mail', async () => {
  const ask = async () => ok(await installation.visitor().get('/api/auth/getCurrentAccount'))
  expect(await ask()).toEqual({ currentAccount: null, sendsMail: false })
  const { config } = installation.deps.services
  config.mail.url = 'smtp://localhost:1'
  try {
    expect(await ask()).toEqual({ currentAccount: null, sendsMail: true })
  } finally {
    config.mail.url = undefined
  }
})

describe('mails with a mail server', () => {
  it('can be tested, and a rejected mail is reported with the error of the server', async () => {
    const server = await startMailServer()
    const { config } = installation.deps.services
    config.mail.url = server.url
    try {
      const { client, id } = await createAccount(installation)
      expect((await client.post('/api/admin/mails/test')).status).toBe(403)
      expect(ok(await admin.client.post('/api/admin/mails/test'))).toEqual({ to: admin.email, problem: null })
      const [arrived] = server.mails.splice(0)
      expect(arrived).toMatchObject({ subject: 'メールの送信テストです' })
      expect(arrived?.to).toMatchObject({ value: [{ address: admin.email }] })
      server.refuse(550)
      expect(ok(await admin.client.post('/api/admin/mails/test')).problem).toEqual({
        code: 'MailRefused',
        message: '550 Not now',
      })
      server.refuse(451)
      ok(await client.post(`/api/account/${id}/emailVerification`))
      await sendMails(installation).catch(() => undefined)
      expect(ok(await admin.client.get('/api/admin/mails')).troubles).toEqual({
        waiting: 1,
        givenUp: 0,
        error: { code: 'MailServerUnavailable', message: '451 Not now' },
      })
    } finally {
      config.mail.url = undefined
      await server.close()
    }
  })
})
