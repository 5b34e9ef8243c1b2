import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import type { OutboxEvent } from '#server/jobs/event-consumer.ts'
import type { AttemptReason } from '#shared/contract/webhooks.ts'

/** An event in a message. The body of the message is created from it. */
export interface EventReference {
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
  /** undefined: the message was created by a version of Imori that did not store the kind. */
  actorKind?: OutboxEvent['actorKind'] | undefined
  /** The account that acted, or that requested the job. */
  actorId: string | null
  /** Name of the program, job or form. null: an account. */
  actorName?: string | null | undefined
  /** Time of the event, ISO 8601. */
  at: string
}

export interface NewMessage {
  id: string
  webhookId: string
  event: string
  events: EventReference[]
  /** Whether the message is a batch, to which further events may be added until it is sent. */
  isBatch: boolean
  /**
   * Due time. null: the caller sends the message itself. The message counts as failed until it was sent successfully.
   */
  nextAt: Date | null
}

/** Inserts messages. The messages of one webhook must be in the order of their events. */
export async function insertMessages(db: Db, { spaceId }: SpaceScope, messages: NewMessage[]): Promise<void> {
  const rows = messages.map(({ id, webhookId, event, events, isBatch, nextAt }) => {
    const of = isBatch ? undefined : events[0]
    return {
      space_id: spaceId,
      id,
      webhook_id: webhookId,
      event,
      events: storedJson(events),
      ordering_key: isBatch ? '' : (of?.documentId ?? of?.assetId ?? event),
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
 * Checks whether `m` is the first waiting message with its ordering key. A batch contains events of many documents: it
 * waits for all earlier messages, and all later messages wait for it. The condition uses subqueries with LIMIT, because
 * PostgreSQL turns NOT EXISTS into joins that compare all waiting messages.
 */
const isFirst = sql<boolean>`(SELECT o.sequence FROM webhook_message o WHERE o.webhook_id = m.webhook_id
    AND o.state = 'waiting' AND o.ordering_key = m.ordering_key ORDER BY o.sequence LIMIT 1) = m.sequence
  AND coalesce((SELECT o.sequence FROM webhook_message o WHERE o.webhook_id = m.webhook_id
    AND o.state = 'waiting' AND o.ordering_key = '' ORDER BY o.sequence LIMIT 1) >= m.sequence, true)
  AND (m.ordering_key <> '' OR (SELECT o.sequence FROM webhook_message o WHERE o.webhook_id = m.webhook_id
    AND o.state = 'waiting' ORDER BY o.sequence LIMIT 1) = m.sequence)`

export interface WaitingMessage {
  id: string
  event: string
  events: EventReference[]
  /** Length of the stored body in characters. null: not created yet. */
  bodyLength: number | null
  /** Whether the body is a list of events, even if the webhook no longer has a batching window. */
  isBatch: boolean
  /** Number of regular attempts since the message was created or last redelivered. Excludes probes. */
  tries: number
  /** Due time. In the future for a probe: a retry that is sent early, to see whether the receiver works again. */
  nextAt: Date
  isProbe: boolean
  /** Whether the message was created within the last quarter of a second. */
  isNew: boolean
}

/**
 * Checks whether `m` may be sent now to the receiver `w`. After a pause, messages that wait for a retry may be sent
 * as probes, because their own next attempt can be hours away.
 */
export const isSendable = sql<boolean>`(m.next_at <= now() OR (w.paused_until IS NOT NULL AND m.attempts > 0))
  AND ${isFirst}`

/** Returns up to `limit` messages of a webhook that may be sent now, oldest first. */
export async function listDue(
  db: Db,
  { spaceId }: SpaceScope,
  webhookId: string,
  limit: number,
): Promise<WaitingMessage[]> {
  const { rows } = await sql<WaitingMessage>`
    SELECT m.id, m.event, m.events, m.body_length AS "bodyLength", m.ordering_key = '' AS "isBatch", m.tries, m.next_at AS "nextAt", m.next_at > now() AS "isProbe", m.created_at > now() - interval '250 ms' AS "isNew"
    FROM webhook_message m JOIN webhook w ON w.space_id = m.space_id AND w.id = m.webhook_id
    WHERE m.space_id = ${spaceId} AND m.webhook_id = ${webhookId} AND m.state = 'waiting' AND ${isSendable}
    ORDER BY m.sequence LIMIT ${limit}`.execute(db)
  return rows
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
  /** Time in ms for which the receiver asked to wait (Retry-After). null: it did not. */
  retryAfter: number | null
}

export interface Attempt extends Result {
  messageId: string
  isProbe: boolean
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
  // The list of ids makes PostgreSQL use the index, even if it does not know yet that the table has grown.
  const ids = attempts.map(({ messageId }) => messageId)
  await sql`
    WITH given AS (
      SELECT * FROM jsonb_to_recordset(${given}::jsonb) AS g ("messageId" text, at timestamptz, took int, status int,
        reason text, detail text, headers jsonb, answer text, "isProbe" boolean, "nextAt" timestamptz)
    ), message AS (
      UPDATE webhook_message m SET attempts = m.attempts + 1,
        tries = m.tries + CASE WHEN g."isProbe" THEN 0 ELSE 1 END, status = g.status, reason = g.reason,
        took = g.took, next_at = g."nextAt", ended_at = CASE WHEN g."nextAt" IS NULL THEN now() END,
        state = CASE WHEN g.reason IS NULL THEN 'sent' WHEN g."nextAt" IS NULL THEN 'failed' ELSE 'waiting' END
      FROM given g WHERE m.space_id = ${spaceId} AND m.id = ANY(${ids}::text[]) AND m.id = g."messageId" RETURNING m.id, m.attempts
    )
    INSERT INTO webhook_attempt (space_id, message_id, number, at, took, status, reason, detail, headers, answer)
    SELECT ${spaceId}::int, message.id, message.attempts, g.at, g.took, g.status, g.reason, g.detail, g.headers, g.answer
    FROM given g JOIN message ON message.id = g."messageId"`.execute(db)
}

/** Sets the due time of the webhook's messages that wait for a retry to now. */
export async function retryNow(db: Db, { spaceId }: SpaceScope, webhookId: string): Promise<void> {
  await db
    .updateTable('webhook_message')
    .set({ next_at: sql`now()` })
    .where('space_id', '=', spaceId)
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'waiting')
    .where('attempts', '>', 0)
    .execute()
}

/**
 * Returns the time at which the next message of a space may be sent. It is in the past if a message may be sent now.
 * null: no message waits. Ignores disabled webhooks. For a paused receiver, the time is the end of its pause.
 */
export async function findNextDue(db: Db, { spaceId }: SpaceScope): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    SELECT min(greatest(w.paused_until, w.held_until, (SELECT min(CASE WHEN ${isSendable} THEN now() ELSE m.next_at END)
      FROM webhook_message m WHERE m.space_id = w.space_id AND m.webhook_id = w.id AND m.state = 'waiting'
        AND ${isFirst}))) AS at
    FROM webhook w WHERE w.space_id = ${spaceId} AND w.enabled AND EXISTS (SELECT FROM webhook_message m
      WHERE m.space_id = w.space_id AND m.webhook_id = w.id AND m.state = 'waiting')`.execute(db)
  return rows[0]?.at ?? null
}
