import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { type WebhookRow, working } from '../webhooks.repository.ts'
import { isSendable } from './messages.repository.ts'

/** A webhook whose messages may be sent now. */
export type ReadyWebhook = Pick<
  WebhookRow,
  | 'id'
  | 'name'
  | 'url'
  | 'method'
  | 'headers'
  | 'sealed'
  | 'body'
  | 'includesBefore'
  | 'includesAfter'
  | 'batchSeconds'
  | 'failures'
  | 'createdBy'
> & {
  /** Whether the receiver was paused. The pause has ended, and the next request is a probe. */
  wasPaused: boolean
}

/** The settings that select outbox events for a webhook. `position`: the last event that the webhook has processed. */
export type ListeningWebhook = Pick<WebhookRow, 'id' | 'events' | 'targets' | 'batchSeconds'> & {
  position: number
}

/** Returns the ids of the given spaces that have an enabled webhook. */
export async function listListening(db: Db, spaceIds: number[]): Promise<number[]> {
  const { rows } = await sql<{ spaceId: number }>`
    SELECT DISTINCT w.space_id AS "spaceId" FROM webhook w JOIN space ON space.id = w.space_id AND space.deleted_at IS NULL
    WHERE w.space_id = ANY(${spaceIds}::int[]) AND w.enabled`.execute(db)
  return rows.map(({ spaceId }) => spaceId)
}

/**
 * Marks the events up to `position` as processed for all enabled webhooks of a space, in this transaction. Returns
 * these webhooks with their previous positions. So each event is processed once, even if the outbox delivers it again.
 */
export async function advancePositions(
  db: Db,
  { spaceId }: SpaceScope,
  position: number,
): Promise<ListeningWebhook[]> {
  const { rows } = await sql<ListeningWebhook>`
    WITH before AS (
      SELECT id, position FROM webhook WHERE space_id = ${spaceId} AND enabled ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE webhook w SET position = greatest(before.position, ${position}) FROM before
    WHERE w.space_id = ${spaceId} AND w.id = before.id
    RETURNING w.id, w.events, w.targets, w.batch_seconds AS "batchSeconds", before.position`.execute(db)
  return rows
}

/**
 * Returns the enabled webhooks with a message that may be sent now, except those whose receiver is paused or asked to
 * wait. `id`: only that webhook.
 */
export async function listReady(db: Db, { spaceId }: SpaceScope, id?: string): Promise<ReadyWebhook[]> {
  const { rows } = await sql<ReadyWebhook>`
    SELECT w.id, w.name, w.url, w.method, w.headers, w.sealed, w.body, w.includes_before AS "includesBefore",
      w.includes_after AS "includesAfter", w.batch_seconds AS "batchSeconds", w.failures, w.paused_until IS NOT NULL AS "wasPaused", w.created_by AS "createdBy" FROM webhook w
    CROSS JOIN LATERAL (SELECT FROM webhook_message m WHERE m.webhook_id = w.id AND m.state = 'waiting'
      AND ${isSendable} ORDER BY m.sequence LIMIT 1) AS first
    JOIN space ON space.id = w.space_id AND space.deleted_at IS NULL
    WHERE w.space_id = ${spaceId} AND w.enabled AND (w.paused_until IS NULL OR w.paused_until <= now())
      AND (w.held_until IS NULL OR w.held_until <= now())
      AND (${id ?? null}::text IS NULL OR w.id = ${id ?? null})
    ORDER BY w.created_at, w.id`.execute(db)
  return rows
}

/** Records that the receiver accepted a message: resets its failures and its pause. */
export async function recordSuccess(db: Db, { spaceId }: SpaceScope, id: string): Promise<void> {
  await db.updateTable('webhook').set(working).where('space_id', '=', spaceId).where('id', '=', id).execute()
}

/**
 * Sends no request to the receiver for `wait` ms, because it asked for that. Has no effect if the URL was changed
 * meanwhile.
 */
export async function holdReceiver(
  db: Db,
  { spaceId }: SpaceScope,
  { id, url }: Pick<ReadyWebhook, 'id' | 'url'>,
  wait: number,
): Promise<void> {
  await sql`
    UPDATE webhook SET held_until = greatest(held_until, now() + make_interval(secs => ${wait}::float8 / 1000))
    WHERE space_id = ${spaceId} AND id = ${id} AND url = ${url}`.execute(db)
}

/**
 * Disables a webhook whose receiver refused further requests, unless its URL was changed meanwhile. Returns whether the
 * webhook was enabled before.
 */
export async function disableGone(
  db: Db,
  { spaceId }: SpaceScope,
  { id, url }: Pick<ReadyWebhook, 'id' | 'url'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhook')
    // A form that was opened before must not enable the webhook again.
    .set({ ...working, enabled: false, gone_at: sql`now()`, version: sql`version + 1` })
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .where('url', '=', url)
    .where('enabled', '=', true)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Time in minutes for which a receiver fails before the creator of the webhook is notified, even without a pause. */
const notifiedAfter = 30

/**
 * Records a failure of the receiver and its pause in ms (null: no pause). Returns whether to notify the creator of the
 * webhook: once until the receiver works again, for the first pause or after half an hour. Has no effect if the URL
 * was changed meanwhile.
 */
export async function recordFailure(
  db: Db,
  { spaceId }: SpaceScope,
  { id, url }: Pick<ReadyWebhook, 'id' | 'url'>,
  failures: number,
  pause: number | null,
): Promise<boolean> {
  const { rows } = await sql<{ isNew: boolean }>`
    WITH before AS (SELECT id, mailed_at FROM webhook WHERE space_id = ${spaceId} AND id = ${id}
      AND url = ${url} FOR NO KEY UPDATE)
    UPDATE webhook w SET failures = ${failures}, failing_since = coalesce(w.failing_since, now()),
      paused_since = CASE WHEN ${pause}::int IS NULL THEN w.paused_since ELSE coalesce(w.paused_since, now()) END,
      paused_until = CASE WHEN ${pause}::int IS NULL THEN w.paused_until
        ELSE now() + make_interval(secs => ${pause}::float8 / 1000) END,
      mailed_at = CASE WHEN w.mailed_at IS NULL AND ${pause}::int IS NULL
          AND coalesce(w.failing_since, now()) > now() - make_interval(mins => ${notifiedAfter}) THEN NULL
        ELSE coalesce(w.mailed_at, now()) END
    FROM before WHERE w.space_id = ${spaceId} AND w.id = before.id
    RETURNING before.mailed_at IS NULL AND w.mailed_at IS NOT NULL AS "isNew"`.execute(db)
  return rows[0]?.isNew ?? false
}
