import type { PlannedParts } from '#shared/contract/move-plans.ts'
import type { Language } from '#shared/languages.ts'
import type { Importing } from '../import/import-context.ts'
import { existingAssets } from '../store/existing.repository.ts'
import { inSlices } from '../store/slices.ts'
import type { Baseline } from './baseline.ts'

export interface Updating extends Omit<Importing, 'plan' | 'source' | 'manifest'> {
  baseline: Baseline
  /** The target schema of the values: the plan of the updated move, or the plan of this import. */
  plan: PlannedParts
  /** Language in which names of fields are guessed. */
  language: Language | undefined
}

/** Returns the assets that are not in the library. Leaves out empty files, because the library refuses them. */
export async function lackingAssets<Asset extends { id: string; size: number }>(
  { db, scope }: Pick<Updating, 'db' | 'scope'>,
  assets: readonly Asset[],
): Promise<Asset[]> {
  const lacking: Asset[] = []
  for (const slice of inSlices(assets, 500)) {
    const existing = await existingAssets(
      db,
      scope,
      slice.map(({ id }) => id),
    )
    lacking.push(...slice.filter(({ id, size }) => size > 0 && !existing.has(id)))
  }
  return lacking
}
