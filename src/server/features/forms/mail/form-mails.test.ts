import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { formMailLimit, formReplyLimits } from '#server/access/attempts.ts'
import { spaceScope } from '#server/db/scope.ts'
import { newId } from '#server/lib/ids.ts'
import type { FormInput } from '#shared/contract/forms.ts'
import { type FormNotification, formMailLimits } from '#shared/forms/mail.ts'
import { addMember, createAccount, createMember, createSpace, type TestAccount } from '#test/factories.ts'
import { type MailServer, startMailServer } from '#test/mail-server.ts'
import { formValues } from '#test/matrix-fixture.ts'
import { runWaiting, sendMails } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { whileHeld } from '#test/while-held.ts'
import { enqueueFormMails, mailSubmissionsJob } from './form-mails.jobs.ts'

let installation: TestInstallation
let server: MailServer
let admin: TestAccount
let space: { uid: string; url: string }
let spaceId: number

beforeAll(async () => {
  server = await startMailServer()
  installation = await startInstallation({ IMORI_SMTP_URL: server.url, IMORI_MAIL_FROM: 'cms@example.com' })
  admin = await createAccount(installation, { verified: true })
  space = await createSpace(admin.client)
  const { id } = await db()
    .selectFrom('space')
    .select('id')
    .where('uid', '=', space.uid)
    .executeTakeFirstOrThrow()
  spaceId = id
  for (const email of ['staff@example.com', 'boss@example.com'])
    await addMember(installation, space, await createAccount(installation, { email, verified: true }))
})
afterAll(async () => {
  await installation?.close()
  await server?.close()
})
beforeEach(() => {
  server.mails.length = 0
})

const db = () => installation.database.kysely

const email = { type: 'email', name: 'mail', label: { ja: 'メール', en: 'E-mail' } } as const
const name = { type: 'text', name: 'お名前', label: { ja: 'お名前', en: 'Name' } } as const
const notification: FormNotification = {
  to: ['staff@example.com', 'boss@example.com'],
  language: 'ja',
  includesValues: true,
}
const reply = {
  enabled: true,
  subject: { ja: '{{お名前}} 様、受け付けました', en: 'Thank you, {{お名前}}' },
  body: {
    ja: '{{お名前}} 様\n\nお問い合わせ{{ない}}ありがとうございます。',
    en: 'Dear {{お名前}},\n\nthank you.',
  },
  replyTo: 'desk@example.com',
}

const create = async (values: Partial<FormInput>) =>
  ok(
    await admin.client.post(`${space.url}/form`, {
      data: { name: '資料請求', fields: [name, email], ...values },
    }),
  ).form as { _id: string; formId: string }

const send = async (form: { formId: string }, body: object, headers: Record<string, string> = {}) =>
  ok(await installation.visitor().send('POST', `/${space.uid}.form/v1/${form.formId}`, body, headers))

/** Runs the jobs of forms and of mails, and returns the mails by recipient. */
async function mails() {
  await runWaiting(installation, mailSubmissionsJob)
  await sendMails(installation)
  const sorted = server.mails.splice(0).map((mail) => ({
    to: [mail.to].flat()[0]?.text ?? '',
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    replyTo: mail.replyTo?.text,
    headers: mail.headers,
  }))
  return sorted.sort((a, b) => (a.to < b.to ? -1 : 1))
}

/** Returns the sorted states of the replies of a form. */
async function replyStates(form: { _id: string }): Promise<(string | null)[]> {
  const url = `${space.url}/form/${form._id}/message`
  const { submissions } = ok(await admin.client.get(url))
  const states = submissions.map(
    async ({ _id }: { _id: string }) => ok(await admin.client.get(`${url}/${_id}`)).submission.replyState,
  )
  return (await Promise.all(states)).sort()
}

