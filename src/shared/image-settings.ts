import { z } from 'zod'
import { idPattern } from './identifiers.ts'

/** Where a watermark lies. */
export const watermarkPositions = [
  'northwest',
  'north',
  'northeast',
  'west',
  'center',
  'east',
  'southwest',
  'south',
  'southeast',
] as const
export type WatermarkPosition = (typeof watermarkPositions)[number]

/** Pixels that an address may ask for a side. */
export const largestSide = 5_000

/** How a space's pictures are delivered. Nothing of it touches originals: they are served as they were uploaded. */
export const imageSettingsSchema = z.strictObject({
  /** Of JPEG, WebP and AVIF when the address names none. */
  quality: z.int().min(1).max(100).default(80),
  /** What `format=auto` may choose, the best first; what a browser does not take is passed over. */
  formats: z
    .array(z.enum(['avif', 'webp']))
    .max(2)
    .refine((formats) => new Set(formats).size === formats.length, { error: 'DuplicatedValue' })
    .default(['avif', 'webp']),
  /**
   * Which transforms anyone may ask for: `any`; `widths`, by these widths and a format; `signed`, none. Addresses that are
   * signed may always.
   */
  transforms: z.enum(['any', 'widths', 'signed']).default('any'),
  widths: z.array(z.int().min(1).max(largestSide)).max(50).default([]),
  /** Leave out EXIF and the like; the colour profile always stays. */
  stripMetadata: z.boolean().default(true),
  /** A picture of the library, laid over every result. */
  watermark: z
    .strictObject({
      assetId: z.string().regex(idPattern, { error: 'InvalidFormat' }),
      position: z.enum(watermarkPositions),
      /** 0 is unseen, 1 hides what lies below. */
      opacity: z.number().min(0).max(1),
    })
    .nullable()
    .default(null),
})
export type ImageSettings = z.infer<typeof imageSettingsSchema>

export const usualImageSettings: ImageSettings = imageSettingsSchema.parse({})
