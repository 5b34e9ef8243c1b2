import { z } from 'zod'
import { makeFieldIndexes } from '#server/content/field-indexes/make.ts'
import { fromKysely } from '#server/content/read.ts'
import { defineJob } from '#server/jobs/job.ts'

/** Makes the indexes that lists ask for and large models should have, and drops those that are no longer right. */
export const makeFieldIndexesJob = defineJob({
  name: 'fieldIndexes.make',
  isLong: true,
  payload: z.object({}),
  concurrencyKey: () => 'field indexes',
  handler: async ({ db, connect, signal, services: { log } }) => {
    const { again } = await makeFieldIndexes({
      connect: () => connect('imori indexes'),
      handle: fromKysely(db),
      signal,
      onError: (error, index) => log.warn({ err: error, index }, 'An index on a field could not be made'),
    })
    if (again) throw new Error('Some indexes on fields have to wait')
  },
})