describe('a notification', () => {
  it('is sent to each address with labels, values, and the address of the visitor to answer to', async () => {
    const form = await create({ notification })
    await send(form, { お名前: '山田 花子', mail: 'Hanako@Example.com', ご要望: '<b>太字</b>\n二行目' })
    const [boss, staff, ...others] = await mails()
    expect(others).toEqual([])
    expect([boss?.to, staff?.to]).toEqual(['boss@example.com', 'staff@example.com'])
    expect(staff).toMatchObject({
      subject: 'フォーム「資料請求」に新しい送信がありました',
      replyTo: 'hanako@example.com',
    })
    expect(staff?.text).toContain('【お名前】\n山田 花子')
    expect(staff?.text).toContain('【メール】\nHanako@Example.com')
    expect(staff?.text).toContain('<b>太字</b>\n二行目')
    expect(staff?.text).toMatch(new RegExp(`/${space.uid}/-/forms/${form._id}\\?message=[0-9a-f]{24}`))
    expect(await mails()).toEqual([])
  })

  it('contains no values if the form does not include them', async () => {
    const form = await create({ notification: { ...notification, language: 'en', includesValues: false } })
    await send(form, { お名前: '山田 花子', mail: 'a@example.com' })
    const [mail] = await mails()
    expect(mail?.subject).toBe('New submission of “資料請求”')
    expect(mail?.text).not.toContain('山田')
    expect(mail?.replyTo).toBeUndefined()
  })

  it('has no header of the visitor, also for line breaks in names and addresses', async () => {
    const form = await create({ name: '一行', notification, reply })
    await send(form, {
      お名前: 'a\r\nBcc: victim@example.com',
      mail: 'b@example.com\r\nBcc: victim@example.com',
    }).catch(() => undefined)
    await send(form, { お名前: 'a\r\nBcc: victim@example.com', mail: 'b@example.com' })
    const sent = await mails()
    expect(sent.map(({ to }) => to).sort()).toEqual([
      'b@example.com',
      'boss@example.com',
      'staff@example.com',
    ])
    for (const { headers } of sent) expect([headers.has('bcc'), headers.has('cc')]).toEqual([false, false])
  })

  it('summarizes many submissions, and then waits', async () => {
    const form = await create({ notification: { ...notification, to: ['staff@example.com'] } })
    const many = formMailLimits.singleTogether + 1
    for (let n = 0; n < many; n++) await send(form, { お名前: `${n}`, mail: 'a@example.com' })
    expect((await mails()).map(({ subject }) => subject)).toEqual([
      `フォーム「資料請求」に${many}件の新しい送信がありました`,
    ])
    await send(form, { お名前: 'あとから', mail: 'a@example.com' })
    expect(await mails()).toEqual([])
    await sql`UPDATE form SET notify_after = now() WHERE id = ${form._id}`.execute(
      installation.database.kysely,
    )
    expect((await mails()).map(({ text }) => text.includes('あとから'))).toEqual([true])
  })

  it('summarizes a single submission over the hourly limit with true sentences', async () => {
    const form = await create({
      notification: { ...notification, to: ['staff@example.com'], language: 'en' },
    })
    const { key } = formMailLimit(form._id)
    await db()
      .insertInto('attempt')
      .values({ key, window_start: sql`now()`, count: formMailLimits.singlePerHour })
      .execute()
    await send(form, { お名前: 'a', mail: 'a@example.com' })
    const [mail] = await mails()
    expect(mail?.subject).toBe('1 new submission of “資料請求”')
    expect(mail?.text).toContain('has 1 new submission.')
    expect(mail?.text).not.toContain('Many')
  })

  it('follows a summary that does not count all submissions', { tags: ['full'] }, async () => {
    const form = await create({ notification: { ...notification, to: ['staff@example.com'] } })
    await sql`INSERT INTO form_submission (space_id, id, form_id, "values", language, awaits_notification)
      SELECT ${spaceId}, lpad(to_hex(n), 24, '0'), ${form._id}, '[]', 'ja', true
      FROM generate_series(1, 50001) n`.execute(db())
    await enqueueFormMails(db(), spaceScope(spaceId), form._id, 0)
    expect((await mails()).map(({ subject }) => subject)).toEqual([expect.stringContaining('50000件')])
    await sql`UPDATE form SET notify_after = now() WHERE id = ${form._id}`.execute(db())
    expect(await mails()).toHaveLength(1)
  })

  it('is sent after the form was restored from the trash', async () => {
    const form = await create({ notification: { ...notification, to: ['staff@example.com'] } })
    await send(form, { お名前: 'a', mail: 'a@example.com' })
    ok(await admin.client.delete(`${space.url}/form/${form._id}`))
    expect(await mails()).toEqual([])
    ok(await admin.client.post(`${space.url}/form/${form._id}:restore`))
    expect(await mails()).toHaveLength(1)
  })

  it('is sent for a submission whose transaction commits after the job has started', async () => {
    const form = await create({ notification: { ...notification, to: ['staff@example.com'] } })
    const insert = `INSERT INTO form_submission (space_id, id, form_id, "values", language, awaits_notification)
      VALUES ($1, $2, $3, '[]', 'ja', true)`
    const run = async () => {
      await enqueueFormMails(db(), spaceScope(spaceId), form._id, 0)
      await runWaiting(installation, mailSubmissionsJob)
    }
    await whileHeld(installation, [insert, [spaceId, newId(), form._id]], run, async () => undefined)
    expect(await mails()).toHaveLength(1)
  })

  it('rejects new addresses that are not confirmed addresses of members', async () => {
    const unconfirmed = await createMember(installation, space)
    const { email: stranger } = await createAccount(installation, { verified: true })
    const to = ['Staff@Example.com', unconfirmed.email, stranger, 'nobody@example.com']
    const data = { name: 'a', notification: { ...notification, to } }
    const refusal = {
      code: 'ValidationFailed',
      issues: [1, 2, 3].map((at) => ({ path: `data.notification.to.${at}`, code: 'NotAMember' })),
    }
    expect((await admin.client.post(`${space.url}/form`, { data })).body).toMatchObject(refusal)
    const { _id } = await create({})
    const update = { data: { ...formValues, ...data, version: 1 } }
    expect((await admin.client.put(`${space.url}/form/${_id}`, update)).body).toMatchObject(refusal)
  })

  it('skips the address of a former member, which an update may keep', async () => {
    const former = await createAccount(installation, { verified: true })
    const memberId = await addMember(installation, space, former)
    const to = [former.email, 'staff@example.com']
    const form = await create({ notification: { ...notification, to } })
    ok(await admin.client.delete(`${space.url}/member/${memberId}`))
    await send(form, { お名前: 'a', mail: 'a@example.com' })
    expect((await mails()).map((mail) => mail.to)).toEqual(['staff@example.com'])
    const data = { ...formValues, name: 'b', version: 1, notification: { ...notification, to } }
    expect(
      ok(await admin.client.put(`${space.url}/form/${form._id}`, { data })).form.notification.to,
    ).toEqual(to)
  })

  it('omits spam and submissions in the trash', async () => {
    const form = await create({ notification })
    await send(form, { お名前: 'a', mail: 'a@example.com' })
    await sql`UPDATE form_submission SET state = 'spam' WHERE form_id = ${form._id}`.execute(
      installation.database.kysely,
    )
    expect(await mails()).toEqual([])
  })
})

