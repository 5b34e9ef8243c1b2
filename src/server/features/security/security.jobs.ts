import { z } from 'zod'
import { asSystem } from '#server/access/callers/job.ts'
import { enter } from '#server/access/enter.ts'
import { requireRightIn } from '#server/access/membership.ts'
import { defineAtomicJob } from '#server/jobs/job.ts'
import { revertUnconfirmedRanges } from './pending-ranges.ts'

/**
 * Reverts pending IP ranges that were not confirmed in time. Requests do not depend on this job, because they check the
 * end of the pending period themselves. Waiting rows contain its name.
 */
export const revertRangesJob = defineAtomicJob({
  name: 'security.endTrial',
  payload: z.object({}),
  requireMayRunAgain: async (ctx) => {
    await requireRightIn(ctx, null, 'security.manage')
  },
  handler: async ({ db, services, scope, actor }) => {
    const caller = asSystem(actor, 'pendingRangesExpired')
    if (scope) await enter({ db, services }, caller, { scope }, null, revertUnconfirmedRanges)
  },
})
