import type { AssetRow } from './asset-rows.ts'

/** One year, for content that never changes at its URL. */
const forEver = 'public, max-age=31536000, immutable'
/** For a file that may be replaced. Clients revalidate it after five minutes, and get a 304 if it is unchanged. */
const revalidated = 'public, max-age=300, stale-while-revalidate=86400'

/** Number of hex digits of the content hash in a URL (`v`). */
const namedBy = 16

/** Media types that browsers may display inline, because browsers execute none of their code in this origin. */
const shown = /^(?:image\/(?!svg\+xml)|audio\/|video\/|application\/pdf$|text\/(?:plain|csv)$)/

/**
 * Returns the headers of an asset's bytes. URLs of assets in path form have the same origin as the admin. Therefore
 * active content is sent as a download, with a sandbox in case it is opened anyway.
 */
export function assetHeaders(
  asset: AssetRow,
  mediaType: string,
  { version, expires, isMade }: { version: string | undefined; expires: number | undefined; isMade: boolean },
): Record<string, string> {
  const isInert = shown.test(mediaType)
  return {
    'content-type': /^text\/|json$/.test(mediaType) ? `${mediaType}; charset=utf-8` : mediaType,
    'content-disposition': disposition(
      isInert ? 'inline' : 'attachment',
      isMade ? undefined : asset.fileName,
    ),
    ...anyFile(mediaType),
    'cache-control': cacheControl(asset, version, expires),
    'cache-tag': `asset:${asset.id}`,
  }
}

/** Returns the headers of an app's icon or cover, which never changes at its URL. */
export const pictureHeaders = (mediaType: string) => ({
  'content-type': mediaType,
  'content-disposition': 'inline',
  ...anyFile(mediaType),
  'cache-control': forEver,
})

const anyFile = (mediaType: string) => ({
  'content-security-policy': contentPolicy(mediaType),
  'cross-origin-resource-policy': 'cross-origin',
  'accept-ranges': 'bytes',
})

/**
 * Returns the policy for a media type. Chromium does not show PDFs in a sandbox. The PDF viewers of browsers execute
 * nothing in this origin.
 */
const contentPolicy = (mediaType: string) =>
  mediaType === 'application/pdf'
    ? "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'"
    : "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'; sandbox"

function cacheControl(
  { isPrivate, version, hash }: AssetRow,
  asked: string | undefined,
  expires: number | undefined,
) {
  if (isPrivate) {
    const left = Math.max(0, Math.floor((expires ?? 0) - Date.now() / 1000))
    return `private, max-age=${Math.min(left, 3600)}`
  }
  const isNamed = asked === String(version) || (asked?.length === namedBy && hash.startsWith(asked))
  return isNamed ? forEver : revalidated
}

/**
 * Returns a `Content-Disposition` header (RFC 6266) with an ASCII name for old clients and the full name; without
 * `fileName`, only `kind`.
 */
function disposition(kind: 'inline' | 'attachment', fileName: string | undefined): string {
  if (fileName === undefined) return kind
  const ascii = fileName.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
