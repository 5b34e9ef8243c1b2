import { normalizeUnicode } from '../unicode.ts'

/** One that Unicode knows already, or a place that it keeps for pictures of later versions. */
const sign = String.raw`(?:(?!\p{RI})\p{Emoji}|(?=\p{Cn})\p{Extended_Pictographic})`
const tags = String.raw`[\u{e0020}-\u{e007e}]{1,32}\u{e007f}`
const element = String.raw`(?:\p{RI}\p{RI}|${sign}(?:\p{Emoji_Modifier}|\ufe0f?\u20e3|\ufe0f)?(?:${tags})?)`
const emoji = new RegExp(String.raw`^${element}(?:\u200d${element}){0,15}$`, 'u')
/** Signs of texts, not pictures, as long as nothing makes them one. */
const plain = /^[\d#*]\ufe0f?$/

/** A sign that is a picture of itself needs no selector, one that could be a letter does. Modifiers say enough. */
const selectors =
  /(\p{Emoji_Presentation})\ufe0f|((?!\p{Emoji_Modifier}|\p{RI})(?!\p{Emoji_Presentation})\p{Emoji})\ufe0f?(?!\ufe0f|\p{Emoji_Modifier})/gu

/**
 * One emoji in the form in which Unicode recommends it, so that one is equal to itself however a keyboard writes it:
 * `❤` is `❤️`. null for anything else, several of them included.
 */
export function readEmoji(text: string): string | null {
  if (text.length > 100) return null
  const typed = normalizeUnicode(text, 'NFC').trim()
  if (typed.length > 64 || !emoji.test(typed) || plain.test(typed)) return null
  return typed.replace(selectors, (_whole, picture: string | undefined, sign: string | undefined) =>
    picture === undefined ? `${sign}\ufe0f` : picture,
  )
}
