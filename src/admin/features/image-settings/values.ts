import { type ImageSettings, largestSide } from '#shared/image-settings.ts'

/** The form's state: one value per input. */
export interface Values {
  quality: number | ''
  formats: 'avif' | 'webp' | 'none'
  transforms: ImageSettings['transforms']
  /** The widths as typed: `640, 960, 1280`. */
  widths: string
  stripMetadata: boolean
  watermark: string | null
  position: NonNullable<ImageSettings['watermark']>['position']
  /** Opacity in percent. */
  opacity: number | ''
}

export function valuesOf({
  quality,
  formats,
  transforms,
  widths,
  stripMetadata,
  watermark,
}: ImageSettings): Values {
  return {
    quality,
    formats: formats.includes('avif') ? 'avif' : formats.includes('webp') ? 'webp' : 'none',
    transforms,
    widths: widths.join(', '),
    stripMetadata,
    watermark: watermark?.assetId ?? null,
    position: watermark?.position ?? 'southeast',
    opacity: Math.round((watermark?.opacity ?? 0.5) * 100),
  }
}

const formatsOf = { avif: ['avif', 'webp'], webp: ['webp'], none: [] } as const

/** Returns the settings to send. Valid widths are included even if their input is hidden. */
export function settingsOf(values: Values): ImageSettings {
  return {
    quality: Number(values.quality),
    formats: [...formatsOf[values.formats]],
    transforms: values.transforms,
    widths: readWidths(values.widths) ?? [],
    stripMetadata: values.stripMetadata,
    watermark: values.watermark
      ? { assetId: values.watermark, position: values.position, opacity: Number(values.opacity) / 100 }
      : null,
  }
}

/**
 * Parses widths separated by commas or white space, and returns them sorted and without duplicates. Accepts full-width
 * digits. null: a part is not a whole number from 1 to `largestSide`, or more than 50 widths are entered.
 */
export function readWidths(line: string): number[] | null {
  const parts = line
    .normalize('NFKC')
    .split(/[\s,、]+/)
    .filter(Boolean)
  const widths = parts.map((part) => (/^\d{1,5}$/.test(part) ? Number(part) : 0))
  const isRight = widths.length <= 50 && widths.every((width) => width >= 1 && width <= largestSide)
  return isRight ? [...new Set(widths)].sort((a, b) => a - b) : null
}
