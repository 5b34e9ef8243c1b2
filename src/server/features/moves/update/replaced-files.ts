import type { Manifest } from '#archive/format.ts'
import { replaceImported, storedHash } from '#server/features/assets/asset-imports.service.ts'
import {
  inApp,
  isAboutOneFile,
  transactionsIn,
} from '#server/features/portable-apps/portable-apps.service.ts'
import { AppError } from '#shared/errors.ts'
import type { Survey } from '../archive/survey.ts'
import {
  deleteFileChanges,
  type ExistingFile,
  existingFiles,
  type FileChangeRow,
  insertFileChanges,
  listPendingFiles,
  settleFile,
} from '../store/changed-files.repository.ts'
import { inSlices } from '../store/slices.ts'
import type { Updating } from './update-context.ts'

/* Files that were replaced at the source under the same `_id`. */

type SurveyedFile = Survey['assets'][number]

/**
 * Compares the files of the archive with the files of the library, and stores the differing ones. Returns their number
 * and bytes.
 */
export async function planFiles(
  updating: Updating,
  manifest: Manifest,
  { assets }: Survey,
): Promise<{ count: number; bytes: number }> {
  const { db, scope, moveId, baseline } = updating
  await deleteFileChanges(db, scope, moveId)
  const archivedAt = new Date(manifest.finishedAt)
  let count = 0
  let bytes = 0
  for (const slice of inSlices(assets, 500)) {
    const existing = await existingFiles(
      db,
      scope,
      slice.map(({ id }) => id),
    )
    const changes: FileChangeRow[] = []
    for (const asset of slice) {
      const ours = existing.get(asset.id)
      const found = ours && asset.size > 0 ? await kindOf(updating, asset, ours, archivedAt) : null
      if (!ours || !found) continue
      const kind = baseline.fileKind(found)
      const { id, fileName } = asset
      changes.push({
        id,
        kind,
        takes: kind === 'changed',
        version: ours.version,
        fileName: fileName.slice(0, 255),
      })
      bytes += asset.size
    }
    await insertFileChanges(db, scope, moveId, changes)
    count += changes.length
  }
  return { count, bytes }
}

/**
 * Returns how a file differs from the file in the library. null: it was not replaced at the source, equals the file in
 * the library, or is refused by the library. Also null if a newer archive has set its base.
 */
async function kindOf(
  { services, scope, signal }: Updating,
  asset: SurveyedFile,
  { hash, version, previous, base }: ExistingFile,
  archivedAt: Date,
): Promise<FileChangeRow['kind'] | null> {
  const there = Buffer.from(asset.sha256, 'hex')
  if (hash.equals(there) || base?.hash.equals(there)) return null
  if (base) {
    if (base.archivedAt > archivedAt) return null
    return base.version === version ? 'changed' : 'both'
  }
  // The library stores files without unsafe parts, so the sanitised copies are compared.
  const stored = await storedHash({ services, spaceId: scope.spaceId, signal }, asset).catch(refusedFile)
  if (!stored || hash.equals(stored) || previous?.equals(stored)) return null
  return version === 1 ? 'changed' : 'both'
}

/** Returns undefined for a file that the library refuses and therefore cannot contain. Rethrows other errors. */
function refusedFile(error: unknown): undefined {
  if (!isAboutOneFile(error)) throw error
}

/**
 * Replaces the chosen files, except files that were replaced in the app since the plan. Can be interrupted at any time.
 */
export async function bringFiles(updating: Updating, manifest: Manifest, { assets }: Survey): Promise<void> {
  const { db, scope, moveId, baseline } = updating
  const pending = await listPendingFiles(db, scope, moveId)
  const ctx = transactionsIn(updating)
  const settle = async (
    inside: typeof db,
    asset: SurveyedFile,
    outcome: 'taken' | 'kept',
    version: number,
  ) => {
    if (!(await settleFile(inside, scope, moveId, { id: asset.id, outcome })))
      throw new Error('Another run of this update is at work')
    const hash = Buffer.from(asset.sha256, 'hex')
    const archivedAt = new Date(manifest.finishedAt)
    await baseline.keepFile(inside, { id: asset.id, hash, version, archivedAt })
  }
  for (const asset of assets) {
    const change = pending.get(asset.id)
    if (!change) continue
    updating.signal.throwIfAborted()
    if (!change.takes) {
      await inApp(updating, ({ db: inside }) => settle(inside, asset, 'kept', change.version))
      continue
    }
    try {
      await replaceImported(ctx, asset, change.version, (inside, version) =>
        settle(inside.db, asset, 'taken', version),
      )
    } catch (error) {
      if (isOfAnotherVersion(error)) await settleFile(db, scope, moveId, { id: asset.id, outcome: 'edited' })
      else if (isAboutOneFile(error)) {
        const problem = error.code
        await settleFile(db, scope, moveId, { id: asset.id, outcome: 'refused', problem })
      } else throw error
    }
  }
}

const isOfAnotherVersion = (error: unknown) =>
  error instanceof AppError && (error.code === 'VersionConflict' || error.code === 'NotFound')
