import { z } from 'zod'
import { requireRightIn } from '#server/access/membership.ts'
import { type Db, inTransaction, type SpaceScope } from '#server/db/scope.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { defineJob } from '#server/jobs/job.ts'
import { deliver } from './delivery/deliver.ts'
import { findNextDue } from './delivery/messages.repository.ts'
import { deleteOldMessages, giveUpWaiting, isDue } from './delivery/retention.repository.ts'

/**
 * Adds the job that sends the waiting messages of a space, unless one for this time is already waiting. A future time
 * is rounded up to the next second.
 */
export function enqueueWebhookDelivery(db: Db, scope: SpaceScope, due: Date): Promise<string> {
  const runAt = new Date(Math.ceil(due.getTime() / 1000) * 1000)
  const when = due.getTime() <= Date.now() ? { key: 'now' } : { runAt, key: runAt.toISOString() }
  return enqueue(db, deliverWebhooksJob, { spaceId: scope.spaceId }, { scope, ...when })
}

/**
 * Sends the due messages of a space. An interrupted run is repeated: a message whose response was not recorded is sent
 * again, with the same id and body.
 */
export const deliverWebhooksJob = defineJob({
  name: 'webhooks.deliver',
  isNetwork: true,
  audit: 'failures',
  isListed: false,
  payload: z.object({ spaceId: z.int() }),
  // Only one run at a time, to keep the messages of a document in order.
  concurrencyKey: ({ spaceId }) => `webhooks ${spaceId}`,
  requireMayRunAgain: async (ctx) => {
    await requireRightIn(ctx, null, 'webhook.manage')
  },
  async handler(ctx) {
    const { db, scope } = ctx
    if (!scope) return
    await deliver(ctx, scope)
    const next = await findNextDue(db, scope)
    if (next) await enqueueWebhookDelivery(db, scope, next)
  },
})

const atATime = 1000

/**
 * Marks messages as failed that have waited for more than 3 days, and deletes old messages from the webhooks' logs
 * (retention.repository.ts). Also enqueues deliveries for spaces with due messages, because their job may have ended
 * early.
 */
export const cleanUpWebhooksJob = defineJob({
  name: 'webhooks.cleanUp',
  isLong: true,
  audit: 'failures',
  isListed: false,
  payload: z.object({}),
  handler: ({ eachSpace, signal }) =>
    eachSpace(async (db, scope) => {
      while (!signal.aborted && (await giveUpWaiting(db, atATime)) === atATime);
      if (await isDue(db, scope))
        await inTransaction(db, (tx) => enqueueWebhookDelivery(tx, scope, new Date()))
      while (!signal.aborted && (await deleteOldMessages(db, atATime)) === atATime);
    }),
})
