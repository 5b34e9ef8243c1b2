import type { z } from 'zod'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import { newId } from '#server/lib/ids.ts'
import type { Job } from './job.ts'

interface EnqueueOptions {
  /** The space it is for, in whose transaction this is called. Left out: the installation itself. */
  scope?: SpaceScope
  /** Not before then; default: as soon as the transaction has committed. */
  runAt?: Date
  /** While a job of this name and space waits under the same key, that one is answered and none is added. */
  key?: string
  /** The account that asked for it: may watch and cancel it. */
  requestedBy?: string | null
}

/**
 * Adds a job in the caller's transaction: it runs when that commits, and never if it does not. Works for the role of
 * the management API too, in its own space only. Answers the job's `_id`. Throws when the payload is not the job's.
 */
export async function enqueue<Schema extends z.ZodType>(
  db: Db,
  job: Job<Schema>,
  payload: z.input<Schema>,
  { scope, runAt, key, requestedBy }: EnqueueOptions = {},
): Promise<string> {
  const parsed = job.payload.parse(payload)
  for (;;) {
    const added = await db
      .insertInto('job')
      .values({
        id: newId(),
        space_id: scope?.spaceId ?? null,
        name: job.name,
        payload: storedJson(payload),
        key: key ?? null,
        queue: job.concurrencyKey(parsed),
        priority: job.priority,
        is_long: job.isLong,
        max_attempts: job.maxAttempts,
        requested_by: requestedBy ?? null,
        ...(runAt ? { run_at: runAt } : {}),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (added) return added.id
    const waiting = await db
      .selectFrom('job')
      .select('id')
      .where('name', '=', job.name)
      .where('space_id', 'is not distinct from', scope?.spaceId ?? null)
      .where('key', '=', key ?? '')
      .where('state', '=', 'waiting')
      .executeTakeFirst()
    if (waiting) return waiting.id
    // It began to run between the two statements: then ours is another one.
  }
}
