import type { Db, SpaceScope } from '#server/db/scope.ts'
import { type ImageSettings, imageSettingsSchema, usualImageSettings } from '#shared/image-settings.ts'

/** Settings, and the generation of the key with which sites sign image URLs. */
export interface ImageSettingsRow {
  settings: ImageSettings
  keyGeneration: number
}

/** Returns the settings of a space, or the defaults. */
export async function findImageSettings(db: Db, { spaceId }: SpaceScope): Promise<ImageSettingsRow> {
  const row = await db
    .selectFrom('image_settings')
    .select(['settings', 'key_generation'])
    .where('space_id', '=', spaceId)
    .executeTakeFirst()
  return row
    ? { settings: imageSettingsSchema.parse(row.settings), keyGeneration: row.key_generation }
    : { settings: usualImageSettings, keyGeneration: 0 }
}

/** Saves the settings; `newKey` increments the key generation. */
export async function saveImageSettings(
  db: Db,
  { spaceId }: SpaceScope,
  settings: ImageSettings,
  newKey: boolean,
): Promise<ImageSettingsRow> {
  const step = newKey ? 1 : 0
  const row = await db
    .insertInto('image_settings')
    .values({ space_id: spaceId, settings: JSON.stringify(settings), key_generation: step })
    .onConflict((conflict) =>
      conflict.column('space_id').doUpdateSet((eb) => ({
        settings: eb.ref('excluded.settings'),
        key_generation: eb('image_settings.key_generation', '+', step),
        updated_at: new Date(),
      })),
    )
    .returning('key_generation')
    .executeTakeFirstOrThrow()
  return { settings, keyGeneration: row.key_generation }
}

/** Checks whether the space has a picture with this id outside the trash. */
export async function hasPicture(db: Db, { spaceId }: SpaceScope, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('asset')
    .select('id')
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where('width', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}
