import { accountOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { findReachable } from '#server/features/members/members.service.ts'
import type { Mail } from '#server/mail/mail.ts'
import { renderMail } from '#server/mail/mail-text.ts'
import { mailTemplates } from '#server/mail/templates/index.ts'
import { AppError } from '#shared/errors.ts'
import type { FormField, SubmittedValue } from '#shared/forms/fields.ts'
import { languageOf } from '#shared/forms/localized.ts'
import type { FormNotification, FormReply } from '#shared/forms/mail.ts'
import type { Language } from '#shared/languages.ts'
import { type FormRow, requireForm } from '../definition/definition.service.ts'
import { recordTestMail } from './mail.repository.ts'
import { notificationValues, replyText } from './mail-texts.ts'

/** The settings of a mail that is previewed or tested; they need not be saved. */
export type MailSettings =
  | { kind: 'notification'; notification: FormNotification }
  | { kind: 'reply'; language: Language; reply: FormReply }

/** Returns the subject and the text of a mail about an example of a submission. Throws 404. */
export async function previewMail(
  ctx: SpaceContext,
  formId: string,
  settings: MailSettings,
): Promise<{ subject: string; text: string }> {
  const form = await requireForm(ctx, formId)
  const mail = exampleOf(ctx, form, settings, { to: '', isTest: false })
  const { config } = ctx.services
  const content =
    mail.template === 'formReply'
      ? mailTemplates.formReply.texts[mail.language](mailTemplates.formReply.values.parse(mail.values))
      : mailTemplates.formSubmission.texts[mail.language](
          mailTemplates.formSubmission.values.parse(mail.values),
        )
  const { subject, text } = renderMail(mail.language, content, config.url)
  return { subject, text }
}

/** Minimum interval in seconds between two test mails of one form. */
const testPause = 10

/**
 * Sends such a mail to the caller. Returns the address. Throws 404, 403 `EmailIsNotVerified` and 409 `NoMailServer`,
 * and 429 within ten seconds of the form's previous test mail.
 */
export async function sendTestMail(
  ctx: SpaceContext,
  formId: string,
  settings: MailSettings,
): Promise<string> {
  const form = await requireForm(ctx, formId)
  const { config, mail } = ctx.services
  if (!config.mail.url) throw new AppError('NoMailServer')
  const account = accountOf(ctx.actor)
  const recipient = account === null ? undefined : await findReachable(ctx.db, ctx.scope, account)
  if (!recipient) throw new AppError('EmailIsNotVerified')
  if (!(await recordTestMail(ctx.db, ctx.scope, formId, testPause)))
    throw new AppError('TooManyRequests', { headers: { 'retry-after': String(testPause) } })
  noteAudit(ctx, { objectName: form.name, facts: { kind: settings.kind } })
  await mail.send(ctx.db, exampleOf(ctx, form, settings, { to: recipient.email, isTest: true }), {
    scope: ctx.scope,
    kind: 'bulk',
  })
  return recipient.email
}

type Example = Extract<Mail, { template: 'formReply' | 'formSubmission' }>

/** Returns the mail about an example of a submission. */
function exampleOf(
  { services: { config }, space }: SpaceContext,
  { id, name, fields }: FormRow,
  settings: MailSettings,
  { to, isTest }: { to: string; isTest: boolean },
): Example {
  const language = settings.kind === 'reply' ? settings.language : settings.notification.language
  const values = exampleValues(fields, language)
  if (settings.kind === 'reply')
    return {
      to,
      language: languageOf(settings.reply.body, language),
      template: 'formReply',
      values: { ...replyText(settings.reply, values, fields, language), isTest },
      ...(settings.reply.replyTo === null ? {} : { replyTo: settings.reply.replyTo }),
    }
  const shown = settings.notification.includesValues ? notificationValues(values, fields, language) : null
  const link = `${config.url}/${space.uid}/-/forms/${id}`
  return {
    to,
    language,
    template: 'formSubmission',
    values: { form: name, space: space.name, link, values: shown, files: 0, isTest },
  }
}

/** Example values by type of field. */
const examples = {
  ja: {
    text: '山田 花子',
    textarea: 'お問い合わせの内容です。',
    email: 'hanako@example.com',
    phone: '03-0000-0000',
    number: '1',
    date: '2026-04-01',
  },
  en: {
    text: 'Hanako Yamada',
    textarea: 'This is a message.',
    email: 'hanako@example.com',
    phone: '03-0000-0000',
    number: '1',
    date: '2026-04-01',
  },
} as const

function exampleValues(fields: readonly FormField[], language: Language): SubmittedValue[] {
  return fields
    .filter(({ type }) => type !== 'file')
    .map((field) => ({ name: field.name, value: exampleOfField(field, language) }))
}

function exampleOfField(field: FormField, language: Language): string {
  if ('options' in field) return field.options[0]?.value ?? ''
  if (field.type === 'consent') return 'true'
  return field.type === 'file' ? '' : examples[language][field.type]
}
