import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Job } from '#server/jobs/job.ts'
import { createKeyring } from '#server/lib/keyring.ts'
import type { Mail } from '#server/mail/mail.ts'
import { renderMail } from '#server/mail/mail-text.ts'
import { safeName } from '#server/mail/safe-name.ts'
import { mailTemplates } from '#server/mail/templates/index.ts'
import { linkIn, type MailServer, startMailServer } from '#test/mail-server.ts'
import { runQueued } from '#test/run-now.ts'
import { startInstallation, type TestInstallation, testSecrets } from '#test/server.ts'
import { listKeptMails } from './kept-mails.ts'
import { cleanUpMailsJob, sendBulkMailJob, sendMailJob } from './send-mail.ts'

const link = 'https://cms.example.com/reset-password?token=secret-of-the-link'
const mail: Mail = {
  to: 'hanako@例え.example',
  language: 'ja',
  template: 'resetPassword',
  values: { name: '山田 花子', link, minutes: 30 },
}

let installation: TestInstallation
let server: MailServer
beforeAll(async () => {
  ;[installation, server] = await Promise.all([
    startInstallation({ IMORI_URL: 'https://cms.example.com', IMORI_MAIL_FROM: '編集部 <cms@example.com>' }),
    startMailServer(),
  ])
})
afterAll(async () => {
  await server?.close()
  await installation?.close()
})

const db = () => installation.database.kysely
const keyring = createKeyring(testSecrets.encryptionKeys)
async function send(
  what: Mail,
  { smtp = true, from = installation, kind }: { smtp?: boolean; from?: TestInstallation; kind?: 'bulk' } = {},
) {
  await installation.deps.services.mail.send(db(), what, kind ? { kind } : {})
  const job = await db()
    .selectFrom('job')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  const sending = kind ? sendBulkMailJob : sendMailJob
  return { job, after: smtp ? await again(job.id, from, sending) : await runQueued(from, sending, job.id) }
}

/** Runs a mail job with the URL of the test's mail server in its configuration. */
function again(id: string, { deps, ...rest } = installation, job: Job = sendMailJob) {
  const config = { ...deps.services.config, mail: { ...deps.services.config.mail, url: server.url } }
  return runQueued({ ...rest, deps: { ...deps, services: { ...deps.services, config } } }, job, id)
}

describe('a mail', () => {
  it('arrives as Japanese text and HTML, and its job has no readable content', async () => {
    const { job, after } = await send(mail)
    expect(after.state).toBe('done')
    expect(JSON.stringify(job)).not.toMatch(/secret-of-the-link|hanako|花子/)
    const [arrived] = server.mails.splice(0)
    expect(arrived).toMatchObject({ subject: 'パスワードの再設定', messageId: `<${job.id}@example.com>` })
    expect(arrived?.from?.value).toEqual([{ address: 'cms@example.com', name: '編集部' }])
    expect(arrived?.to).toMatchObject({ value: [{ address: expect.stringMatching(/^hanako@/) }] })
    expect(arrived?.headers.get('auto-submitted')).toBe('auto-generated')
    expect(linkIn(arrived ?? {})).toBe(link)
    expect(arrived?.text).toContain('山田 花子 様')
    expect(arrived?.html).toContain(`href="${link}"`)
    expect(arrived?.html).toContain('lang="ja"')
    expect(await listKeptMails(db(), keyring)).toEqual([])
  })

  it('is retried if the server refuses it, and is not sent after `expiresAt`', async () => {
    server.refuse(451)
    const refused = await send(mail)
    expect(refused.after).toMatchObject({ state: 'waiting', failures: 1 })
    expect(refused.after.error).toEqual({ code: 'MailServerUnavailable', message: '451 Not now' })
    server.refuse(550)
    const { job, after } = await send(mail)
    expect(after.error).toEqual({ code: 'MailRefused', message: '550 Not now' })
    await again(job.id)
    expect(await again(job.id)).toMatchObject({ state: 'stopped', error: { code: 'MailRefused', times: 3 } })
    server.refuse(null)
    expect(await again(refused.job.id)).toMatchObject({ state: 'done' })
    expect(server.mails.splice(0)).toHaveLength(1)
    await send({ ...mail, expiresAt: new Date(Date.now() - 1000) })
    expect(server.mails).toEqual([])
  })

  it('in bulk is not retried after a final refusal, not stored, and not listed after it was sent', async () => {
    const job = sendBulkMailJob
    server.refuse(550)
    const refused = await send(mail, { kind: 'bulk' })
    expect(refused.job).toMatchObject({ name: 'mail.sendBulk', priority: 10, is_network: true })
    expect(refused.after).toMatchObject({ state: 'failed', error: { code: 'MailRefused' } })
    server.refuse(451)
    const busy = await send(mail, { kind: 'bulk' })
    expect(busy.after).toMatchObject({ state: 'waiting', failures: 1 })
    server.refuse(null)
    await expect(again(busy.job.id, installation, job)).rejects.toThrow('no result')
    expect(server.mails.splice(0)).toHaveLength(1)
    await expect(send(mail, { kind: 'bulk', smtp: false })).rejects.toThrow('no result')
    expect(await listKeptMails(db(), keyring)).toEqual([])
  })

  it('is not enqueued if its transaction fails', async () => {
    const before = await db().selectFrom('job').select('id').execute()
    await expect(
      db()
        .transaction()
        .execute(async (tx) => {
          await installation.deps.services.mail.send(tx, mail)
          throw new Error('Something else went wrong')
        }),
    ).rejects.toThrow('Something else')
    expect(await db().selectFrom('job').select('id').execute()).toEqual(before)
  })

  it('is stored encrypted for a limited time if there is no mail server', async () => {
    const { job } = await send({ ...mail, language: 'en' }, { smtp: false })
    const [row] = await db().selectFrom('kept_mail').selectAll().execute()
    expect(row?.content).not.toMatch(/secret|hanako/)
    const [kept] = await listKeptMails(db(), keyring)
    expect(kept).toMatchObject({ id: job.id, to: mail.to, language: 'en', subject: 'Reset your password' })
    expect(kept?.text).toContain(link)
    await db()
      .updateTable('kept_mail')
      .set({ created_at: new Date(Date.now() - 8 * 86_400_000) })
      .execute()
    expect(await listKeptMails(db(), keyring)).toEqual([])
    const cleaning = { db: db() } as Parameters<typeof cleanUpMailsJob.handler>[0]
    await cleanUpMailsJob.handler(cleaning)
    expect(await db().selectFrom('kept_mail').select('id').execute()).toEqual([])
  })

  it('has its link logged only if no mail server is configured and the operator allows logging', async () => {
    const lines: string[] = []
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
    await installation.deps.services.mail.send(db(), mail)
    const { payload } = await db()
      .selectFrom('job')
      .select('payload')
      .where('state', '=', 'waiting')
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    const { services } = installation.deps
    const { config } = services
    const run = async (url: string | undefined, logged: boolean) => {
      await sendMailJob.handler({
        payload,
        db: db(),
        actor: { kind: 'job', id: 'f'.repeat(24), name: 'mail.send' },
        services: { ...services, log, config: { ...config, mail: { ...config.mail, url, logged } } },
      } as Parameters<typeof sendMailJob.handler>[0])
      return lines.splice(0).join()
    }
    for (const logged of [false, true])
      expect(await run(server.url, logged)).not.toMatch(/secret-of-the-link|hanako/)
    const quiet = await run(undefined, false)
    expect(quiet).not.toMatch(/secret-of-the-link|hanako|花子|パスワード/)
    expect(quiet).toContain('"template":"resetPassword"')
    expect(quiet).toContain('https://cms.example.com/admin/mails')
    expect(await run(undefined, true)).toContain('secret-of-the-link')
  })
})

