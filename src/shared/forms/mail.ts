import { z } from 'zod'
import { languages } from '../languages.ts'
import { type LocalizedText, localizedText } from './fields.ts'

/** Limits of the mails that submissions cause, so that no form becomes a relay for mail to others. */
export const formMailLimits = {
  recipients: 10,
  /** Submissions of a form per hour that are mailed singly. Further ones are summarized. */
  singlePerHour: 30,
  /** Submissions that are mailed singly if they arrive together. More are summarized. */
  singleTogether: 5,
  /** Minutes between two summaries. */
  digestMinutes: 15,
  /** Automatic replies of all forms to one address within 24 hours. */
  repliesPerAddress: 3,
  /** Automatic replies of all forms of one space within 24 hours. */
  repliesPerSpace: 200,
} as const

const address = z.email({ error: 'InvalidFormat' }).max(320)

/** Returns whether automatic replies are sent to an address. Addresses with other letters than ASCII receive none. */
export const isReplyAddress = (text: string): boolean => address.safeParse(text).success

/** The notification of new submissions. Without addresses, none is sent. */
export const formNotificationSchema = z.strictObject({
  to: z
    .array(address)
    .max(formMailLimits.recipients)
    .superRefine((addresses, context) => {
      const keys = addresses.map((text) => text.toLowerCase())
      keys.forEach((key, index) => {
        if (keys.indexOf(key) < index)
          context.addIssue({ code: 'custom', path: [index], message: 'DuplicatedValue' })
      })
    }),
  language: z.enum(languages),
  /** Whether the mail contains the values. Otherwise it only links to the inbox. */
  includesValues: z.boolean(),
})
export type FormNotification = z.infer<typeof formNotificationSchema>

/** The automatic reply to the address in the e-mail field, in the language of the visitor. */
export const formReplySchema = z
  .strictObject({
    enabled: z.boolean(),
    subject: localizedText(150),
    /** `{{name}}` is replaced by the value with this name, on one line and shortened. */
    body: localizedText(5_000),
    /** The address to which visitors answer. null: the sender of the mail. */
    replyTo: address.nullable(),
  })
  .superRefine(({ enabled, subject, body }, context) => {
    if (!enabled) return
    for (const [key, text] of [
      ['subject', subject],
      ['body', body],
    ] as const)
      if (isBlank(text)) context.addIssue({ code: 'custom', path: [key], message: 'Required' })
    for (const language of languages)
      if (/[\r\n]/.test(subject[language]))
        context.addIssue({ code: 'custom', path: ['subject', language], message: 'InvalidCharacter' })
  })
export type FormReply = z.infer<typeof formReplySchema>

export const noNotification: FormNotification = { to: [], language: 'ja', includesValues: true }
export const noReply: FormReply = {
  enabled: false,
  subject: { ja: '', en: '' },
  body: { ja: '', en: '' },
  replyTo: null,
}

const isBlank = (text: LocalizedText) => languages.every((language) => text[language].trim() === '')

const placeholder = /\{\{([^{}]{1,200})\}\}/g

/** Replaces each `{{name}}` by the result of `textOf`. Unknown names become nothing. */
export const fillPlaceholders = (text: string, textOf: (name: string) => string): string =>
  text.replace(placeholder, (_, name: string) => textOf(name.trim()))
