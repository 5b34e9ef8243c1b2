import { noteAudit } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { siteKey } from '#server/images/addresses.ts'
import { invalid } from '#shared/errors.ts'
import type { ImageSettings } from '#shared/image-settings.ts'
import {
  findImageSettings,
  hasPicture,
  type ImageSettingsRow,
  saveImageSettings,
} from './image-settings.repository.ts'

/** Settings for the delivery of a space's pictures, with the key with which its sites sign image URLs. */
export type ImageSettingsView = ImageSettings & { signingKey: string }

const view = ({ services, scope }: SpaceContext, { settings, keyGeneration }: ImageSettingsRow) => ({
  ...settings,
  signingKey: siteKey(services.secrets, scope.spaceId, keyGeneration),
})

export async function getImageSettings(ctx: SpaceContext): Promise<ImageSettingsView> {
  return view(ctx, await findImageSettings(ctx.db, ctx.scope))
}

/** Saves the settings. Throws `ValidationFailed` for a watermark that is not a picture in the space's library. */
export async function updateImageSettings(
  ctx: SpaceContext,
  { newSigningKey, ...settings }: ImageSettings & { newSigningKey?: true | undefined },
): Promise<ImageSettingsView> {
  const { watermark } = settings
  if (watermark && !(await hasPicture(ctx.db, ctx.scope, watermark.assetId)))
    throw invalid('data.watermark.assetId', 'InvalidValue')
  noteAudit(ctx, {
    before: (await findImageSettings(ctx.db, ctx.scope)).settings,
    ...(newSigningKey ? { facts: { newSigningKey } } : {}),
  })
  return view(ctx, await saveImageSettings(ctx.db, ctx.scope, settings, newSigningKey === true))
}
