import { z } from 'zod'
import { defineJob } from '#server/jobs/job.ts'
import { purgeEntries } from './retention.ts'
import { sealEntries } from './seals.ts'

export const sealAuditLogJob = defineJob({
  name: 'auditLog.seal',
  payload: z.object({}),
  concurrencyKey: () => 'auditLog',
  acrossSpaces: 'one pass seals the new entries of all spaces up to the same transaction',
  handler: async ({ db }) => {
    await sealEntries(db)
  },
})

/**
 * Purges entries whose retention period is over. The name says `release`, because stored rows of jobs and crontabs
 * refer to it.
 */
export const purgeAuditLogJob = defineJob({
  name: 'auditLog.release',
  isLong: true,
  payload: z.object({}),
  concurrencyKey: () => 'auditLog',
  async handler({ eachSpace, actor, progress }) {
    let done = 0
    await eachSpace(async (db) => {
      const before = done
      done += await purgeEntries(db, actor, (purged) => progress(before + purged))
    })
  },
})