describe('an automatic reply', () => {
  it('is sent in the language of the visitor, with the values as plain text', async () => {
    const form = await create({ reply })
    const link = 'https://evil.example/win'
    await send(form, { お名前: link, mail: 'v1@example.com' }, { 'accept-language': 'en' })
    await send(form, { お名前: '花子', mail: 'v2@example.com' }, { 'accept-language': 'ja' })
    const [english, japanese, ...others] = await mails()
    expect(others).toEqual([])
    expect(english?.subject).toContain('Thank you, ')
    expect(english?.text).not.toContain(link)
    expect(japanese).toMatchObject({
      to: 'v2@example.com',
      subject: '花子 様、受け付けました',
      replyTo: 'desk@example.com',
    })
    expect(japanese?.text).toContain('花子 様\n\nお問い合わせありがとうございます。')
    expect(japanese?.headers.get('auto-submitted')).toBe('auto-generated')
  })

  it('is completely in the other language if its text has one language only', async () => {
    const form = await create({ reply: { ...reply, body: { ...reply.body, en: ' ' } } })
    await send(form, { お名前: '花子', mail: 'v3@example.com' }, { 'accept-language': 'en' })
    const [mail] = await mails()
    expect(mail?.text).toContain('このメールは、フォームに')
    expect(mail?.text).not.toMatch(/This (e)?mail/)
    const url = `${space.url}/form/${form._id}/mail:preview`
    const data = { kind: 'reply', language: 'ja', reply: { ...reply, body: { ja: '', en: 'Hi' } } }
    expect(ok(await admin.client.post(url, { data })).text).toContain('This email was sent')
  })

  it('is limited per address without its tag, and the submission says so', async () => {
    const form = await create({ reply })
    for (let n = 0; n <= formMailLimits.repliesPerAddress; n++)
      await send(form, { お名前: `${n}`, mail: `${n % 2 ? 'victim' : 'Victim'}+${n}@example.com` })
    expect(await mails()).toHaveLength(formMailLimits.repliesPerAddress)
    expect(await replyStates(form)).toEqual([
      'limited',
      ...Array(formMailLimits.repliesPerAddress).fill('queued'),
    ])
  })

  it('is limited per space, and does not count for the address if it is not sent', async () => {
    const { space: limit, address } = formReplyLimits(spaceScope(spaceId), 'limited@example.com')
    await db()
      .insertInto('attempt')
      .values({ key: limit.key, window_start: sql`now()`, count: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const count = async (key: string) =>
      (await db().selectFrom('attempt').select('count').where('key', '=', key).executeTakeFirst())?.count
    const before = (await count(limit.key)) ?? 0
    await db()
      .updateTable('attempt')
      .set({ count: formMailLimits.repliesPerSpace })
      .where('key', '=', limit.key)
      .execute()
    const form = await create({ reply })
    await send(form, { お名前: 'a', mail: 'limited@example.com' })
    expect(await mails()).toEqual([])
    expect(await replyStates(form)).toEqual(['limited'])
    expect([await count(limit.key), await count(address.key)]).toEqual([formMailLimits.repliesPerSpace, 0])
    await db().updateTable('attempt').set({ count: before }).where('key', '=', limit.key).execute()
  })

  it('is not sent to an address with other letters than ASCII', async () => {
    const form = await create({ reply })
    await send(form, { お名前: 'a', mail: 'hanako@例え.example' })
    await sql`UPDATE form_submission SET email = 'hanako@例え.example', awaits_reply = true WHERE form_id = ${form._id}`.execute(
      db(),
    )
    await enqueueFormMails(db(), spaceScope(spaceId), form._id, 0)
    expect(await mails()).toEqual([])
    expect(await replyStates(form)).toEqual([null])
  })

  it('rejects an enabled reply without a text, and a subject of several lines', async () => {
    const data = (changes: object) => ({ data: { name: 'a', reply: { ...reply, ...changes } } })
    const post = (body: object) => admin.client.post(`${space.url}/form`, body)
    expect((await post(data({ body: { ja: ' ', en: '' } }))).body).toMatchObject({
      code: 'ValidationFailed',
      issues: [{ path: 'data.reply.body', code: 'Required' }],
    })
    expect((await post(data({ subject: { ja: 'a\nBcc: b@example.com', en: '' } }))).body).toMatchObject({
      issues: [{ path: 'data.reply.subject.ja', code: 'InvalidCharacter' }],
    })
  })
})

describe('a caller without the right to read submissions', () => {
  it('cannot have their values or the answers to replies sent to an address', async () => {
    const rights = ['space.view', 'form.read', 'form.manage']
    const { role } = ok(
      await admin.client.post(`${space.url}/role`, { data: { name: 'フォーム係', rights } }),
    )
    const { client } = await createMember(installation, space, role.uid)
    const answer = await client.post(`${space.url}/form`, { data: { name: 'a', notification } })
    expect([answer.status, answer.body.issues]).toEqual([
      403,
      [{ path: 'data.notification', code: 'NotAllowed' }],
    ])
    const replying = await client.post(`${space.url}/form`, { data: { name: 'a', reply } })
    expect([replying.status, replying.body.issues]).toEqual([
      403,
      [{ path: 'data.reply.replyTo', code: 'NotAllowed' }],
    ])
    const form = await create({ name: 'b', reply })
    const update = { ...formValues, version: 1, reply: { ...reply, enabled: false } }
    expect(ok(await client.put(`${space.url}/form/${form._id}`, { data: update })).form.version).toBe(2)
    const withoutValues = { ...notification, includesValues: false }
    ok(await client.post(`${space.url}/form`, { data: { name: 'b', notification: withoutValues } }))
  })
})

describe('the preview and the test', () => {
  it('return and send an example in the language of the mail', async () => {
    const form = await create({})
    const url = `${space.url}/form/${form._id}/mail`
    const preview = ok(
      await admin.client.post(`${url}:preview`, { data: { kind: 'reply', language: 'ja', reply } }),
    )
    expect(preview).toMatchObject({ subject: '山田 花子 様、受け付けました' })
    const test = ok(await admin.client.post(`${url}:test`, { data: { kind: 'notification', notification } }))
    const [mail, ...others] = await mails()
    expect(others).toEqual([])
    expect([mail?.to, test.to]).toEqual([admin.email, admin.email])
    expect(mail?.text).toContain('【お名前】\n山田 花子')
  })
  it('reject another test mail of the form within ten seconds, and strangers without an effect', async () => {
    const form = await create({})
    const url = `${space.url}/form/${form._id}/mail:test`
    const data = { kind: 'notification', notification }
    for (let n = 0; n < 7; n++) expect((await installation.visitor().post(url, { data })).status).toBe(401)
    ok(await admin.client.post(url, { data }))
    const refused = await admin.client.post(url, { data })
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '10'])
    await sql`UPDATE form SET test_mailed_at = now() - interval '10 seconds' WHERE id = ${form._id}`.execute(
      db(),
    )
    ok(await admin.client.post(url, { data }))
    expect(await mails()).toHaveLength(2)
  })
})
