import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { defineAtomicJob } from '#server/jobs/job.ts'
import { findCredentials } from './accounts.repository.ts'
import { deletePending, pendingHours, setToken } from './pending-accounts.repository.ts'

/**
 * Mails the link that creates the account. If the email address already has an account, informs its owner about the
 * attempt instead. Done in a job, because the request must do the same work for every address.
 */
export const mailSignupJob = defineAtomicJob({
  name: 'accounts.mailSignup',
  payload: z.object({ id: z.string() }),
  handler: async ({ payload: { id }, db, services: { config, mail } }) => {
    const token = randomBytes(32).toString('base64url')
    const applicant = await setToken(db, id, token)
    if (!applicant) return
    const owner = (await findCredentials(db, applicant.emailKey))?.account
    if (owner) {
      await deletePending(db, id)
      const { email: to, language, name } = owner
      const values = { name, link: `${config.url}/login` }
      await mail.send(db, { to, language, template: 'signupOfOwner', values })
      return
    }
    const { email: to, language, name, expiresAt } = applicant
    const values = { name, link: `${config.url}/sign-up/finish#${token}`, hours: pendingHours }
    await mail.send(db, { to, language, template: 'finishSignup', values, expiresAt })
  },
})
