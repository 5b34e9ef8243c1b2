import { z } from 'zod'
import { imageSettingsSchema } from '../image-settings.ts'
import { endpoint } from './endpoint.ts'
import { secret } from './secret.ts'

const answer = z.object({
  imageSettings: imageSettingsSchema.extend({
    /** The secret with which sites sign addresses of private assets and of transforms (docs/images-for-sites.md). */
    signingKey: secret(),
  }),
})

export const imageSettingsEndpoints = {
  getImageSettings: endpoint('GET /api/project/{p}/imageSettings', {
    summary: 'How the space’s pictures are delivered, and the key that its sites sign addresses with.',
    permission: 'storage.manage',
    response: answer,
  }),
  updateImageSettings: endpoint('PUT /api/project/{p}/imageSettings', {
    audit: {
      act: 'imageSettings.update',
      of: 'imageSettings',
      shows: ['quality', 'formats', 'stripMetadata', 'transforms', 'widths', 'watermark'],
    },
    summary:
      'Set how pictures are delivered; what is left out is as usual. `newSigningKey` makes another key: addresses signed with the old one are refused from then on.',
    permission: 'storage.manage',
    body: z.strictObject({
      data: imageSettingsSchema.extend({ newSigningKey: z.literal(true).optional() }),
    }),
    response: answer,
  }),
}
