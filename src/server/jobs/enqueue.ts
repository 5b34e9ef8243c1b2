import { sql } from 'kysely'
import type { z } from 'zod'
import { type Db, inTransaction, type SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import { newId } from '#server/lib/ids.ts'
import type { Job } from './job.ts'

export interface EnqueueOptions {
  /**
   * The space that the job belongs to. A transaction that has entered a space can only add jobs of that space. Omitted:
   * a job of the installation itself.
   */
  scope?: SpaceScope
  /** The earliest time to run. Default: as soon as the transaction has committed. */
  runAt?: Date
  /** While a job with this name, space and key is waiting, its id is returned and no job is added. */
  key?: string
  /** The account that requested the job and may watch and cancel it. */
  requestedBy?: string | null
  /** Smaller values run sooner. Default: the priority of the job's definition. */
  priority?: number
}

/**
 * Adds a job in the caller's transaction: it runs after the commit, and not after a rollback. Also usable inside a
 * space. Returns the job's `_id`. Throws if the payload does not match the job's schema.
 */
export async function enqueue<Schema extends z.ZodType>(
  db: Db,
  job: Job<Schema>,
  payload: z.input<Schema>,
  { scope, runAt, key, requestedBy, priority }: EnqueueOptions = {},
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
        priority: priority ?? job.priority,
        is_long: job.isLong,
        is_network: job.isNetwork,
        max_attempts: job.retries.attempts,
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
    // The waiting job started or was cancelled between the two statements, so a new job must be added.
  }
}

/** The event that causes a job, and the name of the consumer that adds it. */
interface JobCause {
  consumer: string
  event: { position: number }
}

/**
 * Adds a job like {@link enqueue}, once per consumer, event and kind of job: an event that is delivered again adds
 * none, even if the job has ended and was deleted. Returns whether the job was added. Consumers call it by
 * `ctx.enqueueOnce`, because a name without a cursor adds no job.
 */
export async function enqueueOnce<Schema extends z.ZodType>(
  db: Db,
  { consumer, event }: JobCause,
  job: Job<Schema>,
  payload: z.input<Schema>,
  options?: EnqueueOptions,
): Promise<boolean> {
  const add = async (tx: Db) => {
    const { rows } = await sql<{ claimed: boolean }>`
      SELECT claim_event_job(${consumer}, ${event.position}, ${job.name}) AS claimed`.execute(tx)
    if (!rows[0]?.claimed) return false
    await enqueue(tx, job, payload, options)
    return true
  }
  return db.isTransaction ? add(db) : inTransaction(db, add)
}
