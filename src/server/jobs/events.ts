import { sql } from 'kysely'
import { type Actor, accountOf, nameOf } from '#server/access/actor.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { type EventPayload, type EventType, eventSchemas } from '#shared/events.ts'

/** What an event is about and who caused it. */
export interface EventSubject {
  appId?: number
  modelId?: number
  documentId?: string
  actor: Actor
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
      actor_kind: subject.actor.kind,
      actor_id: accountOf(subject.actor),
      actor_name: nameOf(subject.actor),
      payload: JSON.stringify(eventSchemas[type].parse(payload)),
    })
    .execute()
}

export type Notice =
  | { kind: 'model'; modelId: number }
  | { kind: 'registry'; spaceId: number }
  | { kind: 'token'; spaceId: number }

/** Tells every process, when this transaction commits, that what it has cached of this is old. */
export async function notify(db: Db, notice: Notice): Promise<void> {
  await sql`SELECT pg_notify('imori', ${JSON.stringify(notice)})`.execute(db)
}
