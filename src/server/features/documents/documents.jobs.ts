import { z } from 'zod'
import { defineJob } from '#server/jobs/job.ts'
import { purgeTrash } from './trash/purge.ts'

/** Deletes documents permanently after 30 days in the trash. */
export const purgeTrashJob = defineJob({
  name: 'documents.purgeTrash',
  isLong: true,
  payload: z.object({}),
  async handler({ eachSpace, actor, progress }) {
    let done = 0
    await eachSpace(async (db) => {
      const before = done
      done += await purgeTrash(db, actor, (purged) => progress(before + purged))
    })
  },
})
