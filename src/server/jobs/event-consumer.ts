import type { z } from 'zod'
import type { Actor } from '#server/access/actor.ts'
import type { JobCaller } from '#server/access/callers/job.ts'
import type { ServerContext } from '#server/access/context.ts'
import type { ContractCall } from '#server/access/operations/call-contract.ts'
import type { Db, Tx } from '#server/db/scope.ts'
import type { EventType } from '#shared/events.ts'
import type { EnqueueOptions } from './enqueue.ts'
import type { Job } from './job.ts'

/** An event as event consumers receive it. `shared/events.ts` defines the `payload`. */
export interface OutboxEvent {
  /** Increases with every event. A redelivered event keeps its position. */
  position: number
  type: EventType
  spaceId: number
  appId: number | null
  modelId: number | null
  documentId: string | null
  actorKind: Actor['kind']
  /** The account that acted, or that requested the job. */
  actorId: string | null
  /** Name of the program, job, service or form. null: an account, which {@link actorId} identifies. */
  actorName: string | null
  payload: Record<string, unknown>
  createdAt: Date
}

/**
 * The context of an event consumer. `services.log` includes the consumer. `db` is a handle on the jobs' own pool; in an
 * atomic consumer, its transaction. Inside a space, the consumer works with `enter(ctx, asSystem(…), …)`.
 */
export interface ConsumerContext<Handle extends Db = Db> extends ServerContext {
  db: Handle
  /**
   * Returns the function that executes operations of the contract as this caller, with their checks and audit entries,
   * and returns their answers. In an atomic consumer, they are part of its transaction. Operations with `transaction:
   * 'own'` throw a `TypeError` there.
   */
  executeAs(caller: JobCaller): ContractCall
  /**
   * Adds a job like `enqueue`, once per event and kind of job, even if the event is delivered again after the job has
   * ended. `db`: the transaction of the rows that belong to the job. Returns whether the job was added. Not needed in
   * an atomic consumer.
   */
  enqueueOnce<Schema extends z.ZodType>(
    db: Db,
    event: OutboxEvent,
    job: Job<Schema>,
    payload: z.input<Schema>,
    options?: EnqueueOptions,
  ): Promise<boolean>
  /** Aborted when the process shuts down, or another process takes over the outbox. */
  signal: AbortSignal
}

interface ConsumerOptions {
  /** Must never change, because the consumer's cursor is stored under it. */
  name: string
  types: readonly EventType[]
}

/**
 * A consumer that receives events at least once: after a crash or an error, the events since its cursor are delivered
 * again. It adds jobs with `ctx.enqueueOnce`, which ignores events that are delivered again.
 */
export interface RepeatableConsumer extends ConsumerOptions {
  atomic?: false
  handle(events: OutboxEvent[], ctx: ConsumerContext): Promise<void>
}

/**
 * A consumer whose rows and cursor are one transaction (`ctx.db`), so that each event takes effect exactly once. The
 * handler only runs short statements: it may be called again after a rollback, also for fewer or more events.
 */
interface AtomicConsumer extends ConsumerOptions {
  atomic: true
  handle(events: OutboxEvent[], ctx: ConsumerContext<Tx>): Promise<void>
}

/**
 * An event consumer, which reads the outbox. It receives the events of its types that commit after its first start.
 * Events of one document arrive in commit order. An event that fails blocks all later events of this consumer, so slow
 * or unreliable work belongs in a job that the handler enqueues.
 */
export type EventConsumer = RepeatableConsumer | AtomicConsumer
