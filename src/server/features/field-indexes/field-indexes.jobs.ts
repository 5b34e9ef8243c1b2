import { z } from 'zod'
import { makeFieldIndexes } from '#server/content/field-indexes/make.ts'
import { fromKysely } from '#server/content/read.ts'
import { defineJob } from '#server/jobs/job.ts'

/** Creates the indexes that lists request and that large models need, and drops outdated ones. */
export const makeFieldIndexesJob = defineJob({
  name: 'fieldIndexes.make',
  isLong: true,
  payload: z.object({}),
  concurrencyKey: () => 'field indexes',
  acrossSpaces: 'only the owner of the tables can create their indexes, and cancel the statement that does',
  handler: async ({ db, connect, signal, services: { log } }) => {
    const { again } = await makeFieldIndexes({
      connect: () => connect('imori indexes'),
      handle: fromKysely(db),
      signal,
      onError: (error, index) => log.warn({ err: error, index }, 'Creating a field index failed'),
    })
    if (again) throw new Error('Some indexes on fields have to wait')
  },
})
