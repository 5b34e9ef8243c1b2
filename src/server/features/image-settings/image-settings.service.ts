import { noteAudit } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import type { Secrets } from '#server/config.ts'
import { siteKey } from '#server/images/addresses.ts'
import { invalid } from '#shared/errors.ts'
import type { ImageSettings } from '#shared/image-settings.ts'
import {
  findImageSettings,
  hasPicture,
  type ImageSettingsRow,
  saveImageSettings,
} from './image-settings.repository.ts'

/** How a space's pictures are delivered, with the key that its sites sign with. */
export type ImageSettingsView = ImageSettings & { signingKey: string }

const view = (ctx: SpaceContext, secrets: Secrets, { settings, keyGeneration }: ImageSettingsRow) => ({
  ...settings,
  signingKey: siteKey(secrets, ctx.scope.spaceId, keyGeneration),
})

export async function getImageSettings(ctx: SpaceContext, secrets: Secrets): Promise<ImageSettingsView> {
  return view(ctx, secrets, await findImageSettings(ctx.db, ctx.scope))
}

/** Throws `ValidationFailed` for a watermark that is no picture of the space's library. */
export async function updateImageSettings(
  ctx: SpaceContext,
  secrets: Secrets,
  { newSigningKey, ...settings }: ImageSettings & { newSigningKey?: true | undefined },
): Promise<ImageSettingsView> {
  const { watermark } = settings
  if (watermark && !(await hasPicture(ctx.db, ctx.scope, watermark.assetId)))
    throw invalid('data.watermark.assetId', 'InvalidValue')
  noteAudit(ctx, {
    before: (await findImageSettings(ctx.db, ctx.scope)).settings,
    ...(newSigningKey ? { facts: { newSigningKey } } : {}),
  })
  return view(ctx, secrets, await saveImageSettings(ctx.db, ctx.scope, settings, newSigningKey === true))
}
