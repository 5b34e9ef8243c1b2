import type { Work } from '#server/access/context.ts'
import { inspect, transform } from '#server/images/images.ts'
import type { Size, Transform } from '#server/images/transform.ts'
import { newId } from '#server/lib/ids.ts'
import type { FilePart } from '#shared/contract/endpoint.ts'
import { AppError } from '#shared/errors.ts'
import { withOnlyFile } from './assets.files.ts'
import { receiveBytes } from './incoming.ts'

/* Icons and covers: pictures of the installation that are not assets (docs/decisions/0032). */

export type OwnPictureKind = 'icon' | 'cover'

/** Maximum width and height in pixels. */
const sides: Record<OwnPictureKind, number> = { icon: 512, cover: 1600 }

/**
 * Returns the size of the result. An icon is square, a cover keeps its aspect ratio. Only vector drawings are enlarged.
 */
function shapeOf(kind: OwnPictureKind, source: Size, isDrawing: boolean): Partial<Transform> & Size {
  const side = sides[kind]
  const width = isDrawing ? side : Math.min(side, source.width)
  const height = isDrawing ? side : Math.min(side, source.height)
  const shorter = Math.min(width, height)
  return kind === 'icon' ? { width: shorter, height: shorter } : { width, height, fit: 'inside' }
}

/** A generated picture; a changed picture has another id. */
export interface OwnPicture {
  id: string
  mediaType: string
  bytes: Buffer
}

/**
 * Creates an icon or a cover from the only file of a body. The result is always a re-encoded still picture. Throws 400,
 * 413, 415 for a file that is not a picture, 507, and the errors of images/images.ts.
 */
export function receiveOwnPicture(
  work: Work,
  files: AsyncIterable<FilePart>,
  kind: OwnPictureKind,
): Promise<OwnPicture> {
  return withOnlyFile(work, files, async (received, declaredType) => {
    const { mediaType, width, height, frames, safeBytes } = await inspect(received.path, declaredType, work)
    if (width === null || height === null) throw new AppError('UnsupportedMediaType')
    const shape = shapeOf(kind, { width, height }, mediaType === 'image/svg+xml')
    const source = safeBytes ? await receiveBytes(work.services.config, safeBytes) : received
    try {
      const made = await transform({
        path: source.path,
        transform: { ...shape, ...formatFor(mediaType, frames) },
        focalPoint: null,
        stripMetadata: true,
        watermark: null,
      })
      return { id: newId(), mediaType: made.mediaType, bytes: Buffer.from(made.bytes) }
    } finally {
      if (source !== received) await source.remove()
    }
  })
}

/**
 * Returns the format of the result. JPEG stays JPEG, because services that show previews of pages support it. The first
 * frame of an animation becomes PNG, any other picture WebP.
 */
function formatFor(mediaType: string, frames: number): Pick<Transform, 'format' | 'quality'> {
  if (mediaType === 'image/jpeg') return { format: 'jpeg', quality: 82 }
  return frames > 1 ? { format: 'png', quality: 90 } : { format: 'webp', quality: 82 }
}

/**
 * Accepts an icon or a cover that an Imori installation created, without changes. Throws 415 for pictures that Imori
 * would not have created, and the errors of images/images.ts.
 */
export async function receiveMadePicture(
  work: Work,
  bytes: Buffer,
  kind: OwnPictureKind,
): Promise<Omit<OwnPicture, 'id'>> {
  const received = await receiveBytes(work.services.config, bytes)
  try {
    const { mediaType, width, height, frames } = await inspect(received.path, '', work)
    const largest = Math.max(width ?? Number.POSITIVE_INFINITY, height ?? Number.POSITIVE_INFINITY)
    const isOurs = /^image\/(?:webp|jpeg|png)$/.test(mediaType) && frames === 1 && largest <= sides[kind]
    if (!isOurs) throw new AppError('UnsupportedMediaType')
    return { mediaType, bytes }
  } finally {
    await received.remove()
  }
}
