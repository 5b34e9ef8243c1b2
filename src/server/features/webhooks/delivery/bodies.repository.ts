import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** Length in characters from which a body is stored compressed. */
const compressedFrom = 2_000

/** A body for a message that has none, and the number of events in it. */
export interface NewBody {
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
  const values = await Promise.all(
    bodies.map(async ({ id, body, events }) => {
      const packed = body.length < compressedFrom ? null : await compress(body, { level: 1 })
      return sql`(${id}, ${packed ? null : body}::text, ${packed}::bytea, ${body.length}::int, ${events}::int)`
    }),
  )
  // The list of ids makes PostgreSQL use the index, even if it does not know yet that the table has grown.
  const ids = bodies.map(({ id }) => id)
  const { rows } = await sql<{ id: string }>`
    UPDATE webhook_message m SET body = g.body, body_gzip = g.packed, body_length = g.length
    FROM (VALUES ${sql.join(values)}) AS g (id, body, packed, length, events)
    WHERE m.space_id = ${spaceId} AND m.id = g.id AND m.id = ANY(${ids}::text[]) AND m.body_length IS NULL
      AND jsonb_array_length(m.events) = g.events
    RETURNING m.id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** A body as it is stored. Both are null: it was not created yet. */
export interface StoredBody {
  body: string | null
  packed: Buffer | null
}

/** Returns a stored body, byte for byte as it was created. */
export const openBody = async ({ body, packed }: StoredBody): Promise<string | null> =>
  packed ? (await decompress(packed)).toString('utf8') : body

/** Returns the stored bodies of messages, by message id. */
export async function findBodies(
  db: Db,
  { spaceId }: SpaceScope,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('webhook_message')
    .select(['id', 'body', 'body_gzip as packed'])
    .where('space_id', '=', spaceId)
    .where('id', 'in', ids)
    .execute()
  const bodies = new Map<string, string>()
  for (const { id, ...stored } of rows) {
    const body = await openBody(stored)
    if (body !== null) bodies.set(id, body)
  }
  return bodies
}
