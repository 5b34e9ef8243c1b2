import { segmenter } from '../unicode.ts'

/**
 * Code points that may join others into one character, such as marks, joiners, selectors, tones, flags and Hangul
 * syllables.
 */
const joining = /[\p{M}\p{Cf}\p{Emoji_Modifier}\p{RI}\uff9e\uff9f\r\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7fb]/u

/** Maximum length in UTF-16 units of texts that are segmented. Segmenting takes about a microsecond per character. */
const longest = 20_000

/** Returns the cost of counting the characters of a text, in units of one segmented character. */
export const countingCost = ({ length }: string): number => (length > longest ? length / 20 : length)

/**
 * Returns the number of user-perceived characters: a family emoji counts as one, and so does か with a separate mark.
 * Texts of more than 20,000 UTF-16 units are counted by code points.
 */
export function countCharacters(text: string): number {
  const isSegmented = text.length <= longest && joining.test(text)
  let count = 0
  for (const _ of isSegmented ? segmenter.segment(text) : text) count++
  return count
}

/** ASCII, half-width kana and signs: half as wide as other characters. */
const half = /[\u0020-\u007e\u00a5\uff61-\uff9d\uffa0-\uffdc\uffe8-\uffee]/g

/** Returns the number of half-width characters in the text. */
export const countHalfWidth = (text: string): number => text.match(half)?.length ?? 0
