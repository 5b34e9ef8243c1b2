import { type RawBuilder, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { AppError } from '#shared/errors.ts'

/*
 * Uploads whose address was signed and of which no asset was made yet. What is PUT there is on our disks, or in the operator's
 * bucket, so how many there are at a time is bounded.
 */

/** Uploads and their bytes that one account, and that all in a space, may have open. */
const most = {
  account: { count: 200, bytes: 1_000_000_000 },
  space: { count: 2_000, bytes: 10_000_000_000 },
}

/**
 * Takes an upload down. Answers the ids of those of the space that have expired by now. Throws `TooManyOpenUploads`, saying when the
 * first of those that are open expires.
 */
export async function reserveUpload(
  db: Db,
  { spaceId }: SpaceScope,
  { id, account, size, expiresAt }: { id: string; account: string | null; size: number; expiresAt: Date },
): Promise<string[]> {
  // Of two at the same moment the second counts the first.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('open uploads', ${spaceId}))`.execute(db)
  const expired = await db
    .deleteFrom('open_upload')
    .where('space_id', '=', spaceId)
    .where('expires_at', '<=', sql<Date>`now()`)
    .returning('id')
    .execute()
  const own = sql<boolean>`account_id IS NOT DISTINCT FROM ${account}`
  const number = (what: RawBuilder<unknown>) => sql<number>`coalesce(${what}, 0)::float8`
  const open = await db
    .selectFrom('open_upload')
    .select(number(sql`count(*) FILTER (WHERE ${own})`).as('ownCount'))
    .select(number(sql`sum(size) FILTER (WHERE ${own})`).as('ownBytes'))
    .select([number(sql`count(*)`).as('count'), number(sql`sum(size)`).as('bytes')])
    .select(
      number(sql`ceil(extract(epoch FROM min(expires_at) FILTER (WHERE ${own}) - now()))`).as('ownWait'),
    )
    .select(number(sql`ceil(extract(epoch FROM min(expires_at) - now()))`).as('wait'))
    .where('space_id', '=', spaceId)
    .executeTakeFirstOrThrow()
  const isFull = ({ count, bytes }: { count: number; bytes: number }, limit: typeof most.space) =>
    count >= limit.count || bytes + size > limit.bytes
  const isOwnFull = isFull({ count: open.ownCount, bytes: open.ownBytes }, most.account)
  if (isOwnFull || isFull(open, most.space)) {
    const wait = isOwnFull ? open.ownWait : open.wait
    throw new AppError('TooManyOpenUploads', { headers: { 'retry-after': String(Math.max(1, wait)) } })
  }
  const row = { space_id: spaceId, id, account_id: account, size, expires_at: expiresAt }
  await db.insertInto('open_upload').values(row).execute()
  return expired.map((upload) => upload.id)
}

/** Its asset is there. */
export async function releaseUpload(db: Db, { spaceId }: SpaceScope, id: string): Promise<void> {
  await db.deleteFrom('open_upload').where('space_id', '=', spaceId).where('id', '=', id).execute()
}
