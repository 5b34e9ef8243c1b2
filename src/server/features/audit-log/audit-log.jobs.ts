import { z } from 'zod'
import { defineJob } from '#server/jobs/job.ts'
import { purgeEntries } from './retention.ts'
import { sealEntries } from './seals.ts'

export const sealAuditLogJob = defineJob({
  name: 'auditLog.seal',
  payload: z.object({}),
  concurrencyKey: () => 'auditLog',
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
  handler: ({ db, actor, progress }) => purgeEntries(db, actor, progress),
})
