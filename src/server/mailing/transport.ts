import { createTransport } from 'nodemailer'
import type { Config } from '#server/config.ts'
import type { RenderedMail } from '#server/mail/mail-text.ts'
import { AppError } from '#shared/errors.ts'

/** Time limits in milliseconds for an unresponsive mail server. */
const patience = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
}

/** Maximum number of UTF-16 units of a mail server's response that are reported. */
const longestAnswer = 300

/**
 * Converts an error of nodemailer to an `AppError` with the server's response, without email addresses. A permanent
 * refusal (5xx, except for authentication) becomes `MailRefused`. Any other error becomes `MailServerUnavailable`,
 * because a retry may solve it.
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
 * Sends a mail through the operator's mail server, with one connection per mail. Throws `MailServerUnavailable` or
 * `MailRefused` with the server's response.
 */
export async function deliverMail(
  { url, from }: Config['mail'],
  { id, to, replyTo, subject, text, html }: RenderedMail & { id: string; to: string; replyTo?: string },
): Promise<void> {
  const transport = createTransport({ url, ...patience, disableFileAccess: true, disableUrlAccess: true })
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1)
  try {
    await transport.sendMail({
      from,
      // nodemailer treats an object as a single address, but parses a string as a list of addresses.
      to: { name: '', address: to },
      ...(replyTo ? { replyTo: { name: '', address: replyTo } } : {}),
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
