import { z } from 'zod'
import type { Config, Secrets } from '#server/config.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { defaultRetries, defineJob, type JobContext } from '#server/jobs/job.ts'
import { newId } from '#server/lib/ids.ts'
import { createKeyring } from '#server/lib/keyring.ts'
import type { Mailer } from '#server/mail/mail.ts'
import { type MailText, type RenderedMail, renderMail } from '#server/mail/mail-text.ts'
import { type MailTemplateName, mailTemplates } from '#server/mail/templates/index.ts'
import { AppError } from '#shared/errors.ts'
import { type Language, languages } from '#shared/languages.ts'
import { can } from '#shared/permissions.ts'
import { deleteOldMails, keepMail } from './kept-mails.ts'
import { deliverMail } from './transport.ts'

/**
 * The decrypted payload of a job. Mails contain secret links, and jobs are stored for days. The payload is encrypted,
 * so that neither rows nor backups reveal the links.
 */
const sealedSchema = z.object({
  to: z.string(),
  language: z.enum(languages),
  template: z.string(),
  values: z.unknown(),
  expiresAt: z.iso.datetime().optional(),
  replyTo: z.string().optional(),
})
const purpose = 'mail'
const payload = z.object({ sealed: z.string() })

/** Creates the mailer, which encrypts the payloads of its jobs with the installation's keys. */
export function createMailer({ encryptionKeys }: Secrets): Mailer {
  const keyring = createKeyring(encryptionKeys)
  return {
    async send(db, mail, { kind = 'single', ...options } = {}) {
      const text = JSON.stringify({ ...mail, expiresAt: mail.expiresAt?.toISOString() })
      await enqueue(
        db,
        kind === 'bulk' ? sendBulkMailJob : sendMailJob,
        { sealed: keyring.seal(text, purpose) },
        options,
      )
    },
  }
}

/**
 * Renders and sends one mail. The job is retried if the server refuses the mail or is unreachable. A mail may therefore
 * arrive twice, with the same Message-ID. A mail whose link has expired is not sent.
 *
 * Without a mail server, the mail is stored for the admins of the installation (kept-mails.ts). Its text is logged only
 * if the operator has enabled that.
 */
export const sendMailJob = defineJob({
  name: 'mail.send',
  payload,
  // Mails of a space are mostly about its members, such as invitations and access requests.
  requireMayRunAgain: async ({ grants }) => {
    if (!can(grants, 'member.manage')) throw new AppError('Forbidden')
  },
  handler: async (ctx) => {
    const { db, actor, services } = ctx
    const { config, log } = services
    const mail = renderedMail(ctx)
    if (mail === null) return
    const { to, language, template, replyTo: _, ...rendered } = mail
    if (config.mail.url) return deliver(ctx, mail)
    const logged = config.mail.logged ? { to, subject: rendered.subject, text: rendered.text } : { template }
    log.info(logged, `No mail server is configured: a mail is stored at ${config.url}/admin/mails`)
    const keyring = createKeyring(services.secrets.encryptionKeys)
    await keepMail(db, keyring, { id: actor.id, to, language, ...rendered })
  },
})

/**
 * Renders and sends one mail like {@link sendMailJob}, for mails that visitors can cause in large numbers. They delay
 * no other mails, and only failures are recorded. A final refusal is not retried, because visitors enter any address.
 * Without a mail server, the mail is discarded, because it would displace stored mails with links.
 */
export const sendBulkMailJob = defineJob({
  name: 'mail.sendBulk',
  isNetwork: true,
  isListed: false,
  audit: 'failures',
  priority: 10,
  payload,
  retries: { isFinal: (error) => isRefusal(error) || defaultRetries.isFinal(error) },
  // Only forms send such mails.
  requireMayRunAgain: async ({ grants }) => {
    if (!can(grants, 'form.manage')) throw new AppError('Forbidden')
  },
  handler: async (ctx) => {
    if (!ctx.services.config.mail.url) return
    const mail = renderedMail(ctx)
    if (mail !== null) await deliver(ctx, mail)
  },
})

const isRefusal = (error: unknown) => error instanceof AppError && error.code === 'MailRefused'

type Sending = JobContext<z.output<typeof payload>>
type OpenedMail = Pick<z.output<typeof sealedSchema>, 'to' | 'language' | 'template' | 'replyTo'> &
  RenderedMail

/** Returns the mail of a job. null: its link has expired. */
function renderedMail({ payload, services: { config, secrets, log } }: Sending): OpenedMail | null {
  const opened = createKeyring(secrets.encryptionKeys).open(payload.sealed, purpose)
  if (opened === null) throw new Error('The mail was sealed with a key that is not there any more')
  const { expiresAt, values, ...mail } = sealedSchema.parse(JSON.parse(opened))
  if (expiresAt && new Date(expiresAt) < new Date()) {
    log.warn({ template: mail.template }, 'A mail was not sent before its link expired')
    return null
  }
  return { ...mail, ...renderMail(mail.language, textOf(mail.template, values, mail.language), config.url) }
}

const deliver = ({ actor, services: { config } }: Sending, { replyTo, ...mail }: OpenedMail) =>
  deliverMail(config.mail, { id: actor.id, ...(replyTo ? { replyTo } : {}), ...mail })

/**
 * Sends a test mail without a job, so that the caller receives the response of the mail server. Throws
 * `MailServerUnavailable` or `MailRefused` with the response, or `NotFound` if no mail server is configured.
 */
export async function sendTestMail(
  { mail, url }: Pick<Config, 'mail' | 'url'>,
  { to, language }: { to: string; language: Language },
): Promise<void> {
  if (!mail.url) throw new AppError('NotFound')
  const rendered = renderMail(language, textOf('testMail', { link: url }, language), url)
  await deliverMail(mail, { id: newId(), to, ...rendered })
}

function textOf(name: string, values: unknown, language: Language): MailText {
  if (!Object.hasOwn(mailTemplates, name)) throw new Error(`There is no mail ${name}`)
  const template = mailTemplates[name as MailTemplateName]
  // TypeScript cannot relate a template to its values here.
  const text = template.texts[language] as (values: unknown) => MailText
  return text(template.values.parse(values))
}

/** Deletes stored mails that exceed the maximum age or number. */
export const cleanUpMailsJob = defineJob({
  name: 'mail.cleanUp',
  payload: z.object({}),
  handler: ({ db }) => deleteOldMails(db),
})
