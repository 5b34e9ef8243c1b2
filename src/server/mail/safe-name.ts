import { z } from 'zod'
import { replaceInvisible, shorten } from '#shared/unicode.ts'

const maximum = 80

/**
 * A dot, colon or at sign as in URLs and email addresses: after a letter or digit, and before a letter, digit or slash.
 * Joiners and combining marks may be next to it.
 */
const partOfAddress = /(?<=[\p{L}\p{N}][\p{Cf}\p{M}]*)[.:@](?=[\p{Cf}\p{M}]*[\p{L}\p{N}/])/gu

/**
 * Returns a user-chosen name for mails: on one line, shortened to 80 UTF-16 units, without invisible characters. Word
 * joiners, which are not counted, keep mail clients from turning parts of the name into links. Otherwise a user who can
 * trigger mails could send a link with a name such as "go to evil.example".
 */
export function safeName(name: string): string {
  const line = replaceInvisible(name, ' ')
    .replace(/[\s\p{Cs}\p{Co}]+/gu, ' ')
    .trim()
  const short = line.length > maximum ? `${shorten(line, maximum - 1)}…` : line
  return short.replace(partOfAddress, '$&\u2060')
}

export const nameValue = z.string().transform(safeName)
