import { createTransport } from 'nodemailer'
import type { Config } from '#server/config.ts'
import type { RenderedMail } from './mail-text.ts'

/** Milliseconds until a mail server that does not answer is given up; the job tries again. */
const patience = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
}

/**
 * Hands a mail to the operator's mail server. A connection for each: mails are few, and none is left open. Throws when it was not
 * taken; the error names neither text nor password.
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
  } finally {
    transport.close()
  }
}
