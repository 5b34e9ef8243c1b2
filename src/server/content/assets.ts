import type { Pace } from '#server/lib/pace.ts'
import { type AssetHost, assetAddress } from '#shared/asset-address.ts'
import { typeOf } from '#shared/fields/index.ts'
import { allFields } from '#shared/fields/walk.ts'
import type { ContentModel, ContentSpace } from './model.ts'
import { badQuery } from './query/bad-query.ts'
import type { Handle } from './read.ts'

/** Maximum number of assets in one response. */
const maximumAssets = 20_000

/** Checks whether this model has fields of pictures or files, at any depth. */
export const showsAssets = (model: ContentModel): boolean =>
  allFields(model.fields).some((field) => typeOf(field).asset)

/** An asset as the delivery API returns it. */
export interface ShownAsset {
  json: string
  /** A thumbhash in base64; null if the asset has none, for example because the file is not a picture. */
  placeholder: string | null
}

/** Returns the asset's JSON with its placeholder added as the last key. */
export const withPlaceholder = ({ json, placeholder }: ShownAsset) =>
  `${json.slice(0, -1)},"placeholder":${JSON.stringify(placeholder)}}`

/** Returns the statement for {@link presentAssets}: the assets of a space by `_id`, except assets in the trash. */
export function assetStatement(spaceId: number, ids: string[]): { text: string; values: unknown[] } {
  return {
    text: `SELECT a.id, a.alt_text AS "altText", a.description, a.file_name AS "fileName", a.size::float8 AS size,
      a.media_type AS "mediaType", a.height, a.metadata::text AS metadata, a.title, a.width, a.placeholder, a.elsewhere
      FROM asset a WHERE a.space_id = $1 AND a.id = ANY($2::text[]) AND a.deleted_at IS NULL`,
    values: [spaceId, ids],
  }
}

/**
 * Returns assets in the form of the delivery API, keyed by `_id`. Missing assets and assets in the trash are omitted.
 * Runs at most one statement. `decode` and `encode` convert the texts of the handle. Throws a 400 for more than 20,000
 * ids.
 */
export async function presentAssets(
  handle: Handle,
  space: ContentSpace,
  ids: string[],
  {
    host,
    decode,
    encode,
    pace,
  }: { host: AssetHost; decode(text: string): string; encode(text: string): string; pace: Pace },
): Promise<Map<string, ShownAsset>> {
  const shown = new Map<string, ShownAsset>()
  if (ids.length === 0) return shown
  if (ids.length > maximumAssets)
    throw badQuery('depth', `more than ${maximumAssets} assets would have to be shown`)
  const text = (value: unknown) => decode(String(value))
  const present = (row: Record<string, unknown>) => ({
    _id: row.id,
    altText: text(row.altText),
    description: text(row.description),
    fileName: text(row.fileName),
    fileSize: row.size,
    fileType: row.mediaType,
    height: row.height,
    metadata: JSON.parse(text(row.metadata)),
    src: assetAddress(host, space.uid, String(row.id), text(row.fileName)),
    title: text(row.title),
    width: row.width,
    // The file of an external asset is not stored here. Its stored metadata and original URL override the fields above.
    ...(row.elsewhere as object | null),
  })
  const wanted = new Set(ids)
  for (const row of await readAssets(handle, space, ids)) {
    const id = String(row.id)
    const placeholder = row.placeholder as string | null
    if (wanted.has(id)) shown.set(id, { json: encode(JSON.stringify(present(row))), placeholder })
    await pace.giveWay()
  }
  return shown
}

async function readAssets(handle: Handle, space: ContentSpace, ids: string[]) {
  if (handle.assets) return handle.assets(space, ids)
  const { text, values } = assetStatement(space.id, ids)
  return (await handle.query(text, values)).rows
}
