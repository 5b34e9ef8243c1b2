import { z } from 'zod'
import { defineJob } from '#server/jobs/job.ts'
import { releaseEntries } from './retention.ts'
import { sealEntries } from './seals.ts'

/** Puts seals on what was done since the last time. */
export const sealAuditLogJob = defineJob({
  name: 'auditLog.seal',
  payload: z.object({}),
  concurrencyKey: () => 'auditLog',
  handler: async ({ db }) => {
    await sealEntries(db)
  },
})

/** Lets go what spaces keep no longer. */
export const releaseAuditLogJob = defineJob({
  name: 'auditLog.release',
  isLong: true,
  payload: z.object({}),
  concurrencyKey: () => 'auditLog',
  handler: ({ db, actor, progress }) => releaseEntries(db, actor, progress),
})
