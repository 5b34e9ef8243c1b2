import { type RawBuilder, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { AppError } from '#shared/errors.ts'

/*
 * Signed uploads whose asset does not exist yet. Their bytes are on this installation's disks or in the operator's
 * bucket, so their number is limited.
 */

/** Maximum number and bytes of open uploads per account and per space. */
const most = {
  account: { count: 200, bytes: 1_000_000_000 },
  space: { count: 2_000, bytes: 10_000_000_000 },
}

/**
 * Records an upload and returns the ids of the space's expired ones. Throws `TooManyOpenUploads` with the time when the
 * first open one expires.
 */
export async function reserveUpload(
  db: Db,
  { spaceId }: SpaceScope,
  { id, account, size, expiresAt }: { id: string; account: string | null; size: number; expiresAt: Date },
): Promise<string[]> {
  // Serialises concurrent reservations, so that the second counts the first.
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

/** Deletes the record of an upload whose asset exists. */
export async function releaseUpload(db: Db, { spaceId }: SpaceScope, id: string): Promise<void> {
  await db.deleteFrom('open_upload').where('space_id', '=', spaceId).where('id', '=', id).execute()
}

/** Whether an asset with this `_id` exists, including in the trash. */
export async function hasAsset(db: Db, space: number, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('asset')
    .select('id')
    .where('space_id', '=', space)
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}
