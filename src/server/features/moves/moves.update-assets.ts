import { inApp } from '#server/features/portable-apps/portable-apps.service.ts'
import { assetAddress } from '#shared/asset-address.ts'
import { importAssets } from './moves.assets.ts'
import type { Survey } from './moves.survey.ts'
import { assetsHere } from './moves.update-here.ts'
import { lackingAssets, type Updating } from './moves.updating.ts'

/** Brings files that are not in the library. `addresses`: where every file of the archive that is here now is delivered. */
export async function bringAssets(updating: Updating, found: Survey) {
  const { db, scope, services } = updating
  // What a run that was cut off has brought is here as well: only what it has not written down is looked for.
  const assets = await lackingAssets({ db, scope }, found.assets)
  const { there, problems } = await importAssets(updating, { ...found, assets }, async () => {})
  const here = new Map([
    ...(await assetsHere(
      db,
      scope,
      found.assets.map(({ id }) => id),
      { delivered: true },
    )),
    ...there,
  ])
  const space = await inApp(updating, async (ctx) => ctx.space.uid)
  const addresses = new Map<string, string>()
  for (const { id, urls } of found.assets) {
    const fileName = here.get(id)
    if (fileName !== undefined)
      for (const url of urls) addresses.set(url, assetAddress(services.config, space, id, fileName))
  }
  return { addresses, problems, brought: await countBrought(updating) }
}

/** How many files of the library are from this work. */
export async function countBrought({ db, scope, moveId }: Updating): Promise<number> {
  const { count } = await db
    .selectFrom('carry_asset')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('space_id', '=', scope.spaceId)
    .where('carry_id', '=', moveId)
    .where('made', '=', true)
    .executeTakeFirstOrThrow()
  return count
}
