import { implement } from '#server/http/endpoints.ts'
import { imageSettingsEndpoints } from '#shared/contract/image-settings.ts'
import * as settings from './image-settings.service.ts'

export const imageSettingsRoutes = implement(imageSettingsEndpoints, {
  getImageSettings: async (ctx) => ({ imageSettings: await settings.getImageSettings(ctx) }),
  updateImageSettings: async (ctx, { body }) => ({
    imageSettings: await settings.updateImageSettings(ctx, body.data),
  }),
})
