import { LRUCache } from 'lru-cache'
import type { Versions } from '#server/content/versions.ts'
import type { Database } from '#server/db/connection.ts'
import { idPattern } from '#shared/identifiers.ts'
import { type ImageSettings, imageSettingsSchema } from '#shared/image-settings.ts'

/** The columns of an asset that the delivery API needs, with the image settings of its space. */
export interface AssetRow {
  spaceId: number
  spaceUid: string
  id: string
  fileName: string
  mediaType: string
  size: number
  storage: string
  storageKey: string
  /** SHA-256 of the content in hex. */
  hash: string
  width: number | null
  height: number | null
  focalX: number | null
  focalY: number | null
  isPrivate: boolean
  version: number
  settings: ImageSettings
  keyGeneration: number
}

const columns = `a.space_id AS "spaceId", s.uid AS "spaceUid", a.id, a.file_name AS "fileName", a.media_type AS "mediaType",
  a.size::float8 AS size, a.storage, a.storage_key AS "storageKey", encode(a.hash, 'hex') AS hash, a.width, a.height,
  a.focal_x AS "focalX", a.focal_y AS "focalY", a.is_private AS "isPrivate", a.version,
  coalesce(i.settings, '{}') AS settings, coalesce(i.key_generation, 0) AS "keyGeneration"`

/** Pattern of the id that an imported asset may have had in its source. */
export const formerUidPattern = /^[A-Za-z0-9_-]{1,100}$/

interface KnownAsset {
  row: AssetRow
  /** The `files` version of the space when the row was read (content/versions.ts). */
  version: string
}

/**
 * Returns a function that finds an asset by the `uid` of its space (in lower case) and an id: its `_id`, or the id in
 * its source. Rows are cached until the `files` version of the space changes. The function returns undefined if the
 * asset does not exist or is in the trash.
 */
export function createAssetRows(
  { deliveryPool }: Pick<Database, 'deliveryPool'>,
  versions: Versions,
): (space: string, id: string) => Promise<AssetRow | undefined> {
  const known = new LRUCache<string, KnownAsset>({ max: 20_000 })

  const statement = (which: string) => `SELECT ${columns}, v.files AS "filesVersion" FROM asset a
        JOIN space s ON s.id = a.space_id AND s.deleted_at IS NULL
        JOIN space_delivery v ON v.space_id = a.space_id
        LEFT JOIN image_settings i ON i.space_id = a.space_id
        WHERE lower(s.uid) = $1 AND a.id = ${which} AND a.deleted_at IS NULL`
  const former = '(SELECT f.asset_id FROM asset_former_uid f WHERE f.space_id = s.id AND f.uid = $2)'

  async function load(space: string, id: string): Promise<KnownAsset | undefined> {
    const isOwn = idPattern.test(id)
    const { rows } = await deliveryPool.query<AssetRow & { filesVersion: string }>({
      name: isOwn ? 'delivery asset' : 'delivery former asset',
      text: statement(isOwn ? '$2' : former),
      values: [space, id],
    })
    const [found] = rows
    if (!found) return undefined
    const { filesVersion: version, ...row } = found
    return { row: { ...row, settings: imageSettingsSchema.parse(row.settings) }, version }
  }

  return async (space, id) => {
    const key = `${space}/${id}`
    const remembered = known.get(key)
    if (remembered) {
      const now = await versions.ofSpace(remembered.row.spaceId)
      if (now?.files === remembered.version) return remembered.row
    }
    const found = await load(space, id)
    if (found) known.set(key, found)
    else known.delete(key)
    return found?.row
  }
}
