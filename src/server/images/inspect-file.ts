import { readFile, stat } from 'node:fs/promises'
import readExif from 'exif-reader'
import { parseFile } from 'music-metadata'
import { rgbaToThumbHash } from 'thumbhash'
import { replaceInvisible, shorten } from '#shared/unicode.ts'
import { type Opened, openPicture } from './decode.ts'
import { findMediaType, isLie, textOf } from './media-type.ts'
import { Refusal } from './refusal.ts'
import { sanitizeSvg } from './svg.ts'
import { isPicture } from './transform.ts'

export interface Inspection {
  /** Detected from the content. */
  mediaType: string
  /** Pixels after applying the orientation. `null` for files that are not pictures. */
  width: number | null
  height: number | null
  frames: number
  /** A thumbhash in base64. `null` for files that are not pictures. */
  placeholder: string | null
  metadata: FileMetadata
  /** Replaces the file's content: an SVG without active content. */
  safeBytes?: Uint8Array
}

export interface FileMetadata {
  /** Tags of `exifTags`. Texts have at most 200 UTF-16 units. */
  exif?: Record<string, string | number>
  /** Hex colours, most frequent first. */
  colors?: string[]
  /** Duration of audio or video in seconds. */
  duration?: number
}

/** Maximum number of bytes of an SVG, which is parsed as a whole. */
const largestDrawing = 2 * 1024 * 1024
/** Maximum side in pixels of the picture from which a thumbhash is computed. */
const thumbSide = 100

/** Inspects a file. Throws `Refusal` and the errors of decoders. */
export async function inspectFile({
  path,
  declared,
}: {
  path: string
  declared: string
}): Promise<Inspection> {
  const { size } = await stat(path)
  if (size === 0) throw new Refusal('FileIsEmpty')
  const mediaType = await findMediaType(path, declared)
  if (isLie(declared, mediaType)) throw new Refusal('UnsupportedMediaType')
  const nothing = { mediaType, width: null, height: null, frames: 1, placeholder: null }
  if (!isPicture(mediaType)) return { ...nothing, metadata: await mediaMetadata(path, mediaType) }
  if (mediaType !== 'image/svg+xml') return { mediaType, ...(await look(await openPicture(path))) }

  if (size > largestDrawing) throw new Refusal('ImageIsTooLarge')
  const bytes = await readFile(path)
  const source = textOf(bytes)
  if (source === undefined) throw new Refusal('FileIsDamaged')
  const clean = sanitizeSvg(source)
  const safeBytes = clean === null ? undefined : Buffer.from(clean)
  const seen = await look(await openPicture(safeBytes ?? bytes))
  return { mediaType, ...seen, ...(safeBytes && { safeBytes }) }
}

async function look(picture: Opened): Promise<Omit<Inspection, 'mediaType' | 'safeBytes'>> {
  const { data, info } = await picture
    .read()
    .resize(thumbSide, thumbSide, { fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const { width, height, frames, metadata } = picture
  const exif = metadata.exif && exifOf(metadata.exif)
  return {
    width,
    height,
    frames,
    placeholder: Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64'),
    metadata: { colors: colorsOf(data), ...(exif && { exif }) },
  }
}

/**
 * Returns up to five of the most frequent colours as `#rrggbb`, ignoring transparent parts. Each is the average of
 * similar colours.
 */
function colorsOf(rgba: Buffer): string[] {
  const buckets = new Map<number, { count: number; red: number; green: number; blue: number }>()
  for (let at = 0; at + 3 < rgba.length; at += 4) {
    const [red, green, blue] = [rgba[at] ?? 0, rgba[at + 1] ?? 0, rgba[at + 2] ?? 0]
    if ((rgba[at + 3] ?? 0) < 128) continue
    const key = ((red >> 5) << 6) | ((green >> 5) << 3) | (blue >> 5)
    const bucket = buckets.get(key) ?? { count: 0, red: 0, green: 0, blue: 0 }
    bucket.count++
    bucket.red += red
    bucket.green += green
    bucket.blue += blue
    buckets.set(key, bucket)
  }
  const hex = (sum: number, count: number) =>
    Math.round(sum / count)
      .toString(16)
      .padStart(2, '0')
  return [...buckets.values()]
    .sort((a, b) => b.count - a.count)
    .slice(0, 5)
    .map(({ count, red, green, blue }) => `#${hex(red, count)}${hex(green, count)}${hex(blue, count)}`)
}

/**
 * EXIF tags that are stored: camera, exposure, time, author, copyright and description. Location tags are not stored.
 */
const exifTags = {
  Image: ['Make', 'Model', 'Software', 'Artist', 'Copyright', 'ImageDescription', 'Orientation'],
  Photo: ['DateTimeOriginal', 'ExposureTime', 'FNumber', 'ISOSpeedRatings', 'FocalLength', 'LensModel'],
} as const
const longestText = 200

/**
 * Returns the selected tags. `undefined` if there are no tags, or if they are unreadable, which does not make the photo
 * invalid.
 */
function exifOf(bytes: Buffer): FileMetadata['exif'] | undefined {
  let read: ReturnType<typeof readExif>
  try {
    read = readExif(bytes)
  } catch {
    return undefined
  }
  const found: Record<string, string | number> = {}
  for (const group of ['Image', 'Photo'] as const)
    for (const name of exifTags[group]) {
      const value = presentTag((read[group] as Record<string, unknown> | undefined)?.[name])
      if (value !== undefined) found[name] = value
    }
  return Object.keys(found).length > 0 ? found : undefined
}

function presentTag(value: unknown): string | number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString()
  if (typeof value !== 'string') return undefined
  return shorten(replaceInvisible(value.toWellFormed(), '').trim(), longestText) || undefined
}

async function mediaMetadata(path: string, mediaType: string): Promise<FileMetadata> {
  if (!/^(?:audio|video)\//.test(mediaType)) return {}
  try {
    const { format } = await parseFile(path, { duration: false, skipCovers: true, skipPostHeaders: true })
    const { duration } = format
    return duration && Number.isFinite(duration) ? { duration: Math.round(duration * 1000) / 1000 } : {}
  } catch {
    return {} // Unreadable audio and video is stored too, because it is not decoded.
  }
}
