import { createKeyring } from '#server/lib/keyring.ts'
import { listKeptMails } from '#server/mailing/kept-mails.ts'
import { sendMailJob } from '#server/mailing/send-mail.ts'
import { runQueued } from './run-now.ts'
import type { TestInstallation } from './server.ts'

/**
 * Sends the pending mails without a mail server. Returns the mails to an email address with their links, newest first.
 */
export async function mailsOf(
  installation: TestInstallation,
  to: string,
): Promise<{ subject: string; text: string; link: string }[]> {
  const { database, deps } = installation
  const waiting = await database.kysely
    .selectFrom('job')
    .select('id')
    .where('name', '=', sendMailJob.name)
    .where('finished_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  for (const { id } of waiting) await runQueued(installation, sendMailJob, id)
  const mails = await listKeptMails(database.kysely, createKeyring(deps.services.secrets.encryptionKeys))
  return mails
    .filter((mail) => mail.to === to)
    .map(({ subject, text }) => ({ subject, text, link: /https?:\/\/\S+\?\S+/.exec(text)?.[0] ?? '' }))
}
