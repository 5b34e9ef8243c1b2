import { romajiOf } from '../romaji.ts'
import { normalizeUnicode } from '../unicode.ts'

/** Longer ones are cut between words. */
const longest = 80

/** Kana of one script, with marks of length: a word, as far as that can be seen. */
const kana = /[\u3041-\u3096][\u3041-\u3096ー]*|[\u30a1-\u30fa][\u30a1-\u30faー]*/g

/** Has the text letters whose reading nobody can know from them alone? */
export const hasKanji = (text: string): boolean => /\p{Script=Han}/u.test(text)

/**
 * What stands in an address for a text: its Latin letters and digits in lower case, kana as they are read, with hyphens
 * between words (`Café & Ｂａｒ 24` is `cafe-bar-24`, `イモリ の はなし` is `imori-no-hanashi`). Kana beside kanji are
 * left out: without those they say nothing. `''` for a text without anything that can be read.
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
