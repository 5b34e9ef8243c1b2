import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import type { AttemptReason } from '#shared/contract/webhooks.ts'

export interface ToldEvent {
  /** Position in the outbox. null: a test or a preview. */
  position: number | null
  event: string
  appId: number | null
  modelId: number | null
  documentId: string | null
  /**
   * Version of the document after the event. If a published document is restored, its published version. null: the
   * event has no version.
   */
  version: number | null
  assetId: string | null
  actorId: string | null
  /** Time of the event, ISO 8601. */
  at: string
}

export interface NewMessage {
  id: string
  webhookId: string
  event: string
  events: ToldEvent[]
  /** Whether further events may be added to the message until it is sent. */
  gathers: boolean
  /**
   * Due time. null: the caller sends the message itself. The message counts as failed until it was sent successfully.
   */
  nextAt: Date | null
}

/** Inserts messages. The messages of one webhook must be in the order of their events. */
export async function insertMessages(db: Db, { spaceId }: SpaceScope, messages: NewMessage[]): Promise<void> {
  const rows = messages.map(({ id, webhookId, event, events, gathers, nextAt }) => {
    const of = gathers ? undefined : events[0]
    return {
      space_id: spaceId,
      id,
      webhook_id: webhookId,
      event,
      events: storedJson(events),
      lane: gathers ? '' : (of?.documentId ?? of?.assetId ?? event),
      app_id: of?.appId ?? null,
      model_id: of?.modelId ?? null,
      document_id: of?.documentId ?? null,
      state: nextAt ? ('waiting' as const) : ('failed' as const),
      next_at: nextAt,
      ended_at: nextAt ? null : new Date(),
    }
  })
  for (let at = 0; at < rows.length; at += 1000)
    await db
      .insertInto('webhook_message')
      .values(rows.slice(at, at + 1000))
      .execute()
}

/**
 * Checks whether `m` is the first waiting message of its lane. A gathered message contains events of many documents: it
 * waits for all earlier messages, and all later messages wait for it. The condition uses subqueries with LIMIT, because
 * PostgreSQL turns NOT EXISTS into joins that compare all waiting messages.
 */
export const isFirst = sql<boolean>`(SELECT o.sequence FROM webhook_message o WHERE o.webhook_id = m.webhook_id
    AND o.state = 'waiting' AND o.lane = m.lane ORDER BY o.sequence LIMIT 1) = m.sequence
  AND coalesce((SELECT o.sequence FROM webhook_message o WHERE o.webhook_id = m.webhook_id
    AND o.state = 'waiting' AND o.lane = '' ORDER BY o.sequence LIMIT 1) >= m.sequence, true)
  AND (m.lane <> '' OR (SELECT o.sequence FROM webhook_message o WHERE o.webhook_id = m.webhook_id
    AND o.state = 'waiting' ORDER BY o.sequence LIMIT 1) = m.sequence)`

export interface WaitingMessage {
  id: string
  event: string
  events: ToldEvent[]
  body: string | null
  /** `attempts`: total number of attempts. `tries`: attempts since the message was created or last replayed. */
  attempts: number
  tries: number
}

/** Returns up to `limit` messages of a webhook that may be sent now, oldest first. */
export async function listDue(
  db: Db,
  { spaceId }: SpaceScope,
  webhookId: string,
  limit: number,
): Promise<WaitingMessage[]> {
  const { rows } = await sql<WaitingMessage>`
    SELECT m.id, m.event, m.events, m.body, m.attempts, m.tries FROM webhook_message m
    WHERE m.space_id = ${spaceId} AND m.webhook_id = ${webhookId} AND m.state = 'waiting' AND m.next_at <= now()
      AND ${isFirst}
    ORDER BY m.sequence LIMIT ${limit}`.execute(db)
  return rows
}

/** A body for a message that has none, and the number of events in it. */
interface NewBody {
  id: string
  body: string
  events: number
}

/**
 * Stores the bodies of messages for all attempts. Returns the ids of the updated messages. Omits messages that received
 * another event in the meantime, already have a body, or were deleted.
 */
export async function keepBodies(
  db: Db,
  { spaceId }: SpaceScope,
  bodies: readonly NewBody[],
): Promise<Set<string>> {
  if (bodies.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    UPDATE webhook_message m SET body = g.body
    FROM unnest(${bodies.map(({ id }) => id)}::text[], ${bodies.map(({ body }) => body)}::text[],
      ${bodies.map(({ events }) => events)}::int[]) AS g (id, body, events)
    WHERE m.space_id = ${spaceId} AND m.id = g.id AND m.body IS NULL AND jsonb_array_length(m.events) = g.events
    RETURNING m.id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Result of one attempt to send a message. */
export interface Result {
  at: Date
  /** Duration in ms. */
  took: number
  /** HTTP status. null: no response. */
  status: number | null
  /** Reason of the failure. null: the receiver accepted the message. */
  reason: AttemptReason | null
  detail: string
  headers: readonly { name: string; value: string }[]
  answer: string | null
}

export interface Attempt extends Result {
  messageId: string
  /** Time of the next attempt. null: the message was accepted, or is not retried. */
  nextAt: Date | null
}

/** Stores attempts and updates their messages. Ignores messages that were deleted in the meantime. */
export async function writeAttempts(
  db: Db,
  { spaceId }: SpaceScope,
  attempts: readonly Attempt[],
): Promise<void> {
  if (attempts.length === 0) return
  const given = storedJson(attempts)
  await sql`
    WITH given AS (
      SELECT * FROM jsonb_to_recordset(${given}::jsonb) AS g ("messageId" text, at timestamptz, took int, status int,
        reason text, detail text, headers jsonb, answer text, "nextAt" timestamptz)
    ), told AS (
      UPDATE webhook_message m SET attempts = m.attempts + 1, tries = m.tries + 1, status = g.status, reason = g.reason,
        took = g.took, next_at = g."nextAt", ended_at = CASE WHEN g."nextAt" IS NULL THEN now() END,
        state = CASE WHEN g.reason IS NULL THEN 'sent' WHEN g."nextAt" IS NULL THEN 'failed' ELSE 'waiting' END
      FROM given g WHERE m.space_id = ${spaceId} AND m.id = g."messageId" RETURNING m.id, m.attempts
    )
    INSERT INTO webhook_attempt (space_id, message_id, number, at, took, status, reason, detail, headers, answer)
    SELECT ${spaceId}::int, told.id, told.attempts, g.at, g.took, g.status, g.reason, g.detail, g.headers, g.answer
    FROM given g JOIN told ON told.id = g."messageId"`.execute(db)
}

/**
 * Returns the time at which the next message of a space may be sent. It is in the past if a message may be sent now.
 * null: no message waits. Ignores disabled webhooks. For a paused receiver, the time is the end of its pause.
 */
export async function findNextDue(db: Db, { spaceId }: SpaceScope): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    SELECT min(CASE WHEN w.paused_until > now() THEN w.paused_until ELSE (SELECT min(m.next_at) FROM webhook_message m
      WHERE m.space_id = w.space_id AND m.webhook_id = w.id AND m.state = 'waiting' AND ${isFirst}) END) AS at
    FROM webhook w WHERE w.space_id = ${spaceId} AND w.enabled AND EXISTS (SELECT FROM webhook_message m
      WHERE m.space_id = w.space_id AND m.webhook_id = w.id AND m.state = 'waiting')`.execute(db)
  return rows[0]?.at ?? null
}
