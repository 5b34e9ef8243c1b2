import type { OwnTransactions, SpaceContext } from '#server/access/context.ts'
import { importAsset } from '#server/features/assets/asset-imports.service.ts'
import type { MoveReport } from '#shared/contract/moves.ts'
import { AppError } from '#shared/errors.ts'
import { type Importing, inApp } from './moves.importing.ts'
import { Problems } from './moves.problems.ts'
import { insertMoveAsset, listMoveAssets } from './moves.repository.ts'
import type { Survey } from './moves.survey.ts'

/** Files that are looked at and stored at once. */
const atOnce = 4

/** What about one file is no reason to stop: it is reported, and its addresses stay as they were. */
const aboutOneFile = new Set([
  'RequestFileTooLarge',
  'FileIsEmpty',
  'FileIsDamaged',
  'ImageIsTooLarge',
  'UnsupportedMediaType',
])

/** Brings the archive's files into the library, those that are not there yet. `there`: what they are called there, by `_id`. */
export async function importAssets(
  importing: Importing,
  { assets }: Survey,
  onProgress: (done: number) => Promise<void>,
): Promise<{ there: Map<string, string>; problems: MoveReport['problems'] }> {
  const { db, scope, moveId, actor, storages, environment } = importing
  const known = new Map((await listMoveAssets(db, scope, moveId)).map((row) => [row.assetId, row]))
  const ctx: OwnTransactions<SpaceContext> = { actor, storages, inSpace: (work) => inApp(importing, work) }
  const left = assets.filter(({ id }) => !known.has(id))
  let done = known.size
  const bring = async (asset: Survey['assets'][number]) => {
    try {
      await importAsset(ctx, environment, asset, async (inside, { made, same }) => {
        const row = { assetId: asset.id, made, problem: same ? null : 'fileTaken' }
        await insertMoveAsset(inside.db, scope, moveId, row)
        known.set(asset.id, row)
      })
    } catch (error) {
      if (!(error instanceof AppError) || !aboutOneFile.has(error.code)) throw error
      const row = { assetId: asset.id, made: false, problem: error.code }
      await insertMoveAsset(db, scope, moveId, row)
      known.set(asset.id, row)
    }
    done += 1
  }
  for (let at = 0; at < left.length; at += atOnce) {
    const results = await Promise.allSettled(left.slice(at, at + atOnce).map(bring))
    for (const result of results) if (result.status === 'rejected') throw result.reason
    await onProgress(done)
  }
  return outcome(assets, known)
}

function outcome(assets: Survey['assets'], known: Map<string, { problem: string | null }>) {
  const there = new Map<string, string>()
  const problems = new Problems()
  for (const { id, fileName, urls } of assets) {
    const problem = known.get(id)?.problem ?? null
    if (problem === null) there.set(id, fileName)
    else if (problem === 'fileTaken') problems.add('fileTaken', '', urls[0] ?? id)
    else problems.add('fileRefused', '', urls[0] ?? id, { reason: problem })
  }
  return { there, problems: problems.list() }
}
