import { z } from 'zod'
import { deleteExpiredSessions } from '#server/access/sessions.ts'
import { defineJob } from '#server/jobs/job.ts'
import { deleteOldAttempts } from './attempts.ts'

/** Sessions that have ended by themselves, and attempts that no limit looks at any more. */
export const cleanUpAccountsJob = defineJob({
  name: 'accounts.cleanUp',
  payload: z.object({}),
  handler: async ({ db }) => {
    await deleteExpiredSessions(db)
    await deleteOldAttempts(db)
  },
})
