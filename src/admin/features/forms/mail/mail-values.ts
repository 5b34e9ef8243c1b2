import type { Form } from '#shared/contract/forms.ts'
import type { Issue } from '#shared/errors.ts'
import type { FormField, LocalizedText } from '#shared/forms/fields.ts'
import { textIn } from '#shared/forms/localized.ts'
import { fillPlaceholders, formNotificationSchema } from '#shared/forms/mail.ts'
import { type Language, languages } from '#shared/languages.ts'
import { zodIssues } from '#shared/zod-issues.ts'
import { bodyWith } from '../form-body.ts'

/** The inputs of the mails of a form. */
export interface MailValues {
  /** The addresses for notifications, one per line. Lines may be empty. */
  to: string
  language: Language
  includesValues: boolean
  enabled: boolean
  subject: LocalizedText
  body: LocalizedText
  replyTo: string
}

/** Returns the inputs for a form. */
export const valuesOf = ({ notification, reply }: Form): MailValues => ({
  to: notification.to.join('\n'),
  language: notification.language,
  includesValues: notification.includesValues,
  enabled: reply.enabled,
  subject: reply.subject,
  body: reply.body,
  replyTo: reply.replyTo ?? '',
})

/** Returns the body that saves the mails. All other properties stay as in `form`. */
export const bodyOf = (values: MailValues, form: Form) =>
  bodyWith(form, {
    notification: {
      to: values.to.split('\n').map(readAddress).filter(Boolean),
      language: values.language,
      includesValues: values.includesValues,
    },
    reply: {
      enabled: values.enabled,
      subject: values.subject,
      body: values.body,
      replyTo: readAddress(values.replyTo) || null,
    },
  })

/** Returns an address without surrounding spaces and full-width characters, which Japanese input methods insert. */
export const readAddress = (text: string): string => text.normalize('NFKC').trim()

/**
 * Splits a pasted list of addresses at commas, semicolons, spaces and line breaks. Names such as in
 * `Hanako <hanako@example.com>` are omitted.
 */
export function splitAddresses(text: string): string[] {
  const parts = text
    .normalize('NFKC')
    .replace(/"[^"]*"/g, '')
    .split(/[\n,;、]/)
  return parts
    .flatMap((part) => {
      const named = /<([^<>]*)>/.exec(part)
      return named ? [named[1]?.trim() ?? ''] : part.split(/\s+/)
    })
    .filter(Boolean)
}

/** Returns the issues of the addresses by the index of their line. Empty lines have none. */
export function addressIssues(to: string): Map<number, Pick<Issue, 'code' | 'params'>> {
  const lines = to.split('\n').map(readAddress)
  const filled = lines.flatMap((line, index) => (line ? [index] : []))
  const result = formNotificationSchema.shape.to.safeParse(filled.map((index) => lines[index]))
  const issues = new Map<number, Pick<Issue, 'code' | 'params'>>()
  for (const issue of result.success ? [] : zodIssues(result.error.issues)) {
    const index = filled[Number(issue.path || Number.NaN)]
    if (index !== undefined && !issues.has(index)) issues.set(index, issue)
  }
  return issues
}

/** Returns the fields whose values a reply can contain. Files have no text, and consent is the same in every reply. */
export const placeholderFields = (fields: readonly FormField[]): FormField[] =>
  fields.filter(({ type, name }) => type !== 'file' && type !== 'consent' && !/[{}]/.test(name))

/** Returns the names of the placeholders in a text that no field has. */
export function unknownPlaceholders(text: LocalizedText, fields: readonly FormField[]): string[] {
  const unknown = new Set<string>()
  for (const language of languages)
    fillPlaceholders(text[language], (name) => {
      if (!fields.some((field) => field.name === name)) unknown.add(name)
      return ''
    })
  return [...unknown]
}

const isBlank = (text: LocalizedText) => textIn(text, 'ja') === ''

/** Returns whether a reply has neither a subject nor a body. */
export const isUnwritten = ({ subject, body }: Pick<MailValues, 'subject' | 'body'>): boolean =>
  isBlank(subject) && isBlank(body)

/** Returns the texts with which a new reply begins. */
export function suggestReply({ name, fields, thanksMessage }: Form): Pick<MailValues, 'subject' | 'body'> {
  const hasName = fields.some((field) => field.name === 'name' && field.type === 'text')
  const thanks = isBlank(thanksMessage)
    ? {
        ja: '送信いただき、ありがとうございます。内容を確認して、ご連絡します。',
        en: 'Thank you for your message. We will get back to you.',
      }
    : thanksMessage
  return {
    // The name of the form is in the language of the members, which is often Japanese.
    subject: { ja: `「${name}」を受け付けました`, en: 'We have received your submission' },
    body: hasName
      ? {
          ja: `{{name}} 様\n\n${textIn(thanks, 'ja')}`,
          en: `Dear {{name}},\n\n${textIn(thanks, 'en')}`,
        }
      : { ja: textIn(thanks, 'ja'), en: textIn(thanks, 'en') },
  }
}
