import type { Logger } from 'pino'
import type { Db } from '#server/db/scope.ts'
import type { EventType } from '#shared/events.ts'

/** An event as its subscribers see it; `payload` as `shared/events.ts` says. */
export interface OutboxEvent {
  /** Grows with every event; what is redelivered comes with the same one. */
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
 * A reader of the outbox: a value beside the endpoints of its feature. It sees every event of its types that was
 * committed after it was first there, those of one document in the order of their commits, each at least once: after
 * a crash or an error the last ones come again. An event that cannot be handled now holds up those behind it, so slow
 * or uncertain work belongs into a job that the handler enqueues.
 */
export interface Subscriber {
  /** Stays for ever: its place in the outbox is kept by it. */
  name: string
  types: readonly EventType[]
  handle(events: OutboxEvent[], ctx: { db: Db; log: Logger; signal: AbortSignal }): Promise<void>
}
