import { z } from 'zod'
import { defineJob } from '#server/jobs/job.ts'
import { purgeDeleted } from './spaces.purge.ts'

/** Deletes the rows of spaces, apps and models 30 days after their deletion. */
export const purgeDeletedJob = defineJob({
  name: 'spaces.purgeDeleted',
  isLong: true,
  payload: z.object({}),
  async handler({ eachSpace, actor, progress }) {
    let done = 0
    await eachSpace(async (db) => {
      const before = done
      done += await purgeDeleted(db, actor, (purged) => progress(before + purged))
    })
  },
})
