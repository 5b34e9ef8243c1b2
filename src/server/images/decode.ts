import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp'
import { pictureLimits } from './limits.ts'
import { Refusal } from './refusal.ts'
import type { Size } from './transform.ts'

/* The only module that loads sharp. Runs in separate processes only (image-worker.ts). */

sharp.cache(false)
// One thread per process, because several processes run concurrently.
sharp.concurrency(1)
// Only the formats listed below may be decoded.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif', 'Svg'].map((name) => `VipsForeignLoad${name}`),
})

/** A picture after its EXIF orientation is applied. `frames` is 1 for still pictures. */
export interface Opened extends Size {
  frames: number
  metadata: Metadata
  /** Creates a new pipeline that reads the picture. `moving`: reads all frames. */
  read(moving?: boolean): Sharp
}

/** Opens a picture (a path, or the bytes of an SVG). Throws `Refusal` and the errors of sharp. */
export async function openPicture(input: string | Buffer): Promise<Opened> {
  const options: SharpOptions = {
    limitInputPixels: pictureLimits.pixels,
    failOn: 'error',
    autoOrient: true,
    sequentialRead: true,
  }
  const metadata = await sharp(input, options).metadata()
  const isAnimation = metadata.format === 'gif' || metadata.format === 'webp'
  const frames = isAnimation ? (metadata.pages ?? 1) : 1
  const { width, height } = metadata.autoOrient
  if (frames > pictureLimits.frames || width * height * frames > pictureLimits.pixels)
    throw new Refusal('ImageIsTooLarge')
  return {
    width,
    height,
    frames,
    metadata,
    read: (moving = false) => sharp(input, { ...options, animated: moving && frames > 1 }),
  }
}
