import { type Actor, accountOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { readAccept } from '#shared/accept.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { can } from '#shared/permissions.ts'
import { type AssetFilter, type AssetOrder, listAssets as readPage } from './asset-list.repository.ts'
import { lockAssetRoom } from './assets.quota.ts'
import * as assets from './assets.repository.ts'
import { safeFileName } from './file-name.ts'
import { countUses } from './references.repository.ts'
import { findTags, setTags, updateTagsOf } from './tags.repository.ts'

/** An asset with the uid of its space. `useCount`: number of documents that use the asset. null: not counted. */
export type AssetView = assets.AssetRecord & { spaceUid: string; useCount: number | null }

interface ListInput extends Omit<AssetFilter, 'accept' | 'ids' | 'tags'> {
  accept?: string | undefined
  ids?: string | undefined
  tags?: string | undefined
  page: number
  limit: number
  order: AssetOrder
}

/** Returns a page of the library. Throws 400 for an invalid `accept`, and for invalid ids in `ids` and `tags`. */
export async function listAssets(
  ctx: SpaceContext,
  { accept, ids, tags, page, limit, order, ...filter }: ListInput,
): Promise<{ assets: AssetView[]; total: number; isMore: boolean }> {
  const found = await readPage(
    ctx.db,
    ctx.scope,
    { ...filter, accept: acceptOf(accept), ids: idsOf('ids', ids), tags: tagsOf(tags) },
    { order, limit, offset: (page - 1) * limit },
  )
  return {
    total: found.total,
    isMore: found.isMore,
    assets: found.assets.map((asset) => ({ ...asset, spaceUid: ctx.space.uid, useCount: null })),
  }
}

/** Parses an `accept` in the syntax of `<input type=file>` into its parts. Throws 400. */
function acceptOf(accept: string | undefined): string[] | undefined {
  if (accept === undefined) return undefined
  const parts = readAccept(accept)
  if (!parts) throw invalid('accept', 'InvalidFormat')
  return parts
}

const tagsOf = (tags: string | undefined): string[] | 'none' | undefined =>
  tags === 'none' ? 'none' : idsOf('tags', tags)

/** Parses comma-separated `_id`s. Throws 400. */
function idsOf(parameter: string, text: string | undefined): string[] | undefined {
  if (text === undefined || text === '') return undefined
  const ids = [...new Set(text.split(','))]
  if (!ids.every((id) => idPattern.test(id))) throw invalid(parameter, 'InvalidFormat')
  return ids
}

/** Returns the asset with the number of its uses. Throws 404. */
export async function getAsset(ctx: SpaceContext, id: string): Promise<AssetView> {
  return view(ctx, await requireAsset(ctx, id))
}

/** Adds the space's uid and the number of uses to an asset. */
export async function view(ctx: SpaceContext, asset: assets.AssetRecord): Promise<AssetView> {
  return { ...asset, spaceUid: ctx.space.uid, useCount: await countUses(ctx.db, ctx.scope, asset.id) }
}

/** Returns the asset. Throws 404 if it does not exist, or if it is in the trash and `trashed` is not set. */
export async function requireAsset(
  ctx: SpaceContext,
  id: string,
  options: { trashed?: boolean; lock?: boolean } = {},
): Promise<assets.AssetRecord> {
  const asset = idPattern.test(id) ? await assets.findAsset(ctx.db, ctx.scope, id, options) : null
  if (!asset) throw new AppError('NotFound')
  return asset
}

/**
 * Returns the asset with its row locked. Throws `NotFound`. Throws `Forbidden` if the caller may not change the asset,
 * and `VersionConflict` if `version` is not the current version.
 */
export async function lockForChange(
  ctx: SpaceContext,
  id: string,
  version?: number | undefined,
): Promise<assets.AssetRecord> {
  const asset = await requireAsset(ctx, id, { lock: true })
  if (!mayChange(ctx, asset.createdBy?._id ?? null)) throw new AppError('Forbidden')
  if (version !== undefined && version !== asset.version)
    throw new AppError('VersionConflict', {
      details: { current: asset.version, by: asset.updatedBy, at: asset.updatedAt.toISOString() },
    })
  return asset
}

/**
 * Checks whether the caller may change an asset: own uploads with `asset.write.own`, any asset with `asset.write.any`.
 */
export function mayChange({ grants, actor }: SpaceContext, createdBy: string | null): boolean {
  if (can(grants, 'asset.write.any')) return true
  return can(grants, 'asset.write.own') && createdBy !== null && createdBy === accountOf(actor)
}

interface AssetInput extends assets.AssetChanges {
  tags?: string[] | undefined
  version?: number | undefined
}

/**
 * Changes the texts, settings and tags of an asset. Omitted properties stay. If nothing changes, the version stays as
 * well. Throws 400, 403, 404, 409.
 */
export async function updateAsset(ctx: SpaceContext, id: string, input: AssetInput): Promise<AssetView> {
  const { version, tags, ...said } = input
  const asset = await lockForChange(ctx, id, version)
  const fileName = said.fileName === undefined ? asset.fileName : renamed(said.fileName)
  const changes = { ...said, ...(said.fileName === undefined ? {} : { fileName }) }
  if (changes.focalPoint && asset.width === null) throw invalid('data.focalPoint', 'InvalidValue')
  const wanted = tags && [...new Set(tags)]
  const known = await findTags(ctx.db, ctx.scope, wanted ?? [])
  const unknown = wanted?.findIndex((tag) => !known.has(tag)) ?? -1
  if (unknown >= 0) throw invalid(`data.tags.${unknown}`, 'InvalidValue')

  noteAudit(ctx, { before: asset })
  const tagsChange = wanted !== undefined && !sameSet(wanted, asset.tags)
  const textsChange = (Object.keys(changes) as (keyof assets.AssetChanges)[]).some(
    (name) => changes[name] !== undefined && JSON.stringify(changes[name]) !== JSON.stringify(asset[name]),
  )
  if (!tagsChange && !textsChange) return view(ctx, asset)
  await assets.updateAsset(ctx.db, ctx.scope, asset, changes, accountOf(ctx.actor))
  if (tagsChange) await setTags(ctx.db, ctx.scope, id, wanted)
  await recordChange(ctx, 'asset.updated', id, asset.version + 1)
  return getAsset(ctx, id)
}

function renamed(given: string): string {
  if (given.trim() === '') throw invalid('data.fileName', 'Required')
  return safeFileName(given)
}

const sameSet = (a: string[], b: string[]) => a.length === b.length && a.every((item) => b.includes(item))

/** Records an event of an asset in the transaction of the change. */
export function recordChange(
  ctx: SpaceContext,
  type: 'asset.updated' | 'asset.deleted' | 'asset.restored',
  assetId: string,
  version: number,
): Promise<void> {
  return recordEvent(ctx.db, ctx.scope, type, { assetId, version }, { actor: ctx.actor })
}

/**
 * Records the event of permanently deleted assets, in the transaction that deletes them. `size`: length of the file in
 * bytes.
 */
export async function recordPurgedAssets(
  db: Db,
  scope: SpaceScope,
  deleted: { id: string; size: number }[],
  actor: Actor,
): Promise<void> {
  if (deleted.length === 0) return
  const size = deleted.reduce((sum, one) => sum + one.size, 0)
  await recordEvent(db, scope, 'assets.purged', { ids: deleted.map(({ id }) => id), size }, { actor })
}

type Result = { _id: string; success: true } | { _id: string; success: false; code: string }

/**
 * Applies a change to the assets that the caller may change. Returns a result for each asset. `work` may return the
 * error codes of assets that it did not change.
 */
async function bulk(
  ctx: SpaceContext,
  ids: readonly string[],
  work: (
    ids: string[],
    versionOf: (id: string) => number,
  ) => Promise<ReadonlyMap<string, string> | undefined>,
  trashed: boolean,
): Promise<Result[]> {
  const found = await assets.lockAssets(ctx.db, ctx.scope, ids)
  const results = [...new Set(ids)].map((id): Result => {
    const asset = found.get(id)
    if (!asset || (asset.deletedAt !== null && !trashed)) return { _id: id, success: false, code: 'NotFound' }
    if (!mayChange(ctx, asset.createdBy)) return { _id: id, success: false, code: 'Forbidden' }
    return { _id: id, success: true }
  })
  // Restoring an asset that is not in the trash succeeds without a change.
  const changing = results.filter(
    ({ _id, success }) => success && (found.get(_id)?.deletedAt !== null) === trashed,
  )
  if (changing.length === 0) return results
  const refused = await work(
    changing.map(({ _id }) => _id),
    (id) => found.get(id)?.version ?? 0,
  )
  return results.map((result): Result => {
    const code = refused?.get(result._id)
    return code === undefined ? result : { _id: result._id, success: false, code }
  })
}

/** Moves assets to the trash for 30 days. References to them stay. */
export function deleteAssets(ctx: SpaceContext, ids: readonly string[]): Promise<Result[]> {
  return bulk(
    ctx,
    ids,
    async (own, versionOf) => {
      await assets.setTrashed(ctx.db, ctx.scope, own, true)
      for (const id of own) await recordChange(ctx, 'asset.deleted', id, versionOf(id))
      return undefined
    },
    false,
  )
}

/** Moves an asset to the trash. Throws 403, 404. */
export async function deleteAsset(ctx: SpaceContext, id: string): Promise<void> {
  const result = idPattern.test(id) ? (await deleteAssets(ctx, [id]))[0] : undefined
  if (result?.success) return
  throw new AppError(result?.code === 'Forbidden' ? 'Forbidden' : 'NotFound')
}

/** Restores assets from the trash, except those for which the space has no room. */
export function restoreAssets(ctx: SpaceContext, ids: readonly string[]): Promise<Result[]> {
  return bulk(
    ctx,
    ids,
    async (own, versionOf) => {
      const refused = await findWithoutRoom(ctx, own)
      const restored = own.filter((id) => !refused.has(id))
      if (restored.length > 0) await assets.setTrashed(ctx.db, ctx.scope, restored, false)
      for (const id of restored) await recordChange(ctx, 'asset.restored', id, versionOf(id))
      return refused
    },
    true,
  )
}

/** Reserves room for assets of the trash, in order. Returns the error codes of those for which there is none. */
async function findWithoutRoom(ctx: SpaceContext, ids: readonly string[]): Promise<Map<string, string>> {
  const refused = new Map<string, string>()
  const room = await lockAssetRoom(ctx)
  if (room.isUnlimited) return refused
  const sizes = await assets.findSizes(ctx.db, ctx.scope, ids)
  for (const id of ids) {
    const refusal = room.reserve(sizes.get(id) ?? 0)
    if (refusal) refused.set(id, refusal.code)
  }
  return refused
}

/** Adds and removes tags of assets. Throws 400 if `add` contains an unknown tag. */
export async function updateAssetTags(
  ctx: SpaceContext,
  ids: readonly string[],
  add: readonly string[],
  remove: readonly string[],
): Promise<Result[]> {
  const known = await findTags(ctx.db, ctx.scope, add)
  const unknown = add.findIndex((tag) => !known.has(tag))
  if (unknown >= 0) throw invalid(`add.${unknown}`, 'InvalidValue')
  return bulk(
    ctx,
    ids,
    async (own) => {
      const changed = await updateTagsOf(ctx.db, ctx.scope, own, { add, remove, by: accountOf(ctx.actor) })
      for (const { id, version } of changed) await recordChange(ctx, 'asset.updated', id, version)
      return undefined
    },
    false,
  )
}
