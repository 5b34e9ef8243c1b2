import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'

/** Number of days after its creation for which a message is kept, unless its webhook has `keptAtMost` newer ones. */
const keptDays = 30
/** Number of newest messages of a webhook that are kept at any age. */
const keptAtLeast = 100
/** Maximum number of messages of a webhook that are kept within `keptDays`. */
const keptAtMost = 10_000
/**
 * Number of days after which a waiting message fails, for example because its receiver is paused or its webhook
 * disabled.
 */
const longestWait = 3

/**
 * Marks up to `limit` messages as failed that have waited for more than `longestWait` days. Members can redeliver them.
 * Returns the number of messages.
 */
export async function giveUpWaiting(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE webhook_message SET state = 'failed', next_at = NULL, ended_at = now(), reason = coalesce(reason, 'expired')
    WHERE (space_id, id) IN (SELECT space_id, id FROM webhook_message
      WHERE state = 'waiting' AND waiting_since < now() - make_interval(days => ${longestWait}) LIMIT ${limit})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}

/** Deletes up to `limit` ended messages that are beyond the limits above. Returns their number. */
export async function deleteOldMessages(db: Db, limit: number): Promise<number> {
  const nth = (newest: number) => sql`(SELECT n.sequence FROM webhook_message n
    WHERE n.space_id = w.space_id AND n.webhook_id = w.id ORDER BY n.sequence DESC OFFSET ${newest - 1} LIMIT 1)`
  const { numAffectedRows } = await sql`
    DELETE FROM webhook_message WHERE (space_id, id) IN (
      SELECT m.space_id, m.id FROM webhook w CROSS JOIN LATERAL (
        SELECT ${nth(keptAtLeast)} AS least, ${nth(keptAtMost)} AS most) kept
      JOIN webhook_message m ON m.space_id = w.space_id AND m.webhook_id = w.id AND m.sequence < kept.least
      WHERE m.state <> 'waiting'
        AND (m.sequence < kept.most OR m.created_at < now() - make_interval(days => ${keptDays}))
      LIMIT ${limit})`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Returns whether the space is not deleted and has an enabled, unpaused webhook with a due message. */
export async function isDue(db: Db, { spaceId }: SpaceScope): Promise<boolean> {
  const { rows } = await sql<{ due: boolean }>`
    SELECT EXISTS (SELECT FROM webhook w JOIN space ON space.id = w.space_id AND space.deleted_at IS NULL
      WHERE w.space_id = ${spaceId} AND w.enabled AND (w.paused_until IS NULL OR w.paused_until <= now()) AND EXISTS (
        SELECT FROM webhook_message m WHERE m.webhook_id = w.id AND m.state = 'waiting' AND m.next_at <= now())) AS due`.execute(
    db,
  )
  return rows[0]?.due === true
}
