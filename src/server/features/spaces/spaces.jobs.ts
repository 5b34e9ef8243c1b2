import { z } from 'zod'
import { defineJob } from '#server/jobs/job.ts'
import { purgeDeleted } from './spaces.purge.ts'

/** Rows of deleted spaces, apps and models go after 30 days. */
export const purgeDeletedJob = defineJob({
  name: 'spaces.purgeDeleted',
  isLong: true,
  payload: z.object({}),
  handler: ({ db, progress }) => purgeDeleted(db, progress),
})
