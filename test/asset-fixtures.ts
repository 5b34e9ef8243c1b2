import { createHash } from 'node:crypto'
import { newId } from '#server/lib/ids.ts'
import type { TestInstallation } from './server.ts'

/** Properties of a test file. All except `bytes` have defaults. */
export interface NewAsset {
  bytes: Buffer
  mediaType?: string
  fileName?: string
  width?: number | null
  height?: number | null
  focalPoint?: { x: number; y: number }
  isPrivate?: boolean
}

/** Writes a file of a space's library directly into the storage and the database. Returns its `_id`. */
export async function putAsset(
  { deps, database }: Pick<TestInstallation, 'deps' | 'database'>,
  space: { uid: string },
  { bytes, mediaType = 'image/png', fileName = '写真.png', width = null, height = null, ...rest }: NewAsset,
): Promise<string> {
  const db = database.kysely
  const { id: spaceId } = await db
    .selectFrom('space')
    .select('id')
    .where('uid', '=', space.uid)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  const hash = createHash('sha256').update(bytes).digest()
  const key = `${spaceId}/${hash.toString('hex').slice(0, 2)}/${hash.toString('hex')}`
  const { name, driver } = await deps.services.storages.forSpace(spaceId)
  const written = async function* () {
    yield bytes
  }
  await driver.write(key, written(), { type: mediaType, size: bytes.length })
  const id = newId()
  await db
    .insertInto('asset')
    .values({
      space_id: spaceId,
      id,
      file_name: fileName,
      media_type: mediaType,
      size: bytes.length,
      storage: name,
      storage_key: key,
      hash,
      width,
      height,
      placeholder: null,
      metadata: '{}',
      focal_x: rest.focalPoint?.x ?? null,
      focal_y: rest.focalPoint?.y ?? null,
      is_private: rest.isPrivate ?? false,
      created_by: null,
      updated_by: null,
    })
    .execute()
  return id
}
