import { z } from 'zod'

const maximum = 80

/** Controls, also of direction, what shows as nothing, lone surrogates, and private characters. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]+/gu

/** A dot, colon or at sign as addresses have them. */
const partOfAddress = /(?<=[\p{L}\p{N}])[.:@](?=[\p{L}\p{N}/])/gu

/**
 * A name that somebody gave to themselves or to a space, as mails show it: on one line, of bounded length, unable to turn
 * the direction of what follows, and never made a link by the program that shows it (a word joiner, which is not seen,
 * parts what looks like an address): else whoever may have mails sent writes "go to evil.example" as their name.
 */
export function safeName(name: string): string {
  const line = name.replace(unseen, ' ').replace(/\s+/g, ' ').trim()
  const characters = [...line]
  const short = characters.length > maximum ? `${characters.slice(0, maximum - 1).join('')}…` : line
  return short.replace(partOfAddress, '$&\u2060')
}

/** A value of a mail that is a name. */
export const nameValue = z.string().transform(safeName)
