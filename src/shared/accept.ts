/*
 * File filters in the syntax of `<input type=file accept>`, separated by commas. A part is a media type (`image/png`),
 * a kind of media types (`image/*`) or a file name extension (`.pdf`). An empty filter accepts every file.
 */

const accepted = /^(?:\*|\*\/\*|[a-z]+\/\*|[a-z0-9.+-]+\/[a-z0-9.+-]+|\.[^\s,/]{1,20})$/
const maximumParts = 50

/** Returns the parts of an `accept` filter in lower case. `null` if the filter is invalid or has more than 50 parts. */
export function readAccept(accept: string): string[] | null {
  const parts = accept
    .toLowerCase()
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  return parts.length <= maximumParts && parts.every((part) => accepted.test(part)) ? parts : null
}

/** Returns whether the filter accepts a file with this name and media type. An invalid filter accepts every file. */
export function isAccepted(
  { name, type }: { name: string; type: string },
  accept: string | undefined,
): boolean {
  const parts = readAccept(accept ?? '') ?? []
  if (parts.length === 0) return true
  return parts.some((part) => {
    if (part === '*' || part === '*/*') return true
    if (part.startsWith('.')) return name.toLowerCase().endsWith(part)
    if (part.endsWith('/*')) return type.toLowerCase().startsWith(part.slice(0, -1))
    return type.toLowerCase() === part
  })
}
