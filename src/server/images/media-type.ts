import { open } from 'node:fs/promises'
import { fileTypeFromFile } from 'file-type'

/** Text types for which the declaration is trusted, because browsers only display them. */
const inertTexts = new Set([
  'text/plain',
  'text/csv',
  'text/markdown',
  'application/json',
  'text/tab-separated-values',
])

const synonyms: Record<string, string> = {
  'image/apng': 'image/png',
  'image/jpg': 'image/jpeg',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
}

/** Number of bytes to read: enough for an XML declaration and comments before the first element. */
const headBytes = 64 * 1024

/**
 * Detects the media type of a file from its content. `declared` only distinguishes inert text types. The type of
 * unknown binary contents is `application/octet-stream`.
 */
export async function findMediaType(path: string, declared: string): Promise<string> {
  const text = await readHead(path)
  const markup = text === undefined ? undefined : markupType(text)
  const found = (await fileTypeFromFile(path))?.mime
  // The byte order mark of UTF-16 is also the start of an audio format.
  if (found && found !== 'application/xml' && !markup) return synonyms[found] ?? found
  if (text === undefined) return 'application/octet-stream'
  if (markup === 'image/svg+xml') return markup
  if (inertTexts.has(plain(declared))) return plain(declared)
  return markup ?? 'text/plain'
}

/**
 * Returns whether the content contradicts the declared type dangerously. Another picture format counts as a mistake,
 * not as a contradiction. A page or program declared as a picture, video or PDF is a contradiction.
 */
export function isLie(declared: string, found: string): boolean {
  const said = plain(declared)
  if (said === found) return false
  const group = /^(image|video|audio|font)\//
  const kind = group.exec(said)?.[1]
  if (said === 'application/pdf' || said === 'image/svg+xml') return true
  // Container formats contain audio, video or both, and are declared as either.
  const isMedia = kind === 'video' || kind === 'audio'
  if (isMedia) return !/^(?:video|audio)\/|^application\/(?:ogg|mp4|octet-stream)$/.test(found)
  return kind === 'image' ? !found.startsWith('image/') || found === 'image/svg+xml' : false
}

const plain = (type: string) => (type.split(';', 1)[0] ?? '').trim().toLowerCase()

/** Returns the beginning of a file as text. `undefined` for binary files. */
async function readHead(path: string): Promise<string | undefined> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return textOf(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark. `undefined` for other content. The last character may be truncated.
 */
export function textOf(bytes: Buffer): string | undefined {
  const mark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0
  const encoding = mark === 0xfeff ? 'utf-16be' : mark === 0xfffe ? 'utf-16le' : 'utf-8'
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true })
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/** Returns the type of a text that starts with an element. `undefined` for other text. */
function markupType(text: string): string | undefined {
  let rest = text.trimStart()
  const isXml = rest.startsWith('<?xml')
  for (;;) {
    const skipped =
      /^(?:<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!doctype\s+(?!html\b)[^[>]*(?:\[[\s\S]*?\]\s*)?>)\s*/i.exec(rest)
    if (!skipped) break
    rest = rest.slice(skipped[0].length)
  }
  if (/^<(?:[\w.-]+:)?svg[\s/>]/i.test(rest)) return 'image/svg+xml'
  if (isXml) return 'application/xml'
  return /^<(?:[a-z]|!)/i.test(rest) ? 'text/html' : undefined
}
