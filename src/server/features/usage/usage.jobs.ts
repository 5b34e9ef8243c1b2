import { z } from 'zod'
import { defineJob } from '#server/jobs/job.ts'
import { usageDays } from '#shared/contract/usage.ts'
import { deleteOldDays } from './usage.repository.ts'

/** Deletes counters of days that are more than `usageDays` days ago. The stock of spaces stays. */
export const cleanUpUsageJob = defineJob({
  name: 'usage.cleanUp',
  payload: z.object({}),
  handler: ({ eachSpace }) => eachSpace((db, scope) => deleteOldDays(db, scope, usageDays)),
})
