import { LRUCache } from 'lru-cache'
import type { Versions } from '#server/content/versions.ts'
import type { Database } from '#server/db/connection.ts'

/** The icon or cover of an app. The bytes never change for the same `_id`. */
export interface AppPicture {
  id: string
  mediaType: string
  bytes: Buffer
}

interface KnownPicture {
  picture: AppPicture
  spaceId: number
  /** The `models` version of the space when the picture was read (content/versions.ts). */
  version: string
}

/** Size limit of the cache, in bytes. */
const memory = {
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: ({ picture }: KnownPicture) => picture.bytes.length + 300,
}

/**
 * Returns a function that finds an icon or cover by the `uid` of its space (in lower case) and its `_id`. The function
 * returns undefined if the picture does not exist or was replaced, or if its app was deleted.
 */
export function createAppPictures(
  { deliveryPool }: Pick<Database, 'deliveryPool'>,
  versions: Versions,
): (space: string, id: string) => Promise<AppPicture | undefined> {
  const known = new LRUCache<string, KnownPicture>(memory)
  return async (space, id) => {
    const key = `${space}/${id}`
    const remembered = known.get(key)
    if (remembered) {
      const now = await versions.ofSpace(remembered.spaceId)
      if (now?.models === remembered.version) return remembered.picture
      known.delete(key)
    }
    const { rows } = await deliveryPool.query<AppPicture & Omit<KnownPicture, 'picture'>>({
      name: 'delivery app picture',
      text: `SELECT p.id, p.media_type AS "mediaType", p.bytes, p.space_id AS "spaceId", v.models AS version FROM app_picture p
        JOIN space s ON s.id = p.space_id AND s.deleted_at IS NULL
        JOIN space_delivery v ON v.space_id = p.space_id
        JOIN app ON app.space_id = p.space_id AND app.id = p.app_id AND app.deleted_at IS NULL
        WHERE lower(s.uid) = $1 AND p.id = $2`,
      values: [space, id],
    })
    const [row] = rows
    if (!row) return undefined
    const { spaceId, version, ...picture } = row
    known.set(key, { picture, spaceId, version })
    return picture
  }
}
