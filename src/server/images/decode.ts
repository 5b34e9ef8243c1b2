import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp'
import { pictureLimits } from './limits.ts'
import { Refusal } from './refusal.ts'
import type { Size } from './transform.ts'

/* The one way to sharp. Runs in processes of its own only (image-worker.ts). */

sharp.cache(false)
// One thread each: there are as many processes as may be busy.
sharp.concurrency(1)
// Nothing is decoded but what we mean to decode.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif', 'Svg'].map((name) => `VipsForeignLoad${name}`),
})

/** A picture as people see it: turned as its EXIF says. `frames` is 1 for what does not move. */
export interface Opened extends Size {
  frames: number
  metadata: Metadata
  /** A new pipeline that reads it; `moving`: all frames. */
  read(moving?: boolean): Sharp
}

/** Opens a picture (a path, or the text of a drawing). Throws Refusal and what sharp throws. */
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
