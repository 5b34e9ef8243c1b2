import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signupMode } from '#server/access/sign-up.ts'
import { createAccount, type TestAccount, unique } from '#test/factories.ts'
import { linkIn, startMailServer } from '#test/mail-server.ts'
import { sendMails } from '#test/run-now.ts'
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

describe('who may sign up', () => {
  it('is the first, of several at once one, who administers the installation; then who is invited', async () => {
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

  it('is what the installation’s admins set, and the operator has the last word', async () => {
    const set = (signup: string, client = admin.client) =>
      client.put('/api/admin/settings', { data: { signup } })
    const other = await createAccount(installation)
    expect((await set('open', other.client)).status).toBe(403)
    expect((await set('everybody')).status).toBe(400)
    const after = { signupConfirmation: 'after', signupConfirmationIsFixed: false }
    expect(ok(await set('open')).settings).toEqual({ signup: 'open', signupIsFixed: false, ...after })
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
    })
    config.signup = undefined
  })
})

describe('mails without a mail server', () => {
  it('are read by the installation’s admins, until they take them away or set one', async () => {
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

describe('mails with a mail server', () => {
  it('are tried out at once, and those that it does not take are told with its answer', async () => {
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
