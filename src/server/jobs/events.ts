import { notifying } from '#server/db/notices.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { type EventPayload, type EventType, eventSchemas } from '#shared/events.ts'

/** What an event is about and who caused it. */
export interface EventSubject {
  appId?: number
  modelId?: number
  documentId?: string
  actorId: string | null
}

/** Writes an event to the outbox, in the transaction of the change it tells of. */
export async function recordEvent<T extends EventType>(
  db: Db,
  scope: SpaceScope,
  type: T,
  payload: EventPayload<T>,
  subject: EventSubject,
): Promise<void> {
  await db
    .insertInto('event')
    .values({
      space_id: scope.spaceId,
      type,
      app_id: subject.appId ?? null,
      model_id: subject.modelId ?? null,
      document_id: subject.documentId ?? null,
      actor_id: subject.actorId,
      payload: JSON.stringify(eventSchemas[type].parse(payload)),
    })
    .returning(notifying({ kind: 'event' }).as('notified'))
    .execute()
}
