import { type RawBuilder, sql } from 'kysely'
import type { Logger } from 'pino'
import { z } from 'zod'
import { accountOf } from '#server/access/actor.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { requireRightIn } from '#server/access/membership.ts'
import { type Db, inTransaction, type SpaceScope } from '#server/db/scope.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { defineJob } from '#server/jobs/job.ts'
import { type StorageDriver, StorageMismatch, StorageNotFound } from '#server/storage/driver.ts'
import type { Storages } from '#server/storage/index.ts'
import { AppError } from '#shared/errors.ts'
import { claimBlob } from './blobs.ts'

/*
 * The files of a space belong where its new ones go. Moving one copies its content, checks it, and only then lets the rows
 * of assets name the new place, all of them in one transaction; the old content stays for a day and is swept like any other
 * that nobody refers to. So a run may end anywhere, and the next one goes on from what it finds; who uploads, replaces or
 * deletes meanwhile changes rows that the move then does not find.
 */

/** Contents that are moved at once. */
const atOnce = 4
const batchSize = 100

interface Content {
  storage: string
  key: string
  hash: Buffer
  /** null: of a file before its replacement only. */
  mediaType: string | null
}

/** Does an asset refer to this row of `asset_blob`? */
const isUsed = (blob: string): RawBuilder<boolean> => sql`(
  EXISTS (SELECT FROM asset WHERE asset.space_id = ${sql.ref(`${blob}.space_id`)}
    AND asset.storage = ${sql.ref(`${blob}.storage`)} AND asset.storage_key = ${sql.ref(`${blob}.key`)})
  OR EXISTS (SELECT FROM asset WHERE asset.space_id = ${sql.ref(`${blob}.space_id`)}
    AND asset.previous_storage = ${sql.ref(`${blob}.storage`)} AND asset.previous_storage_key = ${sql.ref(`${blob}.key`)}))`

/** How many contents the space's files have, and how many of them are not in the storage of that name. */
export async function countContents(
  db: Db,
  { spaceId }: SpaceScope,
  storage: string,
): Promise<{ total: number; elsewhere: number }> {
  const { rows } = await sql<{ total: number; elsewhere: number }>`
    SELECT count(*)::int AS total, (count(*) FILTER (WHERE storage <> ${storage}))::int AS elsewhere
    FROM asset_blob AS blob WHERE space_id = ${spaceId} AND ${isUsed('blob')}`.execute(db)
  return rows[0] ?? { total: 0, elsewhere: 0 }
}

/** The next contents of the space's files behind `after` that are not in the storage of that name. */
async function listElsewhere(
  db: Db,
  { spaceId }: SpaceScope,
  storage: string,
  after: Pick<Content, 'storage' | 'key'>,
): Promise<Content[]> {
  const { rows } = await sql<Content>`
    SELECT storage, key, hash, (SELECT media_type FROM asset WHERE asset.space_id = blob.space_id
      AND asset.storage = blob.storage AND asset.storage_key = blob.key LIMIT 1) AS "mediaType"
    FROM asset_blob AS blob
    WHERE space_id = ${spaceId} AND storage <> ${storage} AND (storage, key) > (${after.storage}, ${after.key})
      AND ${isUsed('blob')}
    ORDER BY storage, key LIMIT ${batchSize}`.execute(db)
  return rows
}

/** Moves one content. False: it is not there any more, or is not what it was. */
async function moveContent(
  db: Db,
  scope: SpaceScope,
  storages: Storages,
  content: Content,
  target: { name: string; driver: StorageDriver },
  signal: AbortSignal,
): Promise<boolean> {
  const { spaceId } = scope
  const { storage, key, hash } = content
  const source = await storages.of({ space_id: spaceId, storage })
  const found = await source.stat(key)
  if (!found) return false
  const newKey = await inTransaction(db, (tx) => claimBlob(tx, scope, target.name, hash))
  if ((await target.driver.stat(newKey))?.size !== found.size) {
    const read = async function* () {
      yield* await source.read(key, undefined, signal)
    }
    const type = content.mediaType ?? 'application/octet-stream'
    const options = { type, size: found.size, sha256: hash.toString('hex'), signal }
    try {
      await target.driver.write(newKey, read, options)
    } catch (error) {
      if (error instanceof StorageMismatch || error instanceof StorageNotFound) return false
      throw error
    }
  }
  await inTransaction(db, async (tx) => {
    await sql`UPDATE asset SET storage = ${target.name}, storage_key = ${newKey}
      WHERE space_id = ${spaceId} AND storage = ${storage} AND storage_key = ${key}`.execute(tx)
    await sql`UPDATE asset SET previous_storage = ${target.name}, previous_storage_key = ${newKey}
      WHERE space_id = ${spaceId} AND previous_storage = ${storage} AND previous_storage_key = ${key}`.execute(
      tx,
    )
    // Who has just read where the file lay still finds it.
    await sql`UPDATE asset_blob SET touched_at = now()
      WHERE space_id = ${spaceId} AND storage = ${storage} AND key = ${key}`.execute(tx)
  })
  return true
}

