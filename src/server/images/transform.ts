/* What can be made of a picture, and how large it becomes: plain sums, without a decoder. */

export const fits = ['cover', 'contain', 'fill', 'inside', 'outside'] as const
export type Fit = (typeof fits)[number]

/** What results are written as. GIF is only written for what is one. */
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

/** First the extract, in pixels of the picture as people see it, then the resize; the meanings are those of sharp. */
export interface Transform {
  extract?: Region
  width?: number
  height?: number
  /** `cover` if not said. */
  fit?: Fit
  format: OutputFormat
  /** 1 to 100. */
  quality?: number
}

const center: Point = { x: 0.5, y: 0.5 }

/** The size of what a transform makes of a picture of this size. */
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
 * How a picture is made to fill a shape: the size it is brought to, and the part of that which stays, with the point that
 * must stay in sight as near to the middle as the edges let it.
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

/** Where a point of a picture lies in a part of it; at its edge when it lies beyond. */
export function pointInside(point: Point, source: Size, part: Region): Point {
  const bound = (at: number) => Math.min(1, Math.max(0, at))
  return {
    x: bound((point.x * source.width - part.left) / part.width),
    y: bound((point.y * source.height - part.top) / part.height),
  }
}

/** Types that are decoded, with what is written when nobody asks for a format: nothing for what browsers do not show. */
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

/** Formats that hold several frames. */
export const isAnimatable = (format: OutputFormat) => format === 'webp' || format === 'gif'
