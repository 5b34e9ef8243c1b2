import type { SpaceContext } from '#server/access/context.ts'
import { appScope, modelScope } from '#server/db/scope.ts'
import { resolveModelFields } from '#server/features/models/models.service.ts'
import { Pace } from '#server/lib/pace.ts'
import { titleOf } from '#shared/fields/document.ts'
import type { Field } from '#shared/fields/index.ts'
import { type PlaceOfAsset, placesOfAsset } from './places.ts'
import { countUses, findUsers } from './references.repository.ts'

export interface AssetUser {
  app: { uid: string; name: string }
  model: { uid: string; name: string }
  id: string
  title: string
  published: boolean
  /**
   * uids of the fields whose value is the asset or a list with it. In other fields, the asset occurs in a text or a
   * nested value.
   */
  fields: string[]
  places: PlaceOfAsset[]
}

/**
 * Returns up to `limit` documents that use the asset and that the caller may read, last updated first. `total`: number
 * of all such documents. `hidden`: number of documents that use the asset, but that the caller may not read.
 */
export async function listUsers(
  { db, scope, grants }: SpaceContext,
  assetId: string,
  limit: number,
): Promise<{ users: AssetUser[]; total: number; hidden: number }> {
  const rows = await findUsers({ db, scope, grants }, assetId, limit)
  const total = rows[0]?.total ?? 0
  const resolved = new Map<number, Field[]>()
  const found: AssetUser[] = []
  const pace = new Pace()
  for (const { title, titleField, fields, holders, holding, appId, modelId, total: _, ...row } of rows) {
    const app = { db, scope: appScope(scope, appId) }
    const model = { scope: modelScope(app.scope, modelId), fields }
    const whole = resolved.get(modelId) ?? (await resolveModelFields(app, model))
    resolved.set(modelId, whole)
    found.push({
      ...row,
      fields: fields.filter(({ _id }) => holders?.includes(_id)).map(({ uid }) => uid),
      places: placesOfAsset(whole, holding ?? {}, assetId),
      title: titleOf({ fields, titleField }, title),
    })
    await pace.giveWay()
  }
  return { users: found, total, hidden: (await countUses(db, scope, assetId)) - total }
}
