/* Parameters of transforms and their result size, computed without a decoder. */

export const fits = ['cover', 'contain', 'fill', 'inside', 'outside'] as const
export type Fit = (typeof fits)[number]

/** GIF is only written for GIF sources. */
export const outputFormats = ['jpeg', 'png', 'webp', 'avif', 'gif'] as const
export type OutputFormat = (typeof outputFormats)[number]

export interface Size {
  width: number
  height: number
}

export interface Region extends Size {
  left: number
  top: number
}

/** 0 to 1 from the left and the top. */
export interface Point {
  x: number
  y: number
}

/**
 * The extract comes first, in pixels after applying the orientation, then the resize. The parameters have the same
 * meaning as in sharp.
 */
export interface Transform {
  extract?: Region
  width?: number
  height?: number
  /** Default: `cover`. */
  fit?: Fit
  format: OutputFormat
  /** 1 to 100. */
  quality?: number
}

const center: Point = { x: 0.5, y: 0.5 }

/** Returns the size of a transform's result for a picture of this size. */
export function resultSize(source: Size, { extract, width, height, fit = 'cover' }: Transform): Size {
  const from = extract ?? source
  if (width === undefined && height === undefined) return { width: from.width, height: from.height }
  if (width !== undefined && height !== undefined && fit !== 'inside' && fit !== 'outside')
    return { width, height }
  const scales = [
    ...(width === undefined ? [] : [width / from.width]),
    ...(height === undefined ? [] : [height / from.height]),
  ]
  const scale = fit === 'outside' ? Math.max(...scales) : Math.min(...scales)
  return scaled(from, scale)
}

const scaled = ({ width, height }: Size, scale: number): Size => ({
  width: Math.max(1, Math.round(width * scale)),
  height: Math.max(1, Math.round(height * scale)),
})

/**
 * Returns how a picture covers a target: the scaled size and the crop. The focal point is as close to the centre as the
 * edges allow.
 */
export function coverPlan(source: Size, target: Size, point: Point = center): { size: Size; crop: Region } {
  const scale = Math.max(target.width / source.width, target.height / source.height)
  const size = scaled(source, scale)
  size.width = Math.max(size.width, target.width)
  size.height = Math.max(size.height, target.height)
  return {
    size,
    crop: {
      left: startOf(size.width, target.width, point.x),
      top: startOf(size.height, target.height, point.y),
      ...target,
    },
  }
}

const startOf = (whole: number, part: number, at: number) =>
  Math.min(whole - part, Math.max(0, Math.round(whole * at - part / 2)))

/** Returns the position of a point of the picture within a part of it, clamped to the edges of the part. */
export function pointInside(point: Point, source: Size, part: Region): Point {
  const bound = (at: number) => Math.min(1, Math.max(0, at))
  return {
    x: bound((point.x * source.width - part.left) / part.width),
    y: bound((point.y * source.height - part.top) / part.height),
  }
}

/**
 * Types that can be decoded, with their output format. `undefined`: another output format must be chosen
 * (delivery/asset-parameters.ts).
 */
const pictureTypes: Record<string, OutputFormat | undefined> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/gif': 'gif',
  'image/tiff': undefined,
  'image/svg+xml': undefined,
}
export const isPicture = (mediaType: string) => Object.hasOwn(pictureTypes, mediaType)
export const formatOf = (mediaType: string) => pictureTypes[mediaType]

/** Returns whether the format supports animation. */
export const isAnimatable = (format: OutputFormat) => format === 'webp' || format === 'gif'
