import { z } from 'zod'
import { defineJob } from '#server/jobs/job.ts'
import { purgeTrash } from './documents.purge.ts'

/** Deletes documents permanently after 30 days in the trash. */
export const purgeTrashJob = defineJob({
  name: 'documents.purgeTrash',
  isLong: true,
  payload: z.object({}),
  handler: async ({ db, actor, progress }) => void (await purgeTrash(db, actor, progress)),
})
