import {
  type CarryProblem,
  importFiles,
  listCarryAssets,
  Problems,
} from '#server/features/portable-apps/portable-apps.service.ts'
import type { Survey } from '../archive/survey.ts'
import type { MoveWork } from './import-context.ts'

/**
 * Imports files that are not in the library yet. Returns `there`, the names of the files without a problem by `_id`,
 * and the problems of the others.
 */
export async function importAssets(
  work: MoveWork & { appId: number },
  { assets }: Survey,
  onProgress: (done: number) => Promise<void>,
): Promise<{ there: Map<string, string>; problems: CarryProblem[] }> {
  const { db, scope, moveId } = work
  const rows = await listCarryAssets(db, scope, moveId)
  const known = new Map(rows.map((row) => [row.assetId, row]))
  await importFiles({ ...work, carryId: moveId }, assets, known, onProgress)
  return outcome(assets, known)
}

function outcome(assets: Survey['assets'], known: Map<string, { problem: string | null }>) {
  const there = new Map<string, string>()
  const problems = new Problems()
  for (const { id, fileName, urls, elsewhere, isMissing } of assets) {
    const problem = known.get(id)?.problem ?? null
    if (problem === null) there.set(id, fileName)
    else if (problem === 'fileTaken') problems.add('fileTaken', '', urls[0] ?? id)
    else if (isMissing) problems.add('fileElsewhere', '', elsewhere?.src ?? id)
    else problems.add('fileRefused', '', urls[0] ?? id, { reason: problem })
  }
  return { there, problems: problems.list() }
}
