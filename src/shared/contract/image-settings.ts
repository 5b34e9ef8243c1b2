import { z } from 'zod'
import { imageSettingsSchema } from '../image-settings.ts'
import { endpoint } from './endpoint.ts'
import { secret } from './secret.ts'

const answer = z.object({
  imageSettings: imageSettingsSchema.extend({
    /** The secret with which sites sign the URLs of private assets and of transforms (docs/images-for-sites.md). */
    signingKey: secret(),
  }),
})

export const imageSettingsEndpoints = {
  getImageSettings: endpoint('GET /api/project/{p}/imageSettings', {
    summary: 'Get how pictures are delivered, and the key that signs image URLs',
    permission: 'storage.manage',
    response: answer,
  }),
  updateImageSettings: endpoint('PUT /api/project/{p}/imageSettings', {
    audit: {
      act: 'imageSettings.update',
      of: 'imageSettings',
      shows: ['quality', 'formats', 'stripMetadata', 'transforms', 'widths', 'watermark'],
    },
    summary: 'Update how pictures are delivered',
    description:
      'Omitted settings get their default. `newSigningKey` replaces the signing key: URLs signed with ' +
      'the old key are refused immediately.',
    permission: 'storage.manage',
    body: z.strictObject({
      data: imageSettingsSchema.extend({ newSigningKey: z.literal(true).optional() }),
    }),
    response: answer,
  }),
}
