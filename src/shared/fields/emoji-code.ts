import { normalizeUnicode } from '../unicode.ts'

/** A known emoji code point, or one that Unicode reserves for future emoji. */
const sign = String.raw`(?:(?!\p{RI})\p{Emoji}|(?=\p{Cn})\p{Extended_Pictographic})`
const tags = String.raw`[\u{e0020}-\u{e007e}]{1,32}\u{e007f}`
const element = String.raw`(?:\p{RI}\p{RI}|${sign}(?:\p{Emoji_Modifier}|\ufe0f?\u20e3|\ufe0f)?(?:${tags})?)`
const emoji = new RegExp(String.raw`^${element}(?:\u200d${element}){0,15}$`, 'u')
/** Text characters that are emoji only when combined with others. */
const plain = /^[\d#*]\ufe0f?$/

/**
 * Emoji with default emoji presentation need no variation selector, emoji with default text presentation need one. No
 * selector is needed before a modifier.
 */
const selectors =
  /(\p{Emoji_Presentation})\ufe0f|((?!\p{Emoji_Modifier}|\p{RI})(?!\p{Emoji_Presentation})\p{Emoji})\ufe0f?(?!\ufe0f|\p{Emoji_Modifier})/gu

/**
 * Normalises one emoji to its recommended form, so that equal emoji are equal however they were typed: `❤` becomes
 * `❤️`. Returns `null` for any other text, including several emoji.
 */
export function readEmoji(text: string): string | null {
  if (text.length > 100) return null
  const typed = normalizeUnicode(text, 'NFC').trim()
  if (typed.length > 64 || !emoji.test(typed) || plain.test(typed)) return null
  return typed.replace(selectors, (_whole, picture: string | undefined, sign: string | undefined) =>
    picture === undefined ? `${sign}\ufe0f` : picture,
  )
}
