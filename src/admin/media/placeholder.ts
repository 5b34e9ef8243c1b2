import { thumbHashToDataURL } from 'thumbhash'

/** Decoded once each: lists draw the same tiles again and again. The oldest go. */
const decoded = new Map<string, string>()
const maximum = 2000

/** The blurred picture of a thumbhash (base64) as an address; undefined for what is none. */
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
