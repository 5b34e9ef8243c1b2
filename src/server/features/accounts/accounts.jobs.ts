import { z } from 'zod'
import { deleteEndedLinks } from '#server/access/account-links.ts'
import { deleteOldAttempts } from '#server/access/attempts.ts'
import { deleteExpiredSessions } from '#server/access/sessions.ts'
import { deleteEndedChallenges } from '#server/access/sign-in-challenges.ts'
import { defineJob } from '#server/jobs/job.ts'

/** Sessions, sign-ins and links that have ended by themselves, and attempts that no limit looks at any more. */
export const cleanUpAccountsJob = defineJob({
  name: 'accounts.cleanUp',
  payload: z.object({}),
  handler: async ({ db }) => {
    await deleteExpiredSessions(db)
    await deleteEndedChallenges(db)
    await deleteEndedLinks(db)
    await deleteOldAttempts(db)
  },
})
