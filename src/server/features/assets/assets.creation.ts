import { accountOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { newId } from '#server/lib/ids.ts'
import { AppError } from '#shared/errors.ts'
import { type CreationContext, keepFile } from './assets.files.ts'
import { lockAssetRoom } from './assets.quota.ts'
import * as assets from './assets.repository.ts'
import { type AssetView, requireAsset, view } from './assets.service.ts'
import type { Incoming } from './incoming.ts'
import { hasAsset } from './open-uploads.repository.ts'

export type UploadResult =
  | { fileName: string; success: true; asset: AssetView }
  | { fileName: string; success: false; code: string; message: string }

export type Refusal = UploadResult & { success: false }

/** A file that is in its storage, with the id and file name of its future asset. */
export interface KeptFile {
  id: string
  fileName: string
  file: assets.FileRecord
}

/**
 * Returns the values that identify a file for the idempotency key: its name and the hash of its content. They are equal
 * for a multipart and a signed upload of the file. A null hash: the file could not be received.
 */
export const asked = ({ fileName, file }: { fileName: string; file: Incoming | AppError }) => [
  fileName,
  file instanceof AppError ? null : file.hash.toString('hex'),
]

/**
 * Creates the assets of stored files in one transaction. Files for which the space has no room are rejected. A repeated
 * call with the same idempotency key and `askedFor` creates nothing. If every file was rejected, the key is not
 * recorded, so that the upload can be retried. Throws `AssetQuotaExceeded` or `StorageQuotaExceeded` if no asset was
 * created.
 */
export async function makeAssets(
  ctx: CreationContext,
  askedFor: unknown,
  outcomes: (KeptFile | Refusal)[],
): Promise<UploadResult[]> {
  ctx.signal?.throwIfAborted()
  const refusals = outcomes.filter((outcome): outcome is Refusal => !('file' in outcome))
  if (refusals.length === outcomes.length) return refusals
  return ctx.once(
    ['upload', askedFor],
    async (inside) => {
      const results = await makeWithinRoom(inside, outcomes)
      const made = results.filter((result): result is KeptFile => 'file' in result)
      const [first] = made
      if (made.length > 1) noteAudit(inside, { ids: made.map(({ id }) => id) })
      else if (first) noteAudit(inside, { objectId: first.id, objectName: first.fileName })
      return results.map((result) =>
        'file' in result ? { fileName: result.fileName, id: result.id } : result,
      )
    },
    async (inside, made) => {
      const results: UploadResult[] = []
      for (const one of made) {
        if (!('id' in one)) {
          results.push(one)
          continue
        }
        // The asset may have been moved to the trash since the first request.
        const asset = await requireAsset(inside, one.id, { trashed: true })
        results.push({ fileName: one.fileName, success: true, asset: await view(inside, asset) })
      }
      return results
    },
  )
}

/** Creates assets in order, and rejects those without room. Throws the first such rejection if none was created. */
async function makeWithinRoom(
  ctx: SpaceContext,
  outcomes: readonly (KeptFile | Refusal)[],
): Promise<(KeptFile | Refusal)[]> {
  const room = await lockAssetRoom(ctx)
  const results: (KeptFile | Refusal)[] = []
  let exceeded: AppError | null = null
  for (const outcome of outcomes) {
    const refusal = 'file' in outcome ? room.reserve(outcome.file.size) : null
    // A concurrent confirmation of the same upload may have created the asset, with the last room.
    if (refusal && 'file' in outcome && !(await hasAsset(ctx.db, ctx.scope.spaceId, outcome.id))) {
      const { code, message } = refusal
      results.push({ fileName: outcome.fileName, success: false, code, message })
      exceeded ??= refusal
      continue
    }
    if ('file' in outcome) await makeAsset(ctx, outcome)
    results.push(outcome)
  }
  if (exceeded && !results.some((result) => 'file' in result)) throw exceeded
  return results
}

async function makeAsset(ctx: SpaceContext, kept: KeptFile): Promise<void> {
  const asset = { ...kept, createdBy: accountOf(ctx.actor) }
  if (!(await assets.insertAsset(ctx.db, ctx.scope, asset))) return
  const payload = { assetId: kept.id, version: 1, size: kept.file.size }
  await recordEvent(ctx.db, ctx.scope, 'asset.created', payload, { actor: ctx.actor })
}

/**
 * Creates an asset from a received file. If `id` already exists, returns that asset. The idempotency key applies to the
 * file, or to the URL `source` from which the file was fetched. Throws like {@link keepFile} and {@link makeAssets}.
 */
export async function createAsset(
  ctx: CreationContext,
  received: Incoming,
  { fileName, type, id = newId(), source }: { fileName: string; type: string; id?: string; source?: string },
): Promise<AssetView> {
  const file = await keepFile(ctx, received, type)
  const askedFor = source ?? [asked({ fileName, file: received })]
  const [made] = await makeAssets(ctx, askedFor, [{ id, fileName, file }])
  if (!made?.success) throw new Error('One file that is kept makes one asset')
  return made.asset
}
