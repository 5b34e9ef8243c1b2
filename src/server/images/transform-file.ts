import type { Sharp } from 'sharp'
import type { WatermarkPosition } from '#shared/image-settings.ts'
import { type Opened, openPicture } from './decode.ts'
import { pictureLimits } from './limits.ts'
import { Refusal } from './refusal.ts'
import {
  coverPlan,
  isAnimatable,
  type OutputFormat,
  type Point,
  pointInside,
  type Region,
  resultSize,
  type Size,
  type Transform,
} from './transform.ts'

/** A picture laid over results. */
export interface Watermark {
  path: string
  position: WatermarkPosition
  /** 0 to 1. */
  opacity: number
}

export interface TransformTask {
  path: string
  transform: Transform
  focalPoint: Point | null
  stripMetadata: boolean
  watermark: Watermark | null
}

export interface Edit {
  /** Degrees clockwise. The rotation precedes the crop. */
  rotate?: 0 | 90 | 180 | 270 | undefined
  /** Region of the rotated picture. */
  region?: Region | undefined
}

export interface Made extends Size {
  bytes: Uint8Array
  mediaType: string
}

/** Maximum share of a side that a watermark covers. */
const watermarkPart = 0.25

/** Performs a transform. Throws `Refusal` and the errors of sharp. */
export async function transformFile(task: TransformTask): Promise<Made> {
  const { path, transform, focalPoint } = task
  const picture = await openPicture(path)
  const moving = isAnimatable(transform.format)
  const size = resultSize(picture, transform)
  if (size.width * size.height * (moving ? picture.frames : 1) > pictureLimits.pixels)
    throw new Refusal('ImageIsTooLarge')
  const pipeline = picture.read(moving)
  shape(pipeline, picture, transform, focalPoint)
  // A watermark on an animated picture would cover only one frame.
  const isMoving = moving && picture.frames > 1
  if (task.watermark && !isMoving) pipeline.composite([await overlay(task.watermark, size)])
  keepOf(pipeline, picture, transform.format, task.stripMetadata)
  return write(pipeline, transform)
}

function shape(pipeline: Sharp, source: Size, transform: Transform, focalPoint: Point | null): void {
  const { extract, width, height, fit = 'cover' } = transform
  const isInside = (part: Region) =>
    part.left + part.width <= source.width && part.top + part.height <= source.height
  if (extract && !isInside(extract)) throw new Refusal('ValidationFailed')
  if (extract) pipeline.extract(extract)
  if (width === undefined && height === undefined) return
  if (width === undefined || height === undefined || fit !== 'cover') {
    pipeline.resize({ ...(width && { width }), ...(height && { height }), fit })
    return
  }
  const point = focalPoint && extract ? pointInside(focalPoint, source, extract) : (focalPoint ?? undefined)
  const { size, crop } = coverPlan(extract ?? source, { width, height }, point)
  pipeline.resize({ ...size, fit: 'fill' }).extract(crop)
}

/**
 * Keeps all metadata, or with `strip` only the colour profile, which correct colours depend on. With `strip`, the
 * profile is dropped for CMYK pictures and GIF.
 */
function keepOf(pipeline: Sharp, { metadata }: Opened, format: OutputFormat, strip: boolean): void {
  if (!strip) pipeline.keepMetadata()
  else if (metadata.icc && metadata.space !== 'cmyk' && format !== 'gif') pipeline.keepIccProfile()
}

async function overlay({ path, position, opacity }: Watermark, { width, height }: Size) {
  const picture = await openPicture(path)
  const input = await picture
    .read()
    .resize({
      width: Math.max(1, Math.round(width * watermarkPart)),
      height: Math.max(1, Math.round(height * watermarkPart)),
      fit: 'inside',
    })
    .ensureAlpha()
    .composite([
      {
        input: Buffer.from([255, 255, 255, Math.round(opacity * 255)]),
        raw: { width: 1, height: 1, channels: 4 },
        tile: true,
        blend: 'dest-in',
      },
    ])
    .png()
    .toBuffer()
  return { input, gravity: position }
}

async function write(
  pipeline: Sharp,
  { format, quality }: Pick<Transform, 'format' | 'quality'>,
): Promise<Made> {
  const asked = quality === undefined ? {} : { quality }
  const encoders = {
    jpeg: () => pipeline.jpeg({ ...asked, mozjpeg: false, progressive: true }),
    // A quality below 100 creates a palette. The file is then much smaller, with little visible difference.
    png: () => pipeline.png(asked),
    webp: () => pipeline.webp(asked),
    avif: () => pipeline.avif({ ...asked, effort: 3 }),
    gif: () => pipeline.gif({ effort: 3 }),
  }
  const { data, info } = await encoders[format]().toBuffer({ resolveWithObject: true })
  return {
    bytes: data,
    mediaType: `image/${format}`,
    width: info.width,
    height: info.pageHeight ?? info.height,
  }
}

/**
 * Rotates and crops the original. Keeps its metadata and writes the result at high quality. Throws `Refusal` and the
 * errors of sharp.
 */
export async function editFile({ path, edit }: { path: string; edit: Edit }): Promise<Made> {
  const picture = await openPicture(path)
  const format = picture.metadata.format
  const known = ['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const
  const written = format === 'heif' ? 'avif' : known.find((name) => name === format)
  if (!written) throw new Refusal('UnsupportedMediaType')
  const turned = edit.rotate === 90 || edit.rotate === 270
  const size = turned ? { width: picture.height, height: picture.width } : picture
  const { region } = edit
  if (region && (region.left + region.width > size.width || region.top + region.height > size.height))
    throw new Refusal('ValidationFailed')
  const isMoving = picture.frames > 1
  if (isMoving && edit.rotate) throw new Refusal('UnsupportedMediaType')
  const pipeline = picture.read(isMoving)
  if (edit.rotate) pipeline.rotate(edit.rotate)
  if (region) pipeline.extract(region)
  pipeline.keepMetadata()
  if (written === 'tiff') {
    const { data, info } = await pipeline.tiff({ compression: 'lzw' }).toBuffer({ resolveWithObject: true })
    return { bytes: data, mediaType: 'image/tiff', width: info.width, height: info.height }
  }
  return write(pipeline, { format: written, ...(written === 'png' ? {} : { quality: 92 }) })
}
