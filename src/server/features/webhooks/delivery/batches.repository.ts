import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import { newId } from '#server/lib/ids.ts'
import { type EventReference, insertMessages } from './messages.repository.ts'

/** Maximum number of events in one message. */
const mostEvents = 500
/** Maximum time between creation and due time of a message, as a multiple of its window. */
const mostWindows = 5

/** Moves the due times of the batches of a webhook forward, after its window became shorter. */
export async function shortenBatches(
  db: Db,
  { spaceId }: SpaceScope,
  webhookId: string,
  batchSeconds: number,
): Promise<void> {
  await sql`
    UPDATE webhook_message SET next_at = least(next_at, now() + make_interval(secs => ${batchSeconds}))
    WHERE space_id = ${spaceId} AND webhook_id = ${webhookId} AND ordering_key = '' AND state = 'waiting'
      AND attempts = 0`.execute(db)
}

/**
 * Adds events to the open batch of a webhook, and moves its due time to `due`, but not beyond `mostWindows`. So the
 * window starts again with each event. Creates another message if there is no open batch, or the events do not fit in.
 */
export async function addToBatch(
  db: Db,
  scope: SpaceScope,
  { id: webhookId, batchSeconds }: { id: string; batchSeconds: number },
  events: EventReference[],
  due: Date,
): Promise<void> {
  const { rows } = await sql`
    UPDATE webhook_message m SET events = m.events || ${storedJson(events)}::jsonb,
      next_at = least(${due}, m.created_at + make_interval(secs => ${batchSeconds * mostWindows}))
    WHERE m.space_id = ${scope.spaceId} AND m.id = (SELECT id FROM webhook_message
        WHERE space_id = ${scope.spaceId} AND webhook_id = ${webhookId} AND ordering_key = '' AND state = 'waiting'
        ORDER BY sequence DESC LIMIT 1)
      AND m.state = 'waiting' AND m.attempts = 0 AND m.body_length IS NULL AND jsonb_array_length(m.events) + ${events.length} <= ${mostEvents}
    RETURNING m.id`.execute(db)
  if (rows.length > 0) return
  const messages = []
  for (let at = 0; at < events.length; at += mostEvents) {
    const part = events.slice(at, at + mostEvents)
    const event = part[0]?.event ?? ''
    messages.push({ id: newId(), webhookId, event, events: part, isBatch: true, nextAt: due })
  }
  await insertMessages(db, scope, messages)
}
