/** Maximum length of RTF that is searched for pictures, in characters. */
const maximumRtf = 60_000_000

/**
 * Returns the PNG and JPEG pictures in RTF, in order. Word's HTML refers to files on the source computer, but its RTF
 * contains them. The running time is linear in the length of the text.
 */
export function picturesInRtf(rtf: string): File[] {
  if (rtf.length > maximumRtf) return []
  const files: File[] = []
  for (const part of rtf.split('\\pict').slice(1)) {
    // Only matches the control word `\pict` itself, not longer words that start with it.
    if (/^[a-z]/i.test(part)) continue
    const type = /\\(png|jpeg)blip/.exec(part.slice(0, 4_000))?.[1]
    if (!type) continue
    const digits = hexOf(part)
    if (digits.length < 64) continue
    const bytes = new Uint8Array(digits.length >> 1)
    for (let at = 0; at < bytes.length; at++)
      bytes[at] = Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16)
    files.push(
      new File([bytes], `picture-${files.length + 1}.${type === 'png' ? 'png' : 'jpg'}`, {
        type: `image/${type}`,
      }),
    )
  }
  return files
}

/** Returns the hex digits of a picture, which follow the control words in the picture's own group. */
function hexOf(part: string): string {
  let depth = 0
  let digits = ''
  let start = 0
  for (let at = 0; at < part.length; at++) {
    const character = part[at]
    if (character === '{') {
      if (depth === 0) digits += `${part.slice(start, at)} `
      depth++
    } else if (character === '}') {
      if (depth === 0) return wordless(digits + part.slice(start, at))
      depth--
      start = at + 1
    }
  }
  return ''
}

/** Removes control words and returns the hex digits after the last one. */
function wordless(text: string): string {
  const words = text.lastIndexOf('\\')
  const behind = words < 0 ? text : text.slice(words).replace(/^\\[a-z]+-?\d*\s?/i, '')
  return behind.replace(/[^0-9a-f]/gi, '')
}

/** Returns the picture of a `data:` URL; null if the URL contains no supported picture. */
export function pictureOfData(address: string): File | null {
  const [, type, data] =
    /^data:image\/(png|jpeg|gif|webp|avif);base64,([A-Za-z0-9+/=\s]+)$/.exec(address) ?? []
  if (!type || !data) return null
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
    return new File([bytes], `picture.${type === 'jpeg' ? 'jpg' : type}`, { type: `image/${type}` })
  } catch {
    return null
  }
}
