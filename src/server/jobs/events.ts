import { sql } from 'kysely'
import { type Actor, accountOf, nameOf } from '#server/access/actor.ts'
import type { AppScope, Db, ModelScope, SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import { type EventPayload, type EventType, eventSchemas } from '#shared/events.ts'

export interface EventSubject {
  appId?: number
  modelId?: number
  documentId?: string
  actor: Actor
}

/** The channel on which PostgreSQL notifies the reader of the outbox when a transaction with events commits. */
export const outboxChannel = 'imori_outbox'

/** Writes an event to the outbox, in the transaction of the change that it reports. */
export async function recordEvent<T extends EventType>(
  db: Db,
  scope: SpaceScope,
  type: T,
  payload: EventPayload<T>,
  subject: EventSubject,
): Promise<void> {
  await recordEvents(db, scope, [{ type, payload }], subject)
}

/** Maximum number of rows per statement. Each row has nine values, and PostgreSQL accepts 65,535 values. */
const rowsAtOnce = 1000

/** Writes several events of one change, in their order. */
export async function recordEvents<T extends EventType>(
  db: Db,
  scope: SpaceScope,
  events: { type: T; payload: EventPayload<T> }[],
  subject: EventSubject,
): Promise<void> {
  const rows = events.map(({ type, payload }) => ({
    space_id: scope.spaceId,
    type,
    app_id: subject.appId ?? null,
    model_id: subject.modelId ?? null,
    document_id: subject.documentId ?? null,
    actor_kind: subject.actor.kind,
    actor_id: accountOf(subject.actor),
    actor_name: nameOf(subject.actor),
    payload: storedJson(eventSchemas[type].parse(payload)),
  }))
  const woken = sql`pg_notify(${outboxChannel}, '')::text`.as('woken')
  for (let at = 0; at < rows.length; at += rowsAtOnce)
    await db
      .insertInto('event')
      .values(rows.slice(at, at + rowsAtOnce))
      .returning(woken)
      .execute()
}

/**
 * Returns the id of the newest event of the space; 0 without events. Later events of a model have larger ids, provided
 * no transaction is writing to that model now.
 */
export async function newestEvent(db: Db, scope: SpaceScope): Promise<number> {
  const row = await db
    .selectFrom('event')
    .select((select) => select.fn.max('id').as('id'))
    .where('space_id', '=', scope.spaceId)
    .executeTakeFirst()
  return row?.id ?? 0
}

/** Returns whether the app has an event after this one. */
export async function hasChangedSince(db: Db, scope: AppScope, event: number): Promise<boolean> {
  const row = await db
    .selectFrom('event')
    .select('id')
    .where('space_id', '=', scope.spaceId)
    .where('id', '>', event)
    .where('app_id', '=', scope.appId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns the `_id`s of the model's documents that were written or imported after this event. */
export async function documentsSince(db: Db, scope: ModelScope, event: number): Promise<string[]> {
  const imported = sql`CASE WHEN type = 'documents.imported' THEN payload->'documents' END`
  const { rows } = await sql<{ id: string | null }>`
    SELECT DISTINCT coalesce(document_id, imported.id) AS id FROM event
    LEFT JOIN LATERAL jsonb_to_recordset(${imported}) AS imported (id text) ON true
    WHERE space_id = ${scope.spaceId} AND event.id > ${event} AND model_id = ${scope.modelId}`.execute(db)
  return rows.flatMap(({ id }) => id ?? [])
}
