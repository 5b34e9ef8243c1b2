import type { Asset } from '#shared/contract/assets.ts'

/** Returns the URL of the original file. */
export const blobUrl = (p: string, asset: Pick<Asset, '_id'>): string =>
  `/api/project/${encodeURIComponent(p)}/assets/${asset._id}/getBlob`

/**
 * Returns the URL at which the admin reads an asset. Private assets are read through the management API, which checks
 * the session.
 */
export const viewUrl = (p: string, asset: Pick<Asset, '_id' | 'src' | 'private'>): string =>
  asset.private ? blobUrl(p, asset) : asset.src

/** Formats that the server transforms on request. */
const transformed = ['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/tiff', 'image/gif']

/** Returns the URL with transform parameters added. */
function withTransform(src: string, parameters: Record<string, string>): string {
  const url = new URL(src, location.origin)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/**
 * Returns the URL of a preview. The preview is at most `width` pixels wide, unless the asset is private, its width is
 * unknown or its format cannot be transformed.
 */
export function previewUrl(
  p: string,
  asset: Pick<Asset, '_id' | 'src' | 'private' | 'fileType' | 'width' | 'version'>,
  width: number,
): string {
  if (asset.private || !transformed.includes(asset.fileType)) return viewUrl(p, asset)
  // A replaced file keeps its URL. The version prevents the browser's cache from showing pictures of the old file.
  const fresh = { v: String(asset.version) }
  if ((asset.width ?? 0) <= width) return withTransform(asset.src, fresh)
  return withTransform(asset.src, { width: String(width), format: 'auto', ...fresh })
}

const widths = [480, 960, 1440, 1920]

/**
 * Returns the HTML of an image. It has a `srcset` if the format can be transformed and the image is wider than 480
 * pixels.
 */
export function srcsetSnippet(
  asset: Pick<Asset, 'src' | 'fileType' | 'width' | 'height' | 'altText'>,
): string {
  const { width, height } = asset
  const src = new URL(asset.src, location.origin).href
  const quote = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const sizes = widths.filter((one) => one < (width ?? 0))
  const srcset =
    transformed.includes(asset.fileType) && sizes.length > 0
      ? sizes.map((one) => `${withTransform(src, { width: String(one), format: 'auto' })} ${one}w`)
      : []
  const attributes = [
    `src="${quote(src)}"`,
    ...(srcset.length > 0 ? [`srcset="${quote(srcset.join(', '))}"`, 'sizes="100vw"'] : []),
    ...(width !== null && height !== null ? [`width="${width}"`, `height="${height}"`] : []),
    `alt="${quote(asset.altText)}"`,
    'loading="lazy"',
  ]
  return `<img ${attributes.join(' ')}>`
}
