import { z } from 'zod'
import { deleteEndedLinks } from '#server/access/account-links.ts'
import { deleteOldAttempts } from '#server/access/attempts.ts'
import { deleteExpiredSessions } from '#server/access/sessions.ts'
import { deleteEndedChallenges } from '#server/access/sign-in-challenges.ts'
import { defineJob } from '#server/jobs/job.ts'
import { deleteEndedPending } from './pending-accounts.repository.ts'

/**
 * Deletes expired sessions, pending sign-ins, pending sign-ups and mailed links, and attempts that no longer count for
 * any limit.
 */
export const cleanUpAccountsJob = defineJob({
  name: 'accounts.cleanUp',
  payload: z.object({}),
  handler: async ({ db }) => {
    await deleteExpiredSessions(db)
    await deleteEndedChallenges(db)
    await deleteEndedLinks(db)
    await deleteEndedPending(db)
    await deleteOldAttempts(db)
  },
})
