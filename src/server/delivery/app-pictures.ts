import { LRUCache } from 'lru-cache'
import type { Registry } from '#server/content/registry.ts'
import type { Database } from '#server/db/connection.ts'

/** The icon or cover of an app. Its bytes are the same for as long as it has this `_id`. */
export interface AppPicture {
  id: string
  mediaType: string
  bytes: Buffer
}

/** Bytes that are remembered. */
const memory = { maxSize: 16 * 1024 * 1024, sizeCalculation: ({ bytes }: AppPicture) => bytes.length + 200 }

/**
 * Icons and covers of apps by the uid of their space (in lower case) and their own `_id`; undefined: there is none, or there
 * is another one by now.
 */
export function createAppPictures(
  { deliveryPool }: Pick<Database, 'deliveryPool'>,
  { notices }: Pick<Registry, 'notices'>,
): (space: string, id: string) => Promise<AppPicture | undefined> {
  const known = new LRUCache<string, AppPicture>(memory)
  notices.subscribe(({ kind }) => {
    if (kind === 'registry' || kind === 'reset') known.clear()
  })
  return async (space, id) => {
    const key = `${space}/${id}`
    const found = notices.isLive() ? known.get(key) : undefined
    if (found) return found
    const { rows } = await deliveryPool.query<AppPicture>({
      name: 'delivery app picture',
      text: `SELECT p.id, p.media_type AS "mediaType", p.bytes FROM app_picture p
        JOIN space s ON s.id = p.space_id AND s.deleted_at IS NULL
        JOIN app ON app.space_id = p.space_id AND app.id = p.app_id AND app.deleted_at IS NULL
        WHERE lower(s.uid) = $1 AND p.id = $2`,
      values: [space, id],
    })
    const [row] = rows
    if (row) known.set(key, row)
    return row
  }
}
