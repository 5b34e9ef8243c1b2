import { romajiOf } from '../romaji.ts'
import { normalizeUnicode } from '../unicode.ts'

/** Maximum length of a slug. Longer slugs are cut between words, or within the first word if it is too long. */
const longest = 80

/** A run of one kana script with length marks, treated as a word. */
const kana = /[\u3041-\u3096][\u3041-\u3096ー]*|[\u30a1-\u30fa][\u30a1-\u30faー]*/g

/** Returns whether the text contains kanji, whose reading depends on context. */
export const hasKanji = (text: string): boolean => /\p{Script=Han}/u.test(text)

/**
 * Returns the URL slug of a text: Latin letters and digits in lower case, kana transliterated, words joined by hyphens
 * (`Café & Ｂａｒ 24` becomes `cafe-bar-24`, `イモリ の はなし` becomes `imori-no-hanashi`). All kana of a text with kanji are
 * left out, because they mean nothing alone. `''` if nothing can be transliterated.
 */
export function makeSlug(text: string): string {
  const level = normalizeUnicode(text.slice(0, 1000), 'NFKC')
  const read = hasKanji(level) ? level : level.replace(kana, (word) => ` ${romajiOf(word) ?? ''} `)
  const plain = normalizeUnicode(read, 'NFD').replace(/[\u0300-\u036f']/g, '')
  const slug = plain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return slug.length <= longest
    ? slug
    : slug
        .slice(0, longest + 1)
        .replace(/-[^-]*$/, '')
        .slice(0, longest)
}
