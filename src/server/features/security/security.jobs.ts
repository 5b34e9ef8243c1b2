import { z } from 'zod'
import { writeAudit } from '#server/access/audit.ts'
import { defineAtomicJob } from '#server/jobs/job.ts'
import { endTrial } from './security.repository.ts'

/** Ranges that nobody inside has confirmed. Requests do not wait for this job: they know by themselves when a trial ends. */
export const endTrialJob = defineAtomicJob({
  name: 'security.endTrial',
  payload: z.object({}),
  handler: async ({ db, scope, actor }) => {
    const ended = scope && (await endTrial(db, scope))
    if (!ended) return
    const change = { key: 'ipRanges', ...(ended.tried ? { before: ended.tried } : {}) }
    await writeAudit(db, scope, {
      act: 'security.endTrial',
      outcome: 'done',
      actor,
      object: { kind: 'security', id: null, name: null },
      details: { changes: [{ ...change, ...(ended.now ? { after: ended.now } : {}) }] },
    })
  },
})
