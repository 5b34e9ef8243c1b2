import { z } from 'zod'
import { replaceInvisible, shorten } from '#shared/unicode.ts'

const maximum = 80

/** A dot, colon or at sign as in addresses, with or without joiners and combining marks next to it. */
const partOfAddress = /(?<=[\p{L}\p{N}][\p{Cf}\p{M}]*)[.:@](?=[\p{Cf}\p{M}]*[\p{L}\p{N}/])/gu

/**
 * Returns a user-chosen name for mails: on one line, limited in length, and without bidirectional controls. Invisible
 * word joiners keep mail clients from turning the name into a link. Otherwise a user who can trigger mails could use
 * the name "go to evil.example".
 */
export function safeName(name: string): string {
  const line = replaceInvisible(name, ' ')
    .replace(/[\s\p{Cs}\p{Co}]+/gu, ' ')
    .trim()
  const short = line.length > maximum ? `${shorten(line, maximum - 1)}…` : line
  return short.replace(partOfAddress, '$&\u2060')
}

/** A name as a value of a mail. */
export const nameValue = z.string().transform(safeName)
