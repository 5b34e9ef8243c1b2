import type { Manifest } from '#archive/format.ts'
import { replaceImported, storedHash } from '#server/features/assets/asset-imports.service.ts'
import {
  inApp,
  isAboutOneFile,
  transactionsIn,
} from '#server/features/portable-apps/portable-apps.service.ts'
import { AppError } from '#shared/errors.ts'
import {
  deleteFileChanges,
  type FileChangeRow,
  type FileHere,
  filesHere,
  insertFileChanges,
  listPendingFiles,
  putFileBase,
  settleFile,
} from './moves.file-changes.repository.ts'
import type { Survey } from './moves.survey.ts'
import { isImport, type Updating } from './moves.updating.ts'

/* Files that are others where the app came from, under the `_id`s that they had. */

const filesAtATime = 500

type SurveyedFile = Survey['assets'][number]

/** Compares the files of the archive with those that are here, and writes down which are others there. Answers how many, and their bytes. */
export async function planFiles(
  updating: Updating,
  manifest: Manifest,
  { assets }: Survey,
): Promise<{ count: number; bytes: number }> {
  const { db, scope, moveId } = updating
  await deleteFileChanges(db, scope, moveId)
  const archivedAt = new Date(manifest.finishedAt)
  let count = 0
  let bytes = 0
  for (let at = 0; at < assets.length; at += filesAtATime) {
    const part = assets.slice(at, at + filesAtATime)
    const ids = part.map(({ id }) => id)
    const here = await filesHere(db, scope, ids)
    const changes: FileChangeRow[] = []
    for (const asset of part) {
      const ours = here.get(asset.id)
      const found = ours && asset.size > 0 ? await kindOf(updating, asset, ours, archivedAt) : null
      if (!ours || !found) continue
      // Files are the space's: an import into one of its apps replaces none that nobody has chosen.
      const kind = isImport(updating) ? 'both' : found
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

/** Null: it is the same there as it was, or as it is here. */
async function kindOf(
  { services, signal }: Updating,
  asset: SurveyedFile,
  { hash, version, previous, base }: FileHere,
  archivedAt: Date,
): Promise<FileChangeRow['kind'] | null> {
  const there = Buffer.from(asset.sha256, 'hex')
  if (hash.equals(there) || base?.hash.equals(there)) return null
  if (base) {
    if (base.archivedAt > archivedAt) return null
    return base.version === version ? 'changed' : 'both'
  }
  // Files are stored without what may not be delivered: only as that they can be compared.
  const stored = await storedHash({ services, signal }, asset).catch(refusedFile)
  if (!stored || hash.equals(stored) || previous?.equals(stored)) return null
  return version === 1 ? 'changed' : 'both'
}

/** Undefined for what the library does not take: it is not here either. */
function refusedFile(error: unknown): undefined {
  if (!isAboutOneFile(error)) throw error
}

/** Replaces files that were chosen, and leaves what somebody replaced since the plan. May be cut off anywhere. */
export async function bringFiles(updating: Updating, manifest: Manifest, { assets }: Survey): Promise<void> {
  const { db, scope, moveId, originId } = updating
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
    // What other moves have brought is theirs to tell apart.
    if (isImport(updating)) return
    const hash = Buffer.from(asset.sha256, 'hex')
    const archivedAt = new Date(manifest.finishedAt)
    await putFileBase(inside, scope, { moveId: originId, id: asset.id, hash, version, archivedAt })
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
