import { createTransport } from 'nodemailer'
import type { Config } from '#server/config.ts'
import type { RenderedMail } from '#server/mail/mail-text.ts'
import { AppError } from '#shared/errors.ts'

/** Time limits in milliseconds for an unresponsive mail server. The job retries after them. */
const patience = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
}

/** Maximum number of characters of a mail server's response that are reported. */
const longestAnswer = 300

/**
 * Converts an error of nodemailer to an `AppError` with the server's response, for the admin who manages the server. A
 * permanent refusal (5xx, except for authentication) has another code than failures that a retry may solve.
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
 * Sends a mail through the operator's mail server, with one connection per mail because mails are few. Throws
 * `MailServerUnavailable` or `MailRefused` if the mail was not accepted, with the response without addresses.
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
      // An object is always treated as a single address, regardless of its content.
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
