import { z } from 'zod'
import { idPattern } from './identifiers.ts'

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

/** Maximum number of pixels per side that the URL of a picture may request. */
export const largestSide = 5_000

/** Settings for the delivery of a space's pictures. Originals are not affected: they are served as uploaded. */
export const imageSettingsSchema = z.strictObject({
  /** Default quality of JPEG, WebP and AVIF. */
  quality: z.int().min(1).max(100).default(80),
  /** Formats that `format=auto` may choose, best first. Formats that the browser does not accept are skipped. */
  formats: z
    .array(z.enum(['avif', 'webp']))
    .max(2)
    .refine((formats) => new Set(formats).size === formats.length, { error: 'DuplicatedValue' })
    .default(['avif', 'webp']),
  /**
   * Transforms allowed without a signature. `any`: all; `widths`: only a width of this list and a format; `signed`:
   * none. Signed URLs are always allowed.
   */
  transforms: z.enum(['any', 'widths', 'signed']).default('any'),
  widths: z.array(z.int().min(1).max(largestSide)).max(50).default([]),
  /** Whether EXIF and similar metadata is removed. The colour profile is kept, except for CMYK pictures and GIF. */
  stripMetadata: z.boolean().default(true),
  /** A picture of the library, laid over every result. */
  watermark: z
    .strictObject({
      assetId: z.string().regex(idPattern, { error: 'InvalidFormat' }),
      position: z.enum(watermarkPositions),
      /** 0 is invisible, 1 is opaque. */
      opacity: z.number().min(0).max(1),
    })
    .nullable()
    .default(null),
})
export type ImageSettings = z.infer<typeof imageSettingsSchema>

export const usualImageSettings: ImageSettings = imageSettingsSchema.parse({})
