import { thumbHashToDataURL } from 'thumbhash'

/** Cache of decoded pictures, because lists render the same tiles repeatedly. */
const decoded = new Map<string, string>()
const maximum = 2000

/** Returns the blurred picture of a thumbhash (base64) as a data URL; undefined if the hash is missing or invalid. */
export function placeholderUrl(hash: string | null): string | undefined {
  if (!hash) return undefined
  const known = decoded.get(hash)
  if (known !== undefined) return known
  try {
    const url = thumbHashToDataURL(Uint8Array.from(atob(hash), (letter) => letter.charCodeAt(0)))
    const oldest = decoded.keys().next()
    if (decoded.size >= maximum && !oldest.done) decoded.delete(oldest.value)
    decoded.set(hash, url)
    return url
  } catch {
    return undefined
  }
}
