import { z } from 'zod'
import { issueLink, linkMinutes } from '#server/access/account-links.ts'
import { countAttempt, mailToLimit } from '#server/access/attempts.ts'
import { inTransaction } from '#server/db/scope.ts'
import { defineJob } from '#server/jobs/job.ts'
import { createKeyring } from '#server/lib/keyring.ts'
import { AppError } from '#shared/errors.ts'
import { findPersonByEmail } from './account-security.repository.ts'

export const forgottenPurpose = 'forgotten password'

/**
 * Mails the link if an account has the email address. Done in a job, because the request must take equal time for every
 * address. Otherwise it would reveal which addresses have accounts.
 */
export const forgotPasswordJob = defineJob({
  name: 'accountSecurity.forgotPassword',
  /** The key of the email address, encrypted because job rows are kept for days. */
  payload: z.object({ sealed: z.string() }),
  handler: async ({ payload, db, services: { config, secrets, mail } }) => {
    const key = createKeyring(secrets.encryptionKeys).open(payload.sealed, forgottenPurpose)
    const person = key === null ? null : await findPersonByEmail(db, key)
    if (!person) return
    try {
      await countAttempt(db, [[mailToLimit(person.emailKey)]])
    } catch (error) {
      if (error instanceof AppError) return // the email address has received enough mails
      throw error
    }
    await inTransaction(db, async (tx) => {
      const { id, email, emailKey, name, language } = person
      const { link, expiresAt } = await issueLink(tx, config, {
        accountId: id,
        purpose: 'resetPassword',
        email,
        emailKey,
      })
      await mail.send(tx, {
        to: email,
        language,
        template: 'resetPassword',
        values: { name, link, minutes: linkMinutes.resetPassword },
        expiresAt,
      })
    })
  },
})
