import { z } from 'zod'
import { defineJob } from '#server/jobs/job.ts'
import { releaseEntries } from './retention.ts'
import { sealEntries } from './seals.ts'

export const sealAuditLogJob = defineJob({
  name: 'auditLog.seal',
  payload: z.object({}),
  concurrencyKey: () => 'auditLog',
  handler: async ({ db }) => {
    await sealEntries(db)
  },
})

/** Deletes entries whose retention period is over. */
export const releaseAuditLogJob = defineJob({
  name: 'auditLog.release',
  isLong: true,
  payload: z.object({}),
  concurrencyKey: () => 'auditLog',
  handler: ({ db, actor, progress }) => releaseEntries(db, actor, progress),
})
