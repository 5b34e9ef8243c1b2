import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'

/** A local mail server on a free port that stores all mails. */
export interface MailServer {
  /** URL of the server, for `IMORI_SMTP_URL`. */
  url: string
  mails: ParsedMail[]
  /** Refuses further mails with this SMTP status. null: accepts them. */
  refuse(status: number | null): void
  close(): Promise<void>
}

export async function startMailServer(): Promise<MailServer> {
  const mails: ParsedMail[] = []
  let status: number | null = null
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(null, { user: 'imori' }),
    onData(stream, _session, done) {
      simpleParser(stream).then((mail) => {
        if (status !== null) return done(Object.assign(new Error('Not now'), { responseCode: status }))
        mails.push(mail)
        done()
      }, done)
    },
  })
  server.on('error', () => undefined) // A client that disconnects is not an error.
  const listener = server.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  return {
    url: `smtp://imori:only-for-tests@127.0.0.1:${port}`,
    mails,
    refuse: (next) => {
      status = next
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Returns the first link with a query or a fragment in a mail. Throws if the mail has no such link. */
export function linkIn(mail: { text?: string | undefined }): string {
  const [link] = /https?:\/\/\S+[?#]\S+/.exec(mail.text ?? '') ?? []
  if (!link) throw new Error(`No link in: ${mail.text}`)
  return link
}
