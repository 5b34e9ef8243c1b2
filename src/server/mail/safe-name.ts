import { z } from 'zod'

const maximum = 80

/**
 * Control characters (including bidirectional ones), invisible characters, lone surrogates, and private-use characters.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]+/gu

/** A dot, colon or at sign as in addresses. */
const partOfAddress = /(?<=[\p{L}\p{N}])[.:@](?=[\p{L}\p{N}/])/gu

/**
 * A user-chosen name for mails: on one line, limited in length, without bidirectional control, and with word joiners
 * (invisible) that keep mail clients from turning it into a link. Otherwise anyone who can trigger mails could use the
 * name "go to evil.example".
 */
export function safeName(name: string): string {
  const line = name.replace(unseen, ' ').replace(/\s+/g, ' ').trim()
  const characters = [...line]
  const short = characters.length > maximum ? `${characters.slice(0, maximum - 1).join('')}…` : line
  return short.replace(partOfAddress, '$&\u2060')
}

/** A name as a value of a mail. */
export const nameValue = z.string().transform(safeName)