describe('the text of a mail', () => {
  it.each([
    ['山田 花子', '山田 花子'],
    ['  a\r\nBcc: x@y.example\t', 'a Bcc: x@\u2060y.\u2060example'],
    ['\u202Egnp.exe\u2066\u200B', 'gnp.\u2060exe'],
    ['see https://evil.example/x', 'see https:\u2060//evil.\u2060example/x'],
    ['evil\u200d.example', 'evil\u200d.\u2060example'],
    ['evil.\u200cexample', 'evil.\u2060\u200cexample'],
    ['evi\u0308.example', 'evi\u0308.\u2060example'],
    ['Inc.', 'Inc.'],
    ['花'.repeat(100), `${'花'.repeat(79)}…`],
    [`山田 👨\u200d👩\u200d👧 کتاب\u200cها`, `山田 👨\u200d👩\u200d👧 کتاب\u200cها`],
    [`${'花'.repeat(76)}👨\u200d👩\u200d👧`, `${'花'.repeat(76)}…`],
    ['\ud800', ''],
  ])('safeName writes the name %j as %j', (name, written) => {
    expect(safeName(name)).toBe(written)
  })

  it('has HTML characters escaped in the HTML form, but not in the plain text', () => {
    const { html, text } = renderMail(
      'ja',
      {
        subject: '<s>',
        paragraphs: ['<img src=x> & "a"\nb'],
        link: { label: '<b>', url: 'https://a.example/?a=1&b="' },
      },
      'https://cms.example.com',
    )
    expect(html).toContain('&lt;img src=x&gt; &amp; &quot;a&quot;<br>b')
    expect(html).toContain('href="https://a.example/?a=1&amp;b=&quot;"')
    expect(html).not.toMatch(/<img|<b>|<s>/)
    expect(text).toContain('<img src=x> & "a"\nb')
  })

  // Members write the subject of automatic replies.
  it.each(Object.entries(mailTemplates).filter(([name]) => name !== 'formReply'))(
    'of the template %s has a subject in each language, and the same link in both',
    (_name, { values, texts }) => {
      const person = {
        name: '<花>',
        inviter: '<花>',
        email: 'new@example.com',
        isOn: true,
        by: 'admin',
        who: '<花>',
        what: 'recoveryCodeUsed',
        left: 3,
      }
      const about = { form: 'Contact', values: null, files: 1, count: 6 }
      const said = { ...person, ...about, space: 'Pond', app: 'Blog', link, days: 7, hours: 24, minutes: 30 }
      const parsed = values.parse(said) as never
      const [ja, en] = [texts.ja(parsed), texts.en(parsed)]
      expect(ja.subject).toMatch(/[ぁ-ん]/)
      expect(en.subject.replaceAll(person.name, '')).not.toMatch(/[^\x20-\x7e“”]/)
      expect(Boolean(en.link)).toBe(Boolean(ja.link))
      expect(en.link?.url).toBe(ja.link?.url)
    },
  )
})
