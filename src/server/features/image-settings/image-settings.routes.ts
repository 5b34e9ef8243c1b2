import { implement } from '#server/http/endpoints.ts'
import { imageSettingsEndpoints } from '#shared/contract/image-settings.ts'
import * as settings from './image-settings.service.ts'

export const imageSettingsRoutes = implement(imageSettingsEndpoints, {
  getImageSettings: async (ctx, _input, { secrets }) => ({
    imageSettings: await settings.getImageSettings(ctx, secrets),
  }),
  updateImageSettings: async (ctx, { body }, { secrets }) => ({
    imageSettings: await settings.updateImageSettings(ctx, secrets, body.data),
  }),
})
