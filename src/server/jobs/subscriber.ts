import type { Logger } from 'pino'
import type { Db } from '#server/db/scope.ts'
import type { EventType } from '#shared/events.ts'

/** An event as subscribers receive it; `shared/events.ts` defines the `payload`. */
export interface OutboxEvent {
  /** Increases with every event; a redelivered event keeps its position. */
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
 * A reader of the outbox, defined next to the endpoints of its feature. It receives every event of its types committed
 * after its first start, those of one document in commit order, each at least once: after a crash or an error, the last
 * ones are delivered again.
 * An event that fails blocks those after it, so slow or unreliable work belongs in a job that the handler enqueues.
 */
export interface Subscriber {
  /** Must never change, because the subscriber's position is stored under it. */
  name: string
  types: readonly EventType[]
  handle(events: OutboxEvent[], ctx: { db: Db; log: Logger; signal: AbortSignal }): Promise<void>
}
