import type { SpaceContext } from '#server/access/context.ts'
import { enqueueFormMails } from '../mail/form-mails.jobs.ts'
import { insertSubmissions, type NewSubmission } from './intake.repository.ts'

/** Delay of the mails in ms, so that submissions in quick succession share a job. */
const mailDelayMs = 1_000

/**
 * Inserts submissions of the space whose forms still accept them, and adds the jobs for their mails. Without a mail
 * server, no mails are sent, also not later. Returns the ids of the submissions that are stored.
 */
export async function insertAndMail(
  { db, scope, services: { config } }: Pick<SpaceContext, 'db' | 'scope' | 'services'>,
  submissions: NewSubmission[],
  fileCount = 0,
): Promise<Set<string>> {
  const mails = config.mail.url !== undefined
  const { stored, mailedForms } = await insertSubmissions(db, scope, submissions, { mails, fileCount })
  for (const formId of [...mailedForms].sort()) await enqueueFormMails(db, scope, formId, mailDelayMs)
  return stored
}