/** Brings every file of the space to where new ones go. Throws `FilesCouldNotBeMoved` when the bytes of some are gone. */
async function moveFiles(
  db: Db,
  scope: SpaceScope,
  storages: Storages,
  {
    progress,
    signal,
    log,
  }: {
    progress(done: number, total: number): Promise<void>
    signal: AbortSignal
    log: Logger
  },
): Promise<void> {
  const lost = new Set<string>()
  let done = 0
  // What was uploaded to the old place during one pass is found by the next one.
  for (let before = -1; before < done; ) {
    before = done
    let after = { storage: '', key: '' }
    const { elsewhere } = await countContents(db, scope, (await storages.forSpace(scope.spaceId)).name)
    const total = done + elsewhere
    for (;;) {
      await progress(done, total)
      // Asked for again each time: it may have been changed meanwhile.
      const target = await storages.forSpace(scope.spaceId)
      const batch = await listElsewhere(db, scope, target.name, after)
      for (let at = 0; at < batch.length; at += atOnce) {
        const results = await Promise.allSettled(
          batch.slice(at, at + atOnce).map(async (content) => {
            if (await moveContent(db, scope, storages, content, target, signal)) done++
            else {
              lost.add(`${content.storage} ${content.key}`)
              log.error(
                { storage: content.storage, key: content.key },
                'The bytes of a file are gone or damaged',
              )
            }
          }),
        )
        for (const result of results) if (result.status === 'rejected') throw result.reason
        await progress(done, Math.max(done, total))
      }
      const last = batch.at(-1)
      if (!last) break
      after = last
    }
  }
  if (lost.size > 0) throw new AppError('FilesCouldNotBeMoved', { details: { count: lost.size } })
}

export const moveFilesJob = defineJob({
  name: 'assets.moveFiles',
  isLong: true,
  payload: z.object({ spaceId: z.int() }),
  concurrencyKey: ({ spaceId }) => `files of space ${spaceId}`,
  requireMayRunAgain: async (ctx) => {
    await requireRightIn(ctx, null, 'storage.manage')
  },
  handler: async ({ db, scope, services: { storages, log }, progress, signal }) => {
    if (scope) await moveFiles(db, scope, storages, { progress, signal, log })
  },
})

/** Asks for the files of the space to be moved to where new ones go; of several such requests one waits. */
export async function startMoving(ctx: Pick<SpaceContext, 'db' | 'scope' | 'actor'>): Promise<string> {
  const { db, scope, actor } = ctx
  const payload = { spaceId: scope.spaceId }
  return enqueue(db, moveFilesJob, payload, { scope, key: 'all', requestedBy: accountOf(actor) })
}

/** The spaces of which files are not where new ones go, which is in the storage of that name for who has none of their own. */
export async function listSpacesToMove(db: Db, ownName: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT space.id FROM space
    LEFT JOIN external_storage AS present ON present.space_id = space.id AND present.left_at IS NULL
    WHERE space.deleted_at IS NULL AND EXISTS (SELECT FROM asset WHERE asset.space_id = space.id
      AND (asset.storage <> coalesce(present.id, ${ownName}) OR asset.previous_storage <> coalesce(present.id, ${ownName})))
    ORDER BY space.id`.execute(db)
  return rows.map((row) => row.id)
}

/** The last job that moved files of the space. */
export async function findMove(db: Db, { spaceId }: SpaceScope): Promise<string | null> {
  const row = await db
    .selectFrom('job')
    .select('id')
    .where('space_id', '=', spaceId)
    .where('name', '=', moveFilesJob.name)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}

/** Is anything of the space's kept in the storage of that name, be it unused? */
export async function isStorageInUse(db: Db, { spaceId }: SpaceScope, storage: string): Promise<boolean> {
  const found = await db
    .selectFrom('asset_blob')
    .select('key')
    .where('space_id', '=', spaceId)
    .where('storage', '=', storage)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
