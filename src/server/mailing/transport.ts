import { createTransport } from 'nodemailer'
import type { Config } from '#server/config.ts'
import type { RenderedMail } from '#server/mail/mail-text.ts'
import { AppError } from '#shared/errors.ts'

/** Milliseconds until a mail server that does not answer is given up; the job tries again. */
const patience = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
}

/** The most of a mail server's answer that is told, in characters. */
const longestAnswer = 300

/**
 * What an error of nodemailer's means: the server's answer where it gave one, so that whoever looks after the server sees what is to
 * be done. A refusal for good (5xx, but not of our sign-in) is another code than what may be over at the next try.
 */
function asAppError(error: unknown): AppError {
  const { code, response, responseCode } = error as {
    code?: string
    response?: string
    responseCode?: number
  }
  const answer = (response ?? code ?? '')
    .replace(/\S+@\S+/g, '…')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .slice(0, longestAnswer)
  const isFinal = responseCode !== undefined && responseCode >= 500 && code !== 'EAUTH'
  return new AppError(isFinal ? 'MailRefused' : 'MailServerUnavailable', {
    ...(answer ? { message: answer } : {}),
    cause: error,
  })
}

/**
 * Hands a mail to the operator's mail server. A connection for each: mails are few, and none is left open. Throws
 * `MailServerUnavailable` or `MailRefused` when it was not taken, with the server's answer without addresses.
 */
export async function deliverMail(
  { url, from }: Config['mail'],
  { id, to, subject, text, html }: RenderedMail & { id: string; to: string },
): Promise<void> {
  const transport = createTransport({ url, ...patience, disableFileAccess: true, disableUrlAccess: true })
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1)
  try {
    await transport.sendMail({
      from,
      // As an object it is one address, whatever it is made of.
      to: { name: '', address: to },
      messageId: `<${id}@${domain}>`,
      subject,
      text,
      html,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    })
  } catch (error) {
    throw asAppError(error)
  } finally {
    transport.close()
  }
}
