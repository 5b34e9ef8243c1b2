import { z } from 'zod'
import { defineJob } from '#server/jobs/job.ts'
import { purgeDeleted } from './spaces.purge.ts'

/** Deletes the rows of spaces, apps and models 30 days after their deletion. */
export const purgeDeletedJob = defineJob({
  name: 'spaces.purgeDeleted',
  isLong: true,
  payload: z.object({}),
  handler: ({ db, progress }) => purgeDeleted(db, progress),
})
