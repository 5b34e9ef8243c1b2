import type { MovePlan } from '#shared/contract/move-plans.ts'
import type { Language } from '#shared/languages.ts'
import type { Importing } from './moves.importing.ts'
import { assetsHere } from './moves.update-here.ts'

/** The models and custom types of a plan. */
export type PlannedParts = Pick<MovePlan, 'app' | 'models' | 'customTypes'>

/** What an update works with: `moveId` is its own. */
export type Updating = Omit<Importing, 'plan' | 'source' | 'manifest'> & {
  /** The move whose app it brings up to date; its own where it goes into an app that no move brought. */
  originId: string
  /** Where things that come in go: what that move has planned, or what this one would make. */
  plan: PlannedParts
  /** What names of fields are guessed in. */
  language: Language | undefined
}

/** Does it go into an app that is there, whatever that has come from? Nothing is known of what was brought before, then. */
export const isImport = ({ moveId, originId }: Pick<Updating, 'moveId' | 'originId'>): boolean =>
  moveId === originId

const rowsAtATime = 500

/** Those that are not in the library; files without a byte are in none. */
export async function lackingAssets<Asset extends { id: string; size: number }>(
  { db, scope }: Pick<Updating, 'db' | 'scope'>,
  assets: readonly Asset[],
): Promise<Asset[]> {
  const lacking: Asset[] = []
  for (let at = 0; at < assets.length; at += rowsAtATime) {
    const part = assets.slice(at, at + rowsAtATime)
    const here = await assetsHere(
      db,
      scope,
      part.map(({ id }) => id),
    )
    lacking.push(...part.filter(({ id, size }) => size > 0 && !here.has(id)))
  }
  return lacking
}
