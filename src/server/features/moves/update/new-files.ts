import { inApp } from '#server/features/portable-apps/portable-apps.service.ts'
import { assetAddress } from '#shared/asset-address.ts'
import type { Survey } from '../archive/survey.ts'
import { importAssets } from '../import/import-files.ts'
import { countBrought } from '../store/brought-assets.repository.ts'
import { existingAssets } from '../store/existing.repository.ts'
import { lackingAssets, type Updating } from './update-context.ts'

/**
 * Imports files that are not in the library. Returns `addresses` (the new URLs of the archive's files by their old
 * URLs), the problems, and `brought` (the number of files that the move has added).
 */
export async function bringAssets(updating: Updating, found: Survey) {
  const { db, scope } = updating
  // Files that an interrupted run has stored are already in the library; only the others are imported.
  const assets = await lackingAssets({ db, scope }, found.assets)
  const { there, problems } = await importAssets(updating, { ...found, assets }, async () => {})
  const addresses = await addressesHere(updating, found, there)
  return { addresses, problems, brought: await countBrought(updating) }
}

/**
 * Returns the new URLs of the archive's files that this installation delivers, by their old URLs. `stored`: names of
 * files that were just stored, by `_id`.
 */
export async function addressesHere(
  updating: Updating,
  found: Survey,
  stored: ReadonlyMap<string, string> = new Map(),
): Promise<Map<string, string>> {
  const { db, scope, services } = updating
  const ids = found.assets.map(({ id }) => id)
  const here = new Map([...(await existingAssets(db, scope, ids, { delivered: true })), ...stored])
  const space = await inApp(updating, async (ctx) => ctx.space.uid)
  const addresses = new Map<string, string>()
  for (const { id, urls } of found.assets) {
    const fileName = here.get(id)
    if (fileName !== undefined)
      for (const url of urls) addresses.set(url, assetAddress(services.config, space, id, fileName))
  }
  return addresses
}
