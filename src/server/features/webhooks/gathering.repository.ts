import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import { newId } from '#server/lib/ids.ts'
import { insertMessages, type ToldEvent } from './messages.repository.ts'

/** A message with this number of events receives no further ones. Another message is created instead. */
const mostTogether = 500
/** Maximum time between creation and due time of a message, as a multiple of its window. */
const mostWindows = 5

/**
 * Adds events to the webhook's message that still gathers events, and moves the due time of the message to `due`, but
 * not beyond `mostWindows`. So the window starts again with each event. Creates a message if no message gathers events.
 */
export async function gather(
  db: Db,
  scope: SpaceScope,
  { id: webhookId, gathers }: { id: string; gathers: number },
  events: ToldEvent[],
  due: Date,
): Promise<void> {
  const { rows } = await sql`
    UPDATE webhook_message m SET events = m.events || ${storedJson(events)}::jsonb,
      next_at = least(${due}, m.created_at + make_interval(secs => ${gathers * mostWindows}))
    WHERE m.space_id = ${scope.spaceId} AND m.id = (SELECT id FROM webhook_message
        WHERE space_id = ${scope.spaceId} AND webhook_id = ${webhookId} AND lane = '' AND state = 'waiting'
        ORDER BY sequence DESC LIMIT 1)
      AND m.state = 'waiting' AND m.body IS NULL AND jsonb_array_length(m.events) < ${mostTogether}
    RETURNING m.id`.execute(db)
  if (rows.length > 0) return
  const event = events[0]?.event ?? ''
  await insertMessages(db, scope, [{ id: newId(), webhookId, event, events, gathers: true, nextAt: due }])
}
