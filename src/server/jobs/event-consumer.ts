import type { Logger } from 'pino'
import type { Db } from '#server/db/scope.ts'
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
  actorId: string | null
  payload: Record<string, unknown>
  createdAt: Date
}

/**
 * An event consumer, which reads the outbox. It receives the events of its types that commit after its first start,
 * each at least once. Events of one document arrive in commit order. After a crash or an error, the last events are
 * delivered again. An event that fails blocks all later events of this consumer, so slow or unreliable work belongs in
 * a job that the handler enqueues.
 */
export interface EventConsumer {
  /** Must never change, because the consumer's position is stored under it. */
  name: string
  types: readonly EventType[]
  handle(events: OutboxEvent[], ctx: { db: Db; log: Logger; signal: AbortSignal }): Promise<void>
}
