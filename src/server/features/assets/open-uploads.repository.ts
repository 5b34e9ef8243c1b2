import { type RawBuilder, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { AppError } from '#shared/errors.ts'

/*
 * Signed uploads whose asset does not exist yet. They occupy space on this installation's disk or in a bucket, so their
 * number and size are limited.
 */

/** Maximum number and bytes of open uploads of an account over all its spaces, and of a space. */
const most = {
  account: { count: 200, bytes: 1_000_000_000 },
  space: { count: 2_000, bytes: 10_000_000_000 },
}

/**
 * Records an upload. Deletes the space's expired uploads and returns their ids. Throws `TooManyOpenUploads` with
 * `retry-after`: the seconds until the first open upload expires.
 */
export async function reserveUpload(
  db: Db,
  { spaceId }: SpaceScope,
  { id, account, size, expiresAt }: { id: string; account: string | null; size: number; expiresAt: Date },
): Promise<string[]> {
  // Serialises concurrent reservations of the space, so that the second counts the first.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('open uploads', ${spaceId}))`.execute(db)
  const expired = await db
    .deleteFrom('open_upload')
    .where('space_id', '=', spaceId)
    .where('expires_at', '<=', sql<Date>`now()`)
    .returning('id')
    .execute()
  const number = (what: RawBuilder<unknown>) => sql<number>`coalesce(${what}, 0)::float8`
  const open = await db
    .selectFrom('open_upload')
    .select([number(sql`count(*)`).as('count'), number(sql`sum(size)`).as('bytes')])
    .select(number(sql`ceil(extract(epoch FROM min(expires_at) - now()))`).as('wait'))
    .where('space_id', '=', spaceId)
    .executeTakeFirstOrThrow()
  const own = account === null ? null : await findOpenUploads(db, account)
  if (own) requireRoom('account', own, size)
  requireRoom('space', open, size)
  const row = { space_id: spaceId, id, account_id: account, size, expires_at: expiresAt }
  await db.insertInto('open_upload').values(row).execute()
  return expired.map((upload) => upload.id)
}

interface OpenUploads {
  count: number
  bytes: number
  /** Seconds until the first open upload expires. */
  wait: number
}

/**
 * Returns the number and size of the account's open uploads in all spaces. Locks the account against concurrent
 * reservations.
 */
async function findOpenUploads(db: Db, account: string): Promise<OpenUploads> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`open uploads of ${account}`}, 0))`.execute(db)
  const { rows } = await sql<OpenUploads>`SELECT count, bytes, wait FROM open_uploads_of(${account})`.execute(
    db,
  )
  return rows[0] ?? { count: 0, bytes: 0, wait: 0 }
}

/** Throws `TooManyOpenUploads` if one more upload of `size` bytes would exceed the limit of the space or account. */
function requireRoom(of: keyof typeof most, { count, bytes, wait }: OpenUploads, size: number): void {
  const limit = most[of]
  if (count < limit.count && bytes + size <= limit.bytes) return
  throw new AppError('TooManyOpenUploads', {
    details: { limit: { of, ...limit } },
    headers: { 'retry-after': String(Math.max(1, wait)) },
  })
}

/** Deletes the record of an upload whose asset exists. */
export async function releaseUpload(db: Db, { spaceId }: SpaceScope, id: string): Promise<void> {
  await db.deleteFrom('open_upload').where('space_id', '=', spaceId).where('id', '=', id).execute()
}

/** Checks whether an asset with this `_id` exists, including in the trash. */
export async function hasAsset(db: Db, space: number, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('asset')
    .select('id')
    .where('space_id', '=', space)
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}
