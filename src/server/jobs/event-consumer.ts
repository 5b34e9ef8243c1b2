import type { Actor } from '#server/access/actor.ts'
import type { ServerContext } from '#server/access/context.ts'
import type { EventType } from '#shared/events.ts'

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
 * The context of an event consumer. `db` is a handle on the jobs' own pool, and `services.log` includes the consumer.
 * Inside a space, the consumer works with `enter(ctx, asSystem(…), …)`.
 */
export interface ConsumerContext extends ServerContext {
  /** Aborted when the process shuts down, or another process takes over the outbox. */
  signal: AbortSignal
}

/**
 * An event consumer, which reads the outbox. It receives the events of its types that commit after its first start,
 * each at least once. Events of one document arrive in commit order. After a crash or an error, the last events are
 * delivered again. An event that fails blocks all later events of this consumer, so slow or unreliable work belongs in
 * a job that the handler enqueues.
 */
export interface EventConsumer {
  /** Must never change, because the consumer's cursor is stored under it. */
  name: string
  types: readonly EventType[]
  handle(events: OutboxEvent[], ctx: ConsumerContext): Promise<void>
}
